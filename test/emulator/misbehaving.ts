import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import type { EmulatorOptions, LoggedOperation } from "../../src/emulator/index.ts";
import type { FaultRule } from "../../src/emulator/faults/rule.ts";
import { openApi, type Api, type Body } from "./open-api.ts";

/** What came of a request: an answer, or the code of the error that its connection ended with. */
export interface Outcome {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly error?: string;
}

export interface Misbehaving extends Api {
  /** Sends a request whose answer may be anything. */
  readonly send: (method: string, path: string, body?: Body, headers?: Record<string, string>) => Promise<Outcome>;
  readonly addFaults: (...rules: readonly FaultRule[]) => Promise<void>;
  readonly operations: () => Promise<readonly LoggedOperation[]>;
}

/** A service with rules of faults. `call` is for what they do not befall: it holds answers against the OpenAPI document. */
export async function misbehaving(
  faults: readonly FaultRule[] = [],
  options: EmulatorOptions = {},
): Promise<Misbehaving> {
  const api = await openApi({ ...options, faults });
  const agent = new Agent({ connect: { ca: api.emulator.caPem } });
  onTestFinished(() => agent.destroy());
  const send: Misbehaving["send"] = async (method, path, body, headers = {}) => {
    const sent = { authorization: `Bearer ${api.emulator.key ?? ""}`, "content-type": "application/json", ...headers };
    try {
      const answer = await request(api.emulator.baseUrl + path, {
        method: method as "GET",
        dispatcher: agent,
        headers: sent,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
    } catch (error) {
      return { status: 0, headers: {}, text: "", error: (error as { code?: string }).code ?? String(error) };
    }
  };
  return {
    ...api,
    send,
    addFaults: async (...rules) => void (await api.call("POST", "/_emulator/faults", { faults: rules })),
    operations: async () =>
      (await api.call("GET", "/_emulator/operations")).data as unknown as readonly LoggedOperation[],
  };
}

export const zones = "/v2026/dns/zones";

export const namesIn = (items: readonly Body[]): readonly unknown[] => items.map(({ name }) => name);
