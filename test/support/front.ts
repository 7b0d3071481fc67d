import { readFileSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { Agent, request as forward } from "undici";
import type { Account } from "./account.ts";
import { startHttpsServer } from "./https-server.ts";
import { openedForFile } from "./opened-for-file.ts";

/** An answer of the service. */
export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * Stands in for the service where it returns true, having answered itself. `pass` lets the service do what was asked, once; `url`
 * takes the place of what was asked for; `body` is the text of the request.
 */
export type Interfere = (
  request: IncomingMessage,
  response: ServerResponse,
  pass: (url?: string) => Promise<Answered>,
  body: string,
) => Promise<boolean> | boolean;

/** An account's service behind a front that can break its answers, or keep requests from it. */
export interface Front {
  readonly baseUrl: string;
  /** Flags that point hostform to the front. */
  readonly flags: readonly string[];
  /** The environment of the account. */
  readonly env: Readonly<Record<string, string>>;
  readonly interfere: (interfere: Interfere) => void;
  readonly close: () => Promise<void>;
}

export async function openFront(
  account: Pick<Account, "baseUrl" | "folder"> & Partial<Pick<Account, "env">>,
): Promise<Front> {
  const agent = new Agent({ connect: { ca: readFileSync(join(account.folder, "ca.pem"), "utf8") } });
  let interfere: Interfere = () => false;
  const pass = async (request: IncomingMessage, body: Buffer, url = request.url ?? ""): Promise<Answered> => {
    const { host: _host, connection: _connection, ...headers } = request.headers;
    const answer = await forward(account.baseUrl + url, {
      method: request.method as "GET",
      dispatcher: agent,
      headers: headers as Record<string, string>,
      body: body.length === 0 ? null : body,
    });
    const text = await answer.body.text();
    const { "content-length": _length, ...rest } = answer.headers as Record<string, string>;
    return { status: answer.statusCode, headers: rest, text };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await buffer(request);
    if (await interfere(request, response, (url) => pass(request, body, url), body.toString())) return;
    const { status, headers, text } = await pass(request, body);
    response.writeHead(status, headers).end(text);
  };
  const server = await startHttpsServer((request, response) => {
    serve(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  const ca = join(account.folder, "front.pem");
  writeFileSync(ca, server.ca);
  return {
    baseUrl: server.baseUrl.href,
    flags: ["--base-url", server.baseUrl.href, "--ca-file", ca],
    env: account.env ?? {},
    interfere: (next) => {
      interfere = next;
    },
    close: async () => {
      await server.close();
      await agent.close();
    },
  };
}

/** Returns a front that all tests of a file share; it is empty until they begin. */
export const frontForFile = (account: Account): Front => openedForFile(() => openFront(account));
