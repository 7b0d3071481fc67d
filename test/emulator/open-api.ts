import { randomBytes } from "node:crypto";
import { Agent, request } from "undici";
import { onTestFinished } from "vitest";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../src/emulator/index.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { createJudge } from "./judge.ts";

export type Body = Record<string, unknown>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** The parsed body; `{}` when there is none. */
  readonly body: Body;
  /** `data` of the body; `{}` when there is none. */
  readonly data: Body;
  /** `data` of a list. */
  readonly items: readonly Body[];
  /** `errors` of a refusal. */
  readonly errors: Readonly<Record<string, string[]>>;
}

export interface Api {
  readonly emulator: Emulator;
  readonly clock: { advance: (ms: number) => void };
  /** Sends a request with the master key; headers given lower-cased replace the usual ones. A string is sent as it is. */
  readonly call: (
    method: string,
    path: string,
    body?: Body | string | Buffer,
    headers?: Record<string, string>,
  ) => Promise<Answer>;
  /** A POST that must answer 201; returns its `data`. */
  readonly make: (path: string, body: Body) => Promise<Body & { readonly id: string }>;
}

const judge = createJudge();

/** A service of its own for one test, closed when the test ends. Every answer is held against the OpenAPI document. */
export async function openApi(options: EmulatorOptions = {}): Promise<Api> {
  const { close, ...api } = await startApi(options);
  onTestFinished(close);
  return api;
}

/** A service for all tests of a file, of which each begins without an object. For tests that leave its clock, keys, faults and spelling. */
export function apiForFile(options: EmulatorOptions = {}): () => Promise<Api> {
  const api = openedForFile(() => startApi(options));
  let putBack: (() => void) | undefined;
  return async () => {
    if (putBack) putBack();
    else putBack = api.emulator.mirror.keep();
    return api;
  };
}

async function startApi(options: EmulatorOptions): Promise<Api & { readonly close: () => Promise<void> }> {
  let ahead = 0;
  const emulator = await startEmulator(options, { now: () => Date.now() + ahead, random: randomBytes });
  const agent = new Agent({ connect: { ca: emulator.caPem } });
  const close = async () => {
    await agent.destroy();
    await emulator.close();
  };
  const call: Api["call"] = async (method, path, body, headers = {}) => {
    const typed = body === undefined ? {} : { "content-type": "application/json" };
    const response = await request(emulator.baseUrl + path, {
      method: method as "GET",
      dispatcher: agent,
      headers: { authorization: `Bearer ${emulator.key ?? ""}`, ...typed, ...headers },
      body:
        body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? (body ?? null) : JSON.stringify(body),
    });
    const text = await response.body.text();
    judge({ method, path, status: response.statusCode, headers: response.headers, text });
    return answerOf(response.statusCode, response.headers, text);
  };
  const make: Api["make"] = async (path, body) => {
    const answer = await call("POST", path, body);
    if (answer.status !== 201) throw new Error(`POST ${path} answered ${answer.status}: ${answer.text}`);
    return answer.data as Body & { id: string };
  };
  return { emulator, call, make, close, clock: { advance: (ms) => void (ahead += ms) } };
}

function answerOf(status: number, headers: Answer["headers"], text: string): Answer {
  const body = (text === "" ? {} : JSON.parse(text)) as Body;
  const data = body["data"] ?? {};
  return {
    status,
    headers,
    text,
    body,
    data: data as Body,
    items: (Array.isArray(data) ? data : []) as Body[],
    errors: (body["errors"] ?? {}) as Record<string, string[]>,
  };
}

/** The body of the vendor's document that makes a service. */
export const serviceBody = (domain: string, register = false): Body => ({
  hosting: { id_service_type: "WEB-M" },
  domain: { name: domain, register },
  datacenter: "MAD1",
});
