import { expect, test } from "vitest";
import { openApi, serviceBody, type Api } from "./open-api.ts";
import { startTimer } from "../support/start-timer.ts";

async function withZones(count: number, options = {}): Promise<Api> {
  const names = Array.from({ length: count }, (_, index) => ({ name: `z${index}.test` }));
  return openApi({ seed: { dns_zone: names }, ...options });
}

const names = (items: readonly Record<string, unknown>[]): unknown[] => items.map((item) => item["name"]);

test("a list is paged in the order of creation, 25 a page unless asked otherwise", async () => {
  const { call } = await withZones(30);
  const first = await call("GET", "/v2026/dns/zones");
  expect(first.items).toHaveLength(25);
  expect(first.body["meta"]).toEqual({ current_page: 1, per_page: 25, total: 30 });
  const second = await call("GET", "/v2026/dns/zones?page=2&per_page=7");
  expect(names(second.items)).toEqual(Array.from({ length: 7 }, (_, index) => `z${index + 7}.test`));
  expect(second.body["meta"]).toEqual({ current_page: 2, per_page: 7, total: 30 });
  const beyond = await call("GET", "/v2026/dns/zones?page=99");
  expect(beyond.items).toEqual([]);
  expect(beyond.body["meta"]).toMatchObject({ current_page: 99, total: 30 });
});

test("a page has at most 100 items, or the number with which the service was started", async () => {
  const { call } = await withZones(120);
  const page = await call("GET", "/v2026/dns/zones?per_page=1000");
  expect(page.items).toHaveLength(100);
  expect(page.body["meta"]).toMatchObject({ per_page: 100 });
  const { call: narrow } = await withZones(5, { perPageMax: 2 });
  expect((await narrow("GET", "/v2026/dns/zones")).items).toHaveLength(2);
});

test.each(["page=0", "page=-1", "page=x", "page=1.5", "page=", "per_page=0", "per_page=ten"])(
  "%s is refused",
  async (query) => {
    const { call } = await openApi();
    const answer = await call("GET", `/v2026/services?${query}`);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.errors)).toEqual([query.split("=")[0]]);
  },
);

test("pages keep their order and their total while objects come and go", async () => {
  const { call, make } = await withZones(5);
  const [first, , third] = (await call("GET", "/v2026/dns/zones")).items;
  await call("DELETE", `/v2026/dns/zones/${String(first?.["id"])}`);
  await call("PUT", `/v2026/dns/zones/${String(third?.["id"])}`, { ttl: 60 });
  await make("/v2026/dns/zones", { name: "new.test" });
  const { items, body } = await call("GET", "/v2026/dns/zones");
  expect(names(items)).toEqual(["z1.test", "z2.test", "z3.test", "z4.test", "new.test"]);
  expect(body["meta"]).toMatchObject({ total: 5 });
});

test("items are whole records and carry the ETag of the single record", async () => {
  const { call } = await withZones(2);
  for (const item of (await call("GET", "/v2026/dns/zones")).items) {
    const one = await call("GET", `/v2026/dns/zones/${String(item["id"])}`);
    expect(one.data).toEqual(item);
    expect(one.headers["etag"]).toBe(item["etag"]);
  }
});

test("If-Match lets a write through only while the record is as it was read", async () => {
  const { call, make } = await openApi();
  const zone = await make("/v2026/dns/zones", { name: "example.com" });
  const path = `/v2026/dns/zones/${zone.id}`;
  const read = String((await call("GET", path)).headers["etag"]);
  const changed = await call("PUT", path, { ttl: 60 }, { "if-match": read });
  expect(changed.status).toBe(200);
  expect(changed.headers["etag"]).not.toBe(read);
  const stale = await call("PUT", path, { ttl: 90 }, { "if-match": read });
  expect(stale.status).toBe(412);
  expect(stale.body["code"]).toBe("precondition_failed");
  expect(stale.headers["etag"]).toBe(changed.headers["etag"]);
  expect((await call("DELETE", path, undefined, { "if-match": read })).status).toBe(412);
  expect((await call("PUT", path, { ttl: 90 }, { "if-match": `W/${String(changed.headers["etag"])}` })).status).toBe(
    412,
  );
  expect(
    (await call("PUT", path, { ttl: 90 }, { "if-match": `"other", ${String(changed.headers["etag"])}` })).status,
  ).toBe(200);
  expect((await call("DELETE", path, undefined, { "if-match": "*" })).status).toBe(204);
});

test("If-None-Match is answered with 304, for records and for list pages", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/dns/zones", { name: "example.com" });
  for (const path of [`/v2026/dns/zones/${id}`, "/v2026/dns/zones", "/v2026/dns/zones?page=2"]) {
    const etag = String((await call("GET", path)).headers["etag"]);
    const again = await call("GET", path, undefined, { "if-none-match": `W/${etag}` });
    expect([again.status, again.text, again.headers["etag"]]).toEqual([304, "", etag]);
  }
  const etag = String((await call("GET", "/v2026/dns/zones")).headers["etag"]);
  await make("/v2026/dns/zones", { name: "other.test" });
  expect((await call("GET", "/v2026/dns/zones", undefined, { "if-none-match": etag })).status).toBe(200);
});

