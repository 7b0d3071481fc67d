import { expect, test } from "vitest";
import { apiForFile, type Api, type Body } from "./open-api.ts";

const openApi = apiForFile();

interface Zone extends Api {
  readonly zone: string;
  readonly path: string;
  readonly add: (body: Body) => Promise<Body & { readonly id: string }>;
}

async function withZone(name = "example.com"): Promise<Zone> {
  const api = await openApi();
  const { id } = await api.make("/v2026/dns/zones", { name });
  const path = `/v2026/dns/zones/${id}/records`;
  return { ...api, zone: `/v2026/dns/zones/${id}`, path, add: (body) => api.make(path, body) };
}

test("a zone is made with its SOA and apex NS records, which are managed", async () => {
  const { call, path } = await withZone("Example.com");
  const { items } = await call("GET", path);
  expect(items.map((item) => [item["name"], item["type"], item["managed"]])).toEqual([
    ["@", "SOA", true],
    ["@", "NS", true],
    ["@", "NS", true],
  ]);
});

test("a managed record is neither changed nor deleted", async () => {
  const { call, path } = await withZone();
  const [soa, ns] = (await call("GET", path)).items;
  for (const record of [soa, ns]) {
    const one = `${path}/${String(record?.["id"])}`;
    expect((await call("PUT", one, { ...record, ttl: 60 })).status).toBe(403);
    expect((await call("DELETE", one)).status).toBe(403);
  }
  expect((await call("POST", path, { name: "@", type: "SOA", content: "a. b. 1 2 3 4 5" })).status).toBe(422);
});

test("every change of a record counts in the zone's serial and its SOA", async () => {
  const { call, path, zone, add } = await withZone();
  const serial = async (): Promise<number> => {
    const { data } = await call("GET", zone);
    const soa = (await call("GET", path)).items[0];
    expect(String(soa?.["content"])).toContain(` ${String(data["serial"])} `);
    return Number(data["serial"]);
  };
  const start = await serial();
  const { id } = await add({ name: "www", type: "A", content: "192.0.2.1" });
  expect(await serial()).toBe(start + 1);
  await call("PUT", `${path}/${id}`, { name: "www", content: "192.0.2.2" });
  expect(await serial()).toBe(start + 2);
  await call("DELETE", `${path}/${id}`);
  expect(await serial()).toBe(start + 3);
});

test("a record's TTL is its zone's when it is left out", async () => {
  const { call, path, zone, add } = await withZone();
  await call("PUT", zone, { ttl: 600 });
  const { id, ...made } = await add({ name: "www", type: "A", content: "192.0.2.1" });
  expect(made["ttl"]).toBe(600);
  const changed = await call("PUT", `${path}/${id}`, { name: "www", content: "192.0.2.1", ttl: 60, comment: "mine" });
  expect(changed.data).toMatchObject({ ttl: 60, comment: "mine" });
  expect((await call("PUT", `${path}/${id}`, { name: "www", content: "192.0.2.1" })).data).toMatchObject({
    ttl: 600,
    comment: null,
  });
});

test("records of one name and type may have different TTLs", async () => {
  const { add } = await withZone();
  await add({ name: "www", type: "A", content: "192.0.2.1", ttl: 60 });
  expect((await add({ name: "www", type: "A", content: "192.0.2.2", ttl: 120 }))["ttl"]).toBe(120);
});

test("the type of a record cannot be changed", async () => {
  const { call, path, add } = await withZone();
  const { id } = await add({ name: "www", type: "A", content: "192.0.2.1" });
  const answer = await call("PUT", `${path}/${id}`, { name: "www", type: "AAAA", content: "2001:db8::1" });
  expect(Object.keys(answer.errors)).toContain("type");
});

