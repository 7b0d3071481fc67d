import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { answeringService, json, post } from "./answering-service.ts";

const { service, seen, contract, clock, open } = answeringService();

describe("a failed attempt is repeated", () => {
  test.each([500, 502, 503, 429])("after status %i, with a growing wait", async (status) => {
    service.answer = (_request, response, nth) =>
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
    service.answer = (_request, response, nth) =>
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
      service.answer = (_request, response, nth) =>
        nth < 2 ? json(response, status, {}, headers) : json(response, 200, { data: {} });
      await open().get({ path: "/x" });
      expect(clock.waits).toEqual([wait]);
    },
  );

  test.each(["0", "-1", "0.0001", "Wed, 21 Oct 2015 07:28:00 GMT"])(
    "not at once, where that is what the server asks for (Retry-After: %s)",
    async (retryAfter) => {
      service.answer = (_request, response, nth) =>
        nth < 4 ? json(response, 429, {}, { "retry-after": retryAfter }) : json(response, 200, {});
      await open().get({ path: "/x" });
      expect(clock.waits).toEqual([125, 250, 500]);
    },
  );

  test("within 5 minutes in all, waits included", async () => {
    service.answer = (_request, response) => json(response, 503, { message: "maintenance" }, { "retry-after": "90" });
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
    service.answer = (_request, response) =>
      json(response, status, { message: "slow down" }, seconds > 0 ? { "retry-after": `${seconds}` } : {});
    const connection = open({ parallelism: 4 });
    const started = clock.now();
    const results = await Promise.all(Array.from({ length: 40 }, () => connection.get({ path: "/x" })));
    for (const result of results) expect(result).toMatchObject({ ok: false, error: { status } });
    expect(clock.now() - started).toBeLessThanOrEqual(330_000);
    expect(await connection.get({ path: "/x" })).toMatchObject({ ok: false, error: { attempts: 1 } });
  });

  test("and afresh once the server has answered", async () => {
    service.answer = (_request, response) => json(response, 429, {}, { "retry-after": "60" });
    const connection = open();
    expect(await connection.get({ path: "/x" })).toMatchObject({ ok: false, error: { attempts: 6 } });
    service.answer = (_request, response) => json(response, 404, {});
    await connection.get({ path: "/x" });
    service.answer = (_request, response, nth) => json(response, nth < 10 ? 429 : 200, {}, { "retry-after": "60" });
    expect(await connection.get({ path: "/x" })).toMatchObject({ ok: true, value: { attempts: 3 } });
  });

  test("and says of the last that an earlier one may have been carried out", async () => {
    service.answer = (request, response, nth) =>
      nth < 2 ? request.socket.destroy() : json(response, 409, { message: "taken" });
    const result = await open().send({ ...post, idempotencyKey: "k" });
    expect(result).toMatchObject({ ok: false, error: { sort: "conflict", earlierMayBeDone: true, attempts: 2 } });
    seen.length = 0;
    service.answer = (_request, response, nth) => json(response, nth < 2 ? 429 : 409, { message: "no" });
    const limited = await open().send({ ...post, idempotencyKey: "k" });
    expect(limited).toMatchObject({ ok: false, error: { sort: "conflict", attempts: 2 } });
    expect(limited).not.toHaveProperty("error.earlierMayBeDone");
  });

  test("when the connection breaks: a GET, and a POST that carries an idempotency key, which stays the same", async () => {
    service.answer = (request, response, nth) =>
      nth < 2 ? request.socket.destroy() : json(response, 200, { data: {} });
    expect(await open().get({ path: "/x" })).toMatchObject({ ok: true });
    seen.length = 0;
    expect(await open().send({ ...post, idempotencyKey: "k1" })).toMatchObject({ ok: true });
    expect(seen.map(({ headers }) => headers["idempotency-key"])).toEqual(["k1", "k1"]);
  });

  test("but not what must be done once only, unless it surely was not done", async () => {
    service.answer = (_request, response) => json(response, 500, { message: "oops" });
    await open().send({ ...post, idempotencyKey: "k", once: true });
    await open().send({ ...post, method: "PUT", once: true });
    expect(seen).toHaveLength(2);
    seen.length = 0;
    service.answer = (_request, response, nth) => json(response, nth < 2 ? 429 : 201, { data: {} });
    expect(await open().send({ ...post, once: true })).toMatchObject({ ok: true, value: { attempts: 2 } });
  });

  test("not once the run is stopped: a read was not answered, of a write its last answer stays", async () => {
    service.answer = (_request, response) => json(response, 500, { message: "Oops." });
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
    service.answer = (_request, response) =>
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
    service.answer = (_request, response) => json(response, status, { message: "no" });
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
    service.answer = (_request, response) => void fail(response);
    expect(await open().send(post)).toMatchObject({ ok: false, error: { attempts: 1 } });
    expect(seen).toHaveLength(1);
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
    service.answer = (_request, response, nth) =>
      sort === "rate_limited" && nth > 1
        ? json(response, 200, { data: {} })
        : json(response, status, { code, message: "no" });
    const result = await open({ rules: withCodes() }).send(post);
    if (sort === "rate_limited") expect(result).toMatchObject({ ok: true, value: { attempts: 2 } });
    else expect(result).toMatchObject({ ok: false, error: { sort, code } });
  });
});