test.each(["abc", '"abc', 'W/abc, "x"'])("the entity tag %s is malformed", async (tag) => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/dns/zones", { name: "example.com" });
  const answer = await call("PUT", `/v2026/dns/zones/${id}`, { ttl: 60 }, { "if-match": tag });
  expect(answer.status).toBe(400);
  expect(answer.body["code"]).toBe("malformed_request");
});

test("an error tells message, code, fields and the request id of its header", async () => {
  const { call } = await openApi();
  const answer = await call("POST", "/v2026/services", { hosting: {}, domain: { register: "yes" } });
  expect(answer.status).toBe(422);
  expect(answer.body).toEqual({
    message: expect.stringContaining("hosting.id_service_type"),
    code: "validation_failed",
    errors: {
      "hosting.id_service_type": ["is required"],
      "domain.name": ["is required"],
      "domain.register": ['must be boolean; it was "yes"'],
    },
    request_id: answer.headers["x-request-id"],
  });
});

test("every answer has a request id of its own", async () => {
  const { call } = await openApi();
  const answers = await Promise.all([
    call("GET", "/v2026/services"),
    call("GET", "/v2026/none"),
    call("PATCH", "/v2026/services", {}),
    call("GET", "/v2026/services", undefined, { authorization: "Bearer wrong" }),
    call("GET", "/v2026/services/none"),
  ]);
  const ids = answers.map((answer) => answer.headers["x-request-id"]);
  expect(new Set(ids).size).toBe(5);
  expect(ids.every((id) => /^req_[0-9a-z]{16}$/.test(String(id)))).toBe(true);
});

test("read-only and unknown fields of a body are ignored, wrong types of known ones are not", async () => {
  const { call, make } = await openApi();
  const zone = await make("/v2026/dns/zones", {
    name: "example.com",
    serial: 1,
    status: [],
    colour: "red",
    id: "mine",
  });
  expect(zone).toMatchObject({ status: "active" });
  expect(zone.id).not.toBe("mine");
  expect(zone).not.toHaveProperty("colour");
  const path = `/v2026/dns/zones/${zone.id}`;
  expect((await call("PUT", path, { ...zone, ttl: 60, serial: "x", nested: { a: 1 } })).data).toMatchObject({
    ttl: 60,
    serial: zone["serial"],
  });
  expect((await call("PUT", path, { ...zone, ttl: "60" })).status).toBe(422);
});

test("unknown fields inside known ones are dropped as well", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const body = { hosting: { id_service_type: "X", a: 1 }, settings: { php_version: "8.2", b: 2 } };
  const { data } = await call("PUT", `/v2026/services/${id}`, body);
  expect(data["hosting"]).toEqual({ id_service_type: "X" });
  expect(data["settings"]).toEqual({ php_version: "8.2", https_redirect: true, backups: true });
});

test.each([
  "/",
  "/v2026",
  "/v2026/",
  "/v2026/services/",
  "/v2026/services//x",
  "/v2025/services",
  "/V2026/services",
  "/v2026/nothing",
])("the path %s is not there", async (path) => {
  const { call } = await openApi();
  const answer = await call("GET", path);
  expect(answer.status).toBe(404);
  expect(answer.body["code"]).toBe("not_found");
});

test("the rate limit is in the headers of every answer, and enforced", async () => {
  const { call, clock } = await openApi({ rateLimitPerMinute: 2 });
  const one = await call("GET", "/v2026/services");
  expect(one.headers).toMatchObject({ "x-ratelimit-limit": "2", "x-ratelimit-remaining": "1" });
  expect(Number(one.headers["x-ratelimit-reset"])).toBeGreaterThan(0);
  expect((await call("GET", "/v2026/none")).headers["x-ratelimit-remaining"]).toBe("0");
  const over = await call("GET", "/v2026/services");
  expect(over.status).toBe(429);
  expect(over.body["code"]).toBe("rate_limited");
  expect(over.headers["retry-after"]).toBe(over.headers["x-ratelimit-reset"]);
  clock.advance(Number(over.headers["retry-after"]) * 1000);
  expect((await call("GET", "/v2026/services")).status).toBe(200);
});

test("the rate is counted for each key apart", async () => {
  const { call } = await openApi({ rateLimitPerMinute: 1 });
  const { data } = await call("POST", "/_emulator/keys", { permissions: { services: "read" } });
  const other = { authorization: `Bearer ${String(data["key"])}` };
  expect((await call("GET", "/v2026/services")).status).toBe(200);
  expect((await call("GET", "/v2026/services", undefined, other)).status).toBe(200);
  expect((await call("GET", "/v2026/services")).status).toBe(429);
});

test("without a limit the headers name one that slows no one", async () => {
  const { call } = await openApi();
  const { headers } = await call("GET", "/v2026/services");
  expect(Number(headers["x-ratelimit-limit"])).toBeGreaterThanOrEqual(100_000);
  expect(headers["x-ratelimit-remaining"]).toBe(headers["x-ratelimit-limit"]);
});

test("latency is added to every answer", async () => {
  const { call } = await openApi({ latencyMs: 60 });
  const timer = startTimer(60);
  await call("GET", "/v2026/services");
  expect(timer.isOver()).toBe(true);
});