test("the same record is taken once, however it is written", async () => {
  const { call, path, add } = await withZone();
  await add({ name: "www", type: "AAAA", content: "2001:db8::1" });
  await add({ name: "@", type: "MX", content: "mx.example.com.", priority: 10 });
  await add({ name: "t", type: "TXT", content: "hello world" });
  for (const again of [
    { name: "WWW", type: "AAAA", content: "2001:0DB8:0:0::1" },
    { name: "@", type: "MX", content: "MX.example.com", priority: 20 },
    { name: "t", type: "TXT", content: '"hello " "world"' },
  ]) {
    expect((await call("POST", path, again)).status).toBe(409);
  }
});

test("a change that would equal another record is refused", async () => {
  const { call, path, add } = await withZone();
  await add({ name: "www", type: "A", content: "192.0.2.1" });
  const { id } = await add({ name: "www", type: "A", content: "192.0.2.2" });
  expect((await call("PUT", `${path}/${id}`, { name: "www", content: "192.0.2.1" })).status).toBe(409);
});

test.each([
  ["a CNAME at the apex", [], { name: "@", type: "CNAME", content: "x.test." }],
  ["a CNAME beside an A", [{ type: "A", content: "192.0.2.1" }], { type: "CNAME", content: "x.test." }],
  ["an A beside a CNAME", [{ type: "CNAME", content: "x.test." }], { type: "A", content: "192.0.2.1" }],
  ["a TXT beside a CNAME", [{ type: "CNAME", content: "x.test." }], { type: "TXT", content: "t" }],
  ["a second CNAME", [{ type: "CNAME", content: "x.test." }], { type: "CNAME", content: "y.test." }],
  ["an A beside an ALIAS", [{ type: "ALIAS", content: "x.test." }], { type: "A", content: "192.0.2.1" }],
  ["an ALIAS beside an AAAA", [{ type: "AAAA", content: "::1" }], { type: "ALIAS", content: "x.test." }],
  ["an ALIAS beside a CNAME", [{ type: "CNAME", content: "x.test." }], { type: "ALIAS", content: "y.test." }],
  [
    "an A beside a disabled CNAME",
    [{ type: "CNAME", content: "x.test.", disabled: true }],
    { type: "A", content: "192.0.2.1" },
  ],
])("%s is a conflict", async (_, present, body) => {
  const { call, path, add } = await withZone();
  for (const record of present) await add({ name: "www", ...record });
  const answer = await call("POST", path, { name: "www", ...body });
  expect(answer.status).toBe(409);
  expect(answer.body["code"]).toBe("conflict");
});

test("a CNAME at the apex is refused with the type to use instead", async () => {
  const { call, path } = await withZone();
  const answer = await call("POST", path, { name: "@", type: "CNAME", content: "x.test." });
  expect(answer.body["message"]).toContain("use ALIAS, or A and AAAA");
});

test.each([
  ["an ALIAS at the apex beside MX", { name: "@", type: "ALIAS", content: "x.test." }],
  ["a CNAME at a name below one that has records", { name: "a.www", type: "CNAME", content: "x.test." }],
  ["a CNAME whose name only begins alike", { name: "ww", type: "CNAME", content: "x.test." }],
])("%s stands", async (_, body) => {
  const { call, path, add } = await withZone();
  await add({ name: "@", type: "MX", content: "mx.test.", priority: 1 });
  await add({ name: "www", type: "A", content: "192.0.2.1" });
  expect((await call("POST", path, body)).status).toBe(201);
});

test("a CNAME may be changed where it stands, but not moved beside others", async () => {
  const { call, path, add } = await withZone();
  await add({ name: "www", type: "A", content: "192.0.2.1" });
  const { id } = await add({ name: "web", type: "CNAME", content: "x.test." });
  expect((await call("PUT", `${path}/${id}`, { name: "web", content: "y.test." })).status).toBe(200);
  expect((await call("PUT", `${path}/${id}`, { name: "www", content: "y.test." })).status).toBe(409);
});

