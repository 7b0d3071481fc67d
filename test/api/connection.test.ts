import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect, type ApiRequest, type Connection } from "../../src/api/connection.ts";
import type { Wait } from "../../src/model/attempt.ts";
import { listAll } from "../../src/api/list-all.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import type { Contract } from "../../src/model/contract.ts";
import { startHttpsServer, type HttpsServer } from "../support/https-server.ts";
import { virtualClock, type VirtualClock } from "../support/virtual-clock.ts";

let server: HttpsServer;
let contract: Contract;
let answer: (request: IncomingMessage, response: ServerResponse, nth: number) => void;
let seen: { method: string | undefined; url: string | undefined; headers: IncomingMessage["headers"] }[] = [];
let clock: VirtualClock;
let told: Wait[] = [];
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
  told = [];
});
beforeEach(() => {
  clock = virtualClock(1_700_000_000_000);
});
afterAll(() => server.close());

function open(more: Partial<Parameters<typeof connect>[0]> = {}): Connection {
  const options = {
    baseUrl: server.baseUrl,
    key: "the-key",
    ca: server.ca,
    rules: contract,
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

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

const post: ApiRequest = { method: "POST", path: "/v2026/crons", body: { name: "x" } };

test("lists are read one after the other: what goes on with one is sent before what begins another", async () => {
  answer = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", server.baseUrl);
    json(response, 200, { data: [{ id: `${pathname} ${searchParams.get("page")}` }], meta: { total: 2 } });
  };
  const connection = open({ parallelism: 1 });
  const read = (path: string) =>
    listAll(connection, contract, { path, query: {}, idOf: ({ id }) => JSON.stringify(id) });
  const listings = await Promise.all(["/a", "/b", "/c"].map(read));
  expect(listings.map(({ items, reads }) => [items.length, reads])).toEqual([
    [2, 4],
    [2, 4],
    [2, 4],
  ]);
  const asked = seen.map(({ url = "" }) => url.slice(0, 2));
  expect(asked.indexOf("/c")).toBeGreaterThan(asked.lastIndexOf("/a"));
});

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

  test.each([
    ["Bearer", "Bearer the-key"],
    [undefined, "the-key"],
    ["", "the-key"],
  ])("carries the key with the scheme %j, and never in its address", async (scheme, value) => {
    answer = (_request, response) => json(response, 200, { data: {} });
    const request = { ...contract.request, auth: { header: "X-Token", ...(scheme !== undefined && { scheme }) } };
    await open({ rules: { ...contract, request } }).get({ path: "/v2026/crons", query: { page: "1" } });
    expect(seen[0]).toMatchObject({ url: "/v2026/crons?page=1", headers: { "x-token": value } });
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  test("carries a key of two values in two headers, divided at its first colon", async () => {
    answer = (_request, response) => json(response, 200, { data: {} });
    const request = { ...contract.request, auth: { headers: ["X-Auth-Email", "X-Auth-Key"] as const } };
    await open({ key: "me@x.example:a:b", rules: { ...contract, request } }).get({ path: "/v2026/crons" });
    expect(seen[0]).toMatchObject({ url: "/v2026/crons" });
    expect(seen[0]?.headers).toMatchObject({ "x-auth-email": "me@x.example", "x-auth-key": "a:b" });
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  test.each(["a\nb", "\u0000", "\u20ac"])("with an ETag that no header can hold (%j) is not sent", async (etag) => {
    const result = await open().send({ ...post, method: "PUT", etag });
    expect(result).toMatchObject({
      error: { sort: "malformed", attempts: 1, message: expect.stringContaining("it cannot be sent") },
    });
    expect(seen).toHaveLength(0);
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
    expect(clock.waits).toEqual([125, 250]);
  });

  test.each([
    ["7", 7000],
    ["Tue, 14 Nov 2023 22:13:25 GMT", 5000],
    ["86400", 60_000],
  ])("after the wait that the server asks for (Retry-After: %s), within bounds", async (retryAfter, wait) => {
    answer = (_request, response, nth) =>
      nth < 2 ? json(response, 429, {}, { "retry-after": retryAfter }) : json(response, 200, {});
    await open().get({ path: "/x" });
    expect(clock.waits).toEqual([wait]);
  });

  test.each<[number, Record<string, string>, number]>([
    [503, { "x-ratelimit-remaining": "1000000", "x-ratelimit-reset": "60" }, 125],
    [429, { "x-ratelimit-remaining": "7", "x-ratelimit-reset": "60" }, 125],
    [503, { "x-ratelimit-reset": "60" }, 125],
    [429, { "x-ratelimit-reset": "20" }, 20_000],
    [429, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" }, 20_000],
    [503, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "20" }, 20_000],
  ])(
    "after status %i with %j: the reset of a limit counts where nothing of it remains",
    async (status, headers, wait) => {
      answer = (_request, response, nth) =>
        nth < 2 ? json(response, status, {}, headers) : json(response, 200, { data: {} });
      await open().get({ path: "/x" });
      expect(clock.waits).toEqual([wait]);
    },
  );

  test.each(["0", "-1", "0.0001", "Wed, 21 Oct 2015 07:28:00 GMT"])(
    "not at once, where that is what the server asks for (Retry-After: %s)",
    async (retryAfter) => {
      answer = (_request, response, nth) =>
        nth < 4 ? json(response, 429, {}, { "retry-after": retryAfter }) : json(response, 200, {});
      await open().get({ path: "/x" });
      expect(clock.waits).toEqual([125, 250, 500]);
    },
  );

  test("within 5 minutes in all, waits included", async () => {
    answer = (_request, response) => json(response, 503, { message: "maintenance" }, { "retry-after": "90" });
    const started = clock.now();
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: false, error: { status: 503 } });
    expect(clock.waits).toEqual([60_000, 60_000, 60_000, 60_000, 60_000]);
    expect(clock.now() - started).toBe(300_000);
  });

  test.each([
    [429, 30],
    [503, 30],
    [429, 0],
  ])("within those 5 minutes for all that is asked meanwhile: %i, to wait %i s", async (status, seconds) => {
    answer = (_request, response) =>
      json(response, status, { message: "slow down" }, seconds > 0 ? { "retry-after": `${seconds}` } : {});
    const connection = open({ parallelism: 4 });
    const started = clock.now();
    const results = await Promise.all(Array.from({ length: 40 }, () => connection.get({ path: "/x" })));
    for (const result of results) expect(result).toMatchObject({ ok: false, error: { status } });
    expect(clock.now() - started).toBeLessThanOrEqual(330_000);
    expect(await connection.get({ path: "/x" })).toMatchObject({ ok: false, error: { attempts: 1 } });
  });

  test("and afresh once the server has answered", async () => {
    answer = (_request, response) => json(response, 429, {}, { "retry-after": "60" });
    const connection = open();
    expect(await connection.get({ path: "/x" })).toMatchObject({ ok: false, error: { attempts: 6 } });
    answer = (_request, response) => json(response, 404, {});
    await connection.get({ path: "/x" });
    answer = (_request, response, nth) => json(response, nth < 10 ? 429 : 200, {}, { "retry-after": "60" });
    expect(await connection.get({ path: "/x" })).toMatchObject({ ok: true, value: { attempts: 3 } });
  });

  test("and says of the last that an earlier one may have been carried out", async () => {
    answer = (request, response, nth) =>
      nth < 2 ? request.socket.destroy() : json(response, 409, { message: "taken" });
    const result = await open().send({ ...post, idempotencyKey: "k" });
    expect(result).toMatchObject({ ok: false, error: { sort: "conflict", earlierMayBeDone: true, attempts: 2 } });
    seen = [];
    answer = (_request, response, nth) => json(response, nth < 2 ? 429 : 409, { message: "no" });
    const limited = await open().send({ ...post, idempotencyKey: "k" });
    expect(limited).toMatchObject({ ok: false, error: { sort: "conflict", attempts: 2 } });
    expect(limited).not.toHaveProperty("error.earlierMayBeDone");
  });

  test("when the connection breaks: a GET, and a POST that carries an idempotency key, which stays the same", async () => {
    answer = (request, response, nth) => (nth < 2 ? request.socket.destroy() : json(response, 200, { data: {} }));
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: true });
    seen = [];
    expect(await open().send({ ...post, idempotencyKey: "k1" })).toMatchObject({ ok: true });
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["k1", "k1"]);
  });

  test("but not what must be done once only, unless it surely was not done", async () => {
    answer = (_request, response) => json(response, 500, { message: "oops" });
    await open().send({ ...post, idempotencyKey: "k", once: true });
    await open().send({ ...post, method: "PUT", once: true });
    expect(seen).toHaveLength(2);
    seen = [];
    answer = (_request, response, nth) => json(response, nth < 2 ? 429 : 201, { data: {} });
    expect(await open().send({ ...post, once: true })).toMatchObject({ ok: true, value: { attempts: 2 } });
  });

  test("not once the run is stopped: a read was not answered, of a write its last answer stays", async () => {
    answer = (_request, response) => json(response, 500, { message: "Oops." });
    const openStopped = () => {
      const stop = new AbortController();
      return open({ deps: { now: clock.now, random: () => 0, sleep: async () => stop.abort() }, stop: stop.signal });
    };
    expect(await openStopped().get({ path: "/x" })).toMatchObject({ error: { sort: "interrupted", attempts: 1 } });
    expect(await openStopped().send({ ...post, idempotencyKey: "k" })).toMatchObject({
      error: {
        sort: "server_error",
        message: "Oops; the run was stopped before it was sent again",
        attempts: 1,
      },
    });
    expect(seen).toHaveLength(2);
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
  test.each(["https://elsewhere.test/", "http://127.0.0.1/"])(
    "that redirects to %s: the key goes nowhere else",
    async (location) => {
      answer = (_request, response) => response.writeHead(302, { location }).end();
      const result = await open().get({ path: "/x" });
      expect(result).toMatchObject({ ok: false, error: { status: 302, message: expect.stringContaining(location) } });
      expect(seen).toHaveLength(1);
    },
  );

  test("that is a page instead of JSON, whatever its status", async () => {
    const page = "<!DOCTYPE html><html><head><title>Please log in</title></head></html>";
    for (const status of [200, 403, 502]) {
      answer = (_request, response) =>
        response.writeHead(status, { "content-type": "text/html; charset=utf-8" }).end(page);
      expect(await open().send(post)).toMatchObject({
        ok: false,
        error: {
          status,
          message: expect.stringMatching(/an HTML page titled "Please log in" instead of JSON/u),
        },
      });
    }
  });

  test("not for the mark that it begins with", async () => {
    answer = (_request, response) => response.end('\ufeff{"data":{"name":"\ufeffx"}}');
    expect(await open().get({ path: "/x" })).toMatchObject({ value: { body: { data: { name: "\ufeffx" } } } });
  });

  test("that is neither", async () => {
    answer = (_request, response) => response.end("upstream said no\n");
    expect(await open().get({ path: "/x" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: expect.stringMatching(/is not JSON, and begins: upstream said no/u) },
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

  test("that says to be larger than is read, without reading it", async () => {
    answer = (_request, response) => response.writeHead(200, { "content-length": String(2 ** 30) }).write("{");
    expect(await open().send(post)).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: "the answer is larger than 16 MiB" },
    });
  });

  test.each([
    ["objects", "{},"],
    ["lists", "[],"],
  ])("that would take far more memory than it has characters: %s", async (_name, item) => {
    answer = (_request, response) => response.end(`{"data":[${item.repeat(1_000_000)}1]}`);
    expect(await open().send({ ...post, method: "POST" })).toMatchObject({
      ok: false,
      error: { sort: "malformed", message: "the answer holds more than 100000 objects and lists" },
    });
  });

  test("that does not come in time", async () => {
    answer = () => undefined;
    const result = await open({ attemptTimeout: 300 }).send(post);
    expect(result).toMatchObject({ ok: false, error: { sort: "unknown_outcome" } });
  });
});

describe("a code says what a status does not", () => {
  const codes = { throttled: "rate_limited", name_taken: "conflict" } as const;
  const withCodes = () => ({ ...contract, answer: { ...contract.answer, error: { ...contract.answer.error, codes } } });

  test.each([
    [400, "throttled", "rate_limited"],
    [503, "throttled", "rate_limited"],
    [200, "throttled", "rate_limited"],
    [422, "name_taken", "conflict"],
    [422, "toString", "invalid"],
  ])("status %i with the code %s is %s", async (status, code, sort) => {
    answer = (_request, response, nth) =>
      sort === "rate_limited" && nth > 1
        ? json(response, 200, { data: {} })
        : json(response, status, { code, message: "no" });
    const result = await open({ rules: withCodes() }).send(post);
    if (sort === "rate_limited") expect(result).toMatchObject({ ok: true, value: { attempts: 2 } });
    else expect(result).toMatchObject({ ok: false, error: { sort, code } });
  });
});

describe("a server that allows so many requests a second", () => {
  /** Answers 429 to what is beyond `allowed` in each second of the clock. A request takes 2 ms. */
  function limitTo(allowed: number, headers: (left: number, reset: number) => Record<string, string>) {
    const counts = new Map<number, number>();
    const done = { refused: 0 };
    let ticks = 0;
    answer = (_request, response) => {
      ticks += 0.2;
      const now = clock.now() + ticks;
      const second = Math.floor(now / 1000);
      const count = (counts.get(second) ?? 0) + 1;
      counts.set(second, count);
      const reset = Math.max(0, (second + 1) * 1000 - now) / 1000;
      if (count > allowed) done.refused += 1;
      json(response, count > allowed ? 429 : 200, { data: {} }, headers(Math.max(0, allowed - count), reset));
    };
    return done;
  }
  const ask = async (requests: number) => {
    const connection = open({ parallelism: 10 });
    const started = clock.now();
    const results = await Promise.all(
      Array.from({ length: requests }, (_, index) =>
        index % 2 === 0 ? connection.get({ path: "/x" }) : connection.send({ ...post, idempotencyKey: `k${index}` }),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    return (clock.now() - started) / 1000;
  };

  test("and tells what remains is never asked for one too many", async () => {
    const server = limitTo(50, (left, reset) => ({
      "x-ratelimit-remaining": `${left}`,
      "x-ratelimit-reset": `${reset}`,
    }));
    const seconds = await ask(400);
    expect(server.refused).toBe(0);
    expect(seconds).toBeLessThan(8.5);
  });

  test("and says only how long to wait refuses few, and loses no time", async () => {
    const server = limitTo(50, (_left, reset) => ({ "retry-after": `${Math.ceil(reset)}` }));
    const seconds = await ask(400);
    // Ten lanes that each wait for themselves are refused ten times a second.
    expect(server.refused).toBeLessThan(35);
    expect(seconds).toBeLessThanOrEqual(9);
  });

  test("is waited for aloud where it takes long, once for all who wait", async () => {
    let refusals = 4;
    answer = (_request, response) => {
      refusals -= 1;
      json(response, refusals >= 0 ? 429 : 200, { data: {} }, refusals >= 0 ? { "retry-after": "30" } : {});
    };
    // All four answers come while the first pause lasts.
    const deps = { now: () => 0, random: () => 0, sleep: () => sleep(200) };
    const connection = open({ parallelism: 4, deps });
    await Promise.all(Array.from({ length: 4 }, () => connection.get({ path: "/x" })));
    expect(told).toEqual([{ milliseconds: 30_000, asked: 30_000, status: 429, method: "GET", path: "/x" }]);
  });

  test("may tell its reset as a time", async () => {
    const reset = String(1_700_000_000 + 20);
    answer = (_request, response, nth) =>
      json(response, 200, {}, { "x-ratelimit-remaining": nth === 1 ? "0" : "9", "x-ratelimit-reset": reset });
    const connection = open();
    await connection.get({ path: "/x" });
    await connection.get({ path: "/x" });
    expect(clock.waits).toEqual([20_000]);
    expect(told).toEqual([{ milliseconds: 20_000, asked: 20_000, method: "GET", path: "/x" }]);
  });
});
