import type { IncomingMessage, ServerResponse } from "node:http";
import { afterEach, beforeEach } from "vitest";
import { connect, type ApiRequest, type Connection } from "../../src/api/connection.ts";
import type { Wait } from "../../src/model/attempt.ts";
import { builtIn } from "../support/built-in-contract.ts";
import { answerJson, startHttpsServer } from "../support/https-server.ts";
import { openedForFile } from "../support/opened-for-file.ts";
import { virtualClock, type VirtualClock } from "../support/virtual-clock.ts";

/**
 * A service that answers as a test says, and connections to it on a clock that moves while someone sleeps. For all tests of a file:
 * `seen` holds the requests of a test, `told` its waits.
 */
export function answeringService() {
  type Answer = (request: IncomingMessage, response: ServerResponse, nth: number) => void;
  const service: { answer: Answer } = { answer: () => undefined };
  const seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage["headers"] }[] = [];
  const told: Wait[] = [];
  const connections: Connection[] = [];
  const server = openedForFile(() =>
    startHttpsServer((request, response) => {
      seen.push({ method: request.method, url: request.url, headers: request.headers });
      service.answer(request, response, seen.length);
    }),
  );
  const clock = {} as VirtualClock;

  beforeEach(() => {
    Object.assign(clock, virtualClock(1_700_000_000_000));
  });
  afterEach(async () => {
    await Promise.all(connections.splice(0).map((connection) => connection.close()));
    seen.length = 0;
    told.length = 0;
  });

  function open(more: Partial<Parameters<typeof connect>[0]> = {}): Connection {
    const options = {
      baseUrl: server.baseUrl,
      key: "the-key",
      ca: server.ca,
      rules: builtIn,
      parallelism: 2,
      attemptTimeout: 5_000,
      deps: { now: clock.now, random: () => 0, sleep: clock.sleep },
      onWait: (wait: Wait) => void told.push(wait),
      ...more,
    };
    const connection = connect(options);
    connections.push(connection);
    return connection;
  }

  return { service, seen, told, server, contract: builtIn, clock, open };
}

export const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  answerJson(response, status, body, headers);

/** A creation, which is not sent twice unless it carries an idempotency key. */
export const post: ApiRequest = { method: "POST", path: "/v2026/crons", body: { name: "x" } };
