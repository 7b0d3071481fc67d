import { describe, expect, test } from "vitest";
import { listAll } from "../../src/api/read-list.ts";
import { answeringService, json, post } from "./answering-service.ts";

const { service, seen, server, contract, open } = answeringService();

test("lists are read one after the other: what goes on with one is sent before what begins another", async () => {
  service.answer = (request, response) => {
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
    service.answer = (_request, response) => json(response, 200, { data: {} });
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
    service.answer = (_request, response) => json(response, 200, { data: {} });
    const request = { ...contract.request, auth: { header: "X-Token", ...(scheme !== undefined && { scheme }) } };
    await open({ rules: { ...contract, request } }).get({ path: "/v2026/crons", query: { page: "1" } });
    expect(seen[0]).toMatchObject({ url: "/v2026/crons?page=1", headers: { "x-token": value } });
    expect(seen[0]?.headers).not.toHaveProperty("authorization");
  });

  test("carries a key of two values in two headers, divided at its first colon", async () => {
    service.answer = (_request, response) => json(response, 200, { data: {} });
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
    service.answer = (_request, response) => json(response, 200, { data: {} });
    await open({ baseUrl: new URL("/api/", server.baseUrl) }).get({ path: "/v2026/services" });
    expect(seen[0]?.url).toBe("/api/v2026/services");
  });
});

test("a connection that only reads sends nothing but GET, whatever it is asked to send", async () => {
  service.answer = (_request, response) => json(response, 200, { data: [] });
  const connection = open({ readsOnly: true });
  for (const method of ["POST", "PUT", "PATCH", "DELETE", "GET"])
    await expect(connection.send({ method, path: "/a" })).rejects.toThrow(`${method} /a is not sent`);
  const sneaky = { path: "/a", method: "DELETE" };
  expect((await connection.get(sneaky)).ok).toBe(true);
  expect(seen.map(({ method }) => method)).toEqual(["GET"]);
});

test("what others share of a limit is what answers say: a connection that breaks says nothing", async () => {
  service.answer = (_request, response, nth) => (nth === 1 ? response.destroy() : json(response, 200, { data: {} }));
  const learned: unknown[] = [];
  const pace = { take: async () => undefined, learned: (answer: unknown) => void learned.push(answer) };
  expect(await open({ pace }).get({ path: "/x" })).toMatchObject({ ok: true });
  expect(learned).toHaveLength(1);
});
