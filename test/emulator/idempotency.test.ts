import { expect, test } from "vitest";
import { openApi, serviceBody } from "./open-api.ts";

const key = { "idempotency-key": "7c9f" };

test("a repeated POST with the same key and body gets the first answer again, and makes nothing", async () => {
  const { call } = await openApi();
  const first = await call("POST", "/v2026/services", serviceBody("example.com"), key);
  expect(first.headers["idempotent-replayed"]).toBeUndefined();
  const again = await call("POST", "/v2026/services", serviceBody("example.com"), key);
  expect([again.status, again.text, again.headers["etag"]]).toEqual([201, first.text, first.headers["etag"]]);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(again.headers["x-request-id"]).not.toBe(first.headers["x-request-id"]);
  expect((await call("GET", "/v2026/services")).items).toHaveLength(1);
});

test("the answer is given again after the object has gone", async () => {
  const { call } = await openApi();
  const first = await call("POST", "/v2026/dns/zones", { name: "example.com" }, key);
  await call("DELETE", `/v2026/dns/zones/${String(first.data["id"])}`);
  expect((await call("POST", "/v2026/dns/zones", { name: "example.com" }, key)).text).toBe(first.text);
  expect((await call("GET", "/v2026/dns/zones")).items).toEqual([]);
});

test("a 202 is given again with its Location", async () => {
  const { call, make } = await openApi({ asyncMs: 1000 });
  const { id: service_id } = await make("/v2026/services", serviceBody("example.com"));
  const body = { service_id, name: "shop", engine: "mysql" };
  const first = await call("POST", "/v2026/databases", body, key);
  const again = await call("POST", "/v2026/databases", body, key);
  expect([again.status, again.headers["location"]]).toEqual([202, first.headers["location"]]);
});

test.each([
  ["another body", "/v2026/dns/zones", { name: "other.test" }],
  ["another path", "/v2026/domains", { name: "example.com" }],
])("the key of one request does not pass for %s", async (_, path, body) => {
  const { call } = await openApi();
  await call("POST", "/v2026/dns/zones", { name: "example.com" }, key);
  const answer = await call("POST", path, body, key);
  expect(answer.status).toBe(409);
  expect(answer.body["code"]).toBe("idempotency_key_reused");
});

test("a refusal is not kept: the same request may succeed once its cause is mended", async () => {
  const { call, make } = await openApi();
  const body = { address: "info@example.com", password: "12345678" };
  expect((await call("POST", "/v2026/mail/accounts", body, key)).status).toBe(422);
  await make("/v2026/domains", { name: "example.com" });
  expect((await call("POST", "/v2026/mail/accounts", body, key)).status).toBe(201);
});

test("each API key has idempotency keys of its own", async () => {
  const { call } = await openApi();
  const { data } = await call("POST", "/_emulator/keys", { permissions: { dns: "write" } });
  await call("POST", "/v2026/dns/zones", { name: "example.com" }, key);
  const other = { authorization: `Bearer ${String(data["key"])}`, ...key };
  expect((await call("POST", "/v2026/dns/zones", { name: "other.test" }, other)).status).toBe(201);
});

test("a key is forgotten after a day", async () => {
  const { call, clock } = await openApi();
  await call("POST", "/v2026/dns/zones", { name: "example.com" }, key);
  clock.advance(24 * 60 * 60 * 1000 - 1000);
  expect((await call("POST", "/v2026/dns/zones", { name: "example.com" }, key)).status).toBe(201);
  clock.advance(2000);
  expect((await call("POST", "/v2026/dns/zones", { name: "example.com" }, key)).status).toBe(409);
});

test.each(["a b", "x".repeat(256), "ü"])("the idempotency key %j is malformed", async (value) => {
  const { call } = await openApi();
  const headers = { "idempotency-key": Buffer.from(value).toString("latin1") };
  expect((await call("POST", "/v2026/dns/zones", { name: "example.com" }, headers)).status).toBe(400);
});
