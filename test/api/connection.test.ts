import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { connect, type ApiRequest, type Connection } from "../../src/api/connection.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";

let server: HttpsServer;
let contract: Contract;
let answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void;
let seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage["headers"] }[] = [];
let waits: number[] = [];
const connections: Connection[] = [];

beforeAll(async () => {
  server = await startHttpsServer((request, response) => {
    seen.push({ method: request.method, url: request.url, headers: request.headers });
    answer(request, response, seen.length);
  });
  const loaded = await loadContract(undefined);
  if (!loaded.contract) throw new Error("The built-in contract is wrong");
  contract = loaded.contract;
});
afterEach(async () => {
  await Promise.all(connections.splice(0).map((connection) => connection.close()));
  seen = [];
  waits = [];
});
afterAll(() => server.close());

function open(more: Partial<Parameters<typeof connect>[0]> = {}): Connection {
  const deps = {
    now: () => 1_700_000_000_000,
    random: () => 0,
    sleep: async (milliseconds: number) => void waits.push(milliseconds),
  };
  const options = {
    baseUrl: server.baseUrl,
    key: "the-key",
    ca: server.ca,
    rules: contract,
    parallelism: 2,
    attemptTimeout: 5_000,
    deps,
    ...more,
  };
  const connection = connect(options);
  connections.push(connection);
  return connection;
}

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const post: ApiRequest = { method: "POST", path: "/v2026/crons", body: { name: "x" } };

describe("a request", () => {
  test("carries the key, the contract's headers, the query, the ETag and the idempotency key", async () => {
    answer = (_request, response) => json(response, 200, { data: {} });
    await open().send({ ...post, query: { a: "1 &2" }, etag: '"e"', idempotencyKey: "k1" });
    expect(seen[0]).toMatchObject({ method: "POST", url: "/v2026/crons?a=1+%262" });
    expect(seen[0]?.headers).toMatchObject({
      authorization: "Bearer the-key",
      accept: "application/json",
      "if-match": '"e"',
      "idempotency-key": "k1",
    });
  });

  test("goes below the base URL's path", async () => {
    answer = (_request, response) => json(response, 200, { data: {} });
    await open({ baseUrl: new URL("/api/", server.baseUrl) }).get({ path: "/v2026/services" });
    expect(seen[0]?.url).toBe("/api/v2026/services");
  });
});

describe("a failed attempt is repeated", () => {
  test.each([500, 502, 503, 429])("after status %i, with a growing wait", async (status) => {
    answer = (_request, response, nth) =>
      nth < 3 ? json(response, status, { message: "later" }) : json(response, 200, { data: 1 });
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: true });
    expect(seen).toHaveLength(3);
    expect(waits).toEqual([125, 250]);
  });

  test.each([
    ["7", 7000],
    ["Tue, 14 Nov 2023 22:13:25 GMT", 5000],
    ["86400", 60_000],
  ])("after the wait that the server asks for (Retry-After: %s), within bounds", async (retryAfter, wait) => {
    answer = (_request, response, nth) =>
      nth < 2 ? json(response, 429, {}, { "retry-after": retryAfter }) : json(response, 200, {});
    await open().get({ path: "/x" });
    expect(waits).toEqual([wait]);
  });

  test("when the connection breaks: a GET, and a POST that carries an idempotency key, which stays the same", async () => {
    answer = (request, response, nth) => (nth < 2 ? request.socket.destroy() : json(response, 200, { data: {} }));
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: true });
    seen = [];
    expect(await open().send({ ...post, idempotencyKey: "k1" })).toMatchObject({ ok: true });
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["k1", "k1"]);
  });

  test("not without end", async () => {
    answer = (_request, response) =>
      json(response, 500, { message: "broken", code: "internal", request_id: "r" }, { "x-request-id": "req-9" });
    expect(await open().get({ path: "/x" })).toMatchObject({
      ok: false,
      error: {
        sort: "server_error",
        status: 500,
        code: "internal",
        message: "broken",
        requestId: "req-9",
        attempts: 6,
      },
    });
  });

  test.each([400, 401, 403, 404, 405, 409, 412, 422])("not after status %i", async (status) => {
    answer = (_request, response) => json(response, status, { message: "no" });
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: false, error: { status, attempts: 1 } });
    expect(seen).toHaveLength(1);
  });

  test.each([
    ["a 500", (response: ServerResponse) => json(response, 500, {})],
    ["a broken connection", (response: ServerResponse) => response.socket?.destroy()],
    [
      "half an answer",
      (response: ServerResponse) =>
        response.writeHead(201, { "content-length": "1000" }).write("{", () => response.socket?.destroy()),
    ],
  ])("not a POST without an idempotency key, after %s", async (_name, fail) => {
    answer = (_request, response) => void fail(response);
    expect(await open().send(post)).toMatchObject({ ok: false, error: { attempts: 1 } });
    expect(seen).toHaveLength(1);
  });
});

describe("an answer is refused", () => {
  test("that redirects: the key goes nowhere else", async () => {
    answer = (_request, response) => response.writeHead(302, { location: "https://elsewhere.test/" }).end();
    const result = await open().get({ path: "/x" });
    expect(result).toMatchObject({ ok: false, error: { status: 302, message: expect.stringContaining("redirects") } });
    expect(seen).toHaveLength(1);
  });

  test("that is no JSON", async () => {
    answer = (_request, response) => response.end("<html>");
    expect(await open().get({ path: "/x" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: "the answer is not JSON" },
    });
  });

  test("that is an error, though its status says success", async () => {
    answer = (_request, response) => json(response, 200, { data: null, code: "maintenance", message: "back soon" });
    expect(await open().send({ ...post, method: "PUT" })).toMatchObject({
      ok: false,
      error: { code: "maintenance", message: "back soon" },
    });
  });

  test("that drips without end, when its time is over", async () => {
    answer = (_request, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drip));
    };
    expect(await open({ attemptTimeout: 400 }).send(post)).toMatchObject({
      ok: false,
      error: { sort: "unknown_outcome" },
    });
  });

  test("that never ends", async () => {
    answer = (_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024, " ");
      const more = () => !response.destroyed && response.write(chunk, more);
      more();
    };
    expect(await open().send({ ...post, method: "POST" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: expect.stringContaining("larger than") },
    });
  });

  test("that does not come in time", async () => {
    answer = () => undefined;
    const result = await open({ attemptTimeout: 300 }).send(post);
    expect(result).toMatchObject({ ok: false, error: { sort: "unknown_outcome" } });
  });

  test("from a server whose certificate is not trusted, or is for another host", async () => {
    expect(await open({ ca: undefined }).get({ path: "/x" })).toMatchObject({
      ok: false,
      error: { sort: "untrusted" },
    });
    const other = new URL(server.baseUrl);
    other.hostname = "127.0.0.2";
    expect(await open({ baseUrl: other }).get({ path: "/x" })).toMatchObject({
      ok: false,
      error: { sort: expect.stringMatching(/untrusted|unreachable/u) },
    });
    expect(seen).toEqual([]);
  });
});