test("rules hold per zone only", async () => {
  const { make, add } = await withZone();
  const other = await make("/v2026/dns/zones", { name: "other.test" });
  await add({ name: "www", type: "A", content: "192.0.2.1" });
  const made = await make(`/v2026/dns/zones/${other.id}/records`, { name: "www", type: "CNAME", content: "x.test." });
  expect(made["type"]).toBe("CNAME");
});

test.each(["www", "@", "*", "*.a", "_dmarc", "_sip._tcp", "a-b.c", "0", "xn--mnchen-3ya", "x".repeat(63), "0/26"])(
  "the name %s is valid",
  async (name) => {
    const { add } = await withZone();
    expect((await add({ name, type: "TXT", content: "t" }))["name"]).toBe(name);
  },
);

test.each(
  [
    ["", ".", "www.", "-a", "a-", "a..b", "a.*", "a*", "*a"],
    ["a b", "ü", "a@b", "@.a", "x".repeat(64), `${"a.".repeat(121)}a`],
  ].flat(),
)("the name %j is refused", async (name) => {
  const { call, path } = await withZone();
  const answer = await call("POST", path, { name, type: "TXT", content: "t" });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors)).toEqual(["name"]);
});

test.each([29, 604_801, 60.5, "60", null])("the TTL %j is refused", async (ttl) => {
  const { call, path } = await withZone();
  const answer = await call("POST", path, { name: "www", type: "A", content: "192.0.2.1", ttl });
  expect(Object.keys(answer.errors)).toEqual(["ttl"]);
});

test.each([
  [{ type: "MX", content: "mx.test." }, "is required"],
  [{ type: "SRV", content: "5 5060 sip.test." }, "is required"],
  [{ type: "A", content: "192.0.2.1", priority: 5 }, "must be null"],
  [{ type: "MX", content: ".", priority: 10 }, "null MX"],
  [{ type: "MX", content: "mx.test.", priority: 65_536 }, "at most 65535"],
])("the priority of %j is refused", async (body, text) => {
  const { call, path } = await withZone();
  const answer = await call("POST", path, { name: "p", ...body });
  expect(Object.keys(answer.errors)).toEqual(["priority"]);
  expect(answer.errors["priority"]?.[0]).toContain(text);
});

test("the DS of a zone is refused in the zone itself, and taken for a child", async () => {
  const { call, path, add } = await withZone();
  const ds = { type: "DS", content: `1 13 2 ${"ab".repeat(32)}` };
  expect(Object.keys((await call("POST", path, { name: "@", ...ds })).errors)).toEqual(["name"]);
  expect((await add({ name: "child", ...ds }))["type"]).toBe("DS");
});

test("every invalid field of a record is named at once", async () => {
  const { call, path } = await withZone();
  const answer = await call("POST", path, {
    name: "-",
    type: "A",
    content: "nowhere",
    ttl: 1,
    priority: 3,
    disabled: "no",
  });
  expect(Object.keys(answer.errors).sort()).toEqual(["content", "disabled", "name", "priority", "ttl"]);
});

test("a zone with records of its owner stays; without them it goes with its own", async () => {
  const { call, path, zone, add } = await withZone();
  const { id } = await add({ name: "www", type: "A", content: "192.0.2.1" });
  expect((await call("DELETE", zone)).status).toBe(409);
  await call("DELETE", `${path}/${id}`);
  expect((await call("DELETE", zone)).status).toBe(204);
  expect((await call("GET", path)).status).toBe(404);
});

test("a record is found only in its own zone", async () => {
  const { call, make, add } = await withZone();
  const other = await make("/v2026/dns/zones", { name: "other.test" });
  const { id } = await add({ name: "www", type: "A", content: "192.0.2.1" });
  const elsewhere = `/v2026/dns/zones/${other.id}/records/${id}`;
  expect((await call("GET", elsewhere)).status).toBe(404);
  expect((await call("DELETE", elsewhere)).status).toBe(404);
});

test("a zone is taken once", async () => {
  const { call } = await withZone();
  expect((await call("POST", "/v2026/dns/zones", { name: "EXAMPLE.com" })).status).toBe(409);
});
