import { expect, test } from "vitest";
import { apiForFile, serviceBody } from "./open-api.ts";

const openApi = apiForFile();

const yearMs = 365 * 24 * 60 * 60 * 1000;

test("a registered domain expires after its period", async () => {
  const { make } = await openApi();
  const domain = await make("/v2026/domains", { name: "Example.com", register: true, period_years: 3 });
  expect(domain).toMatchObject({ name: "example.com", status: "active", service_id: null, auto_renew: true });
  const years = (Date.parse(String(domain["expires_at"])) - Date.now()) / yearMs;
  expect(years).toBeGreaterThan(2.99);
  expect(years).toBeLessThan(3.01);
});

test("an attached domain is active and has no end", async () => {
  const { make } = await openApi();
  expect(await make("/v2026/domains", { name: "example.com" })).toMatchObject({ status: "active", expires_at: null });
});

test("a transfer waits until the registry is done", async () => {
  const { call, make, clock } = await openApi();
  const domain = await make("/v2026/domains", { name: "example.com", transfer: true, auth_code: "secret-code" });
  expect(domain["status"]).toBe("pending");
  clock.advance(yearMs);
  const path = `/v2026/domains/${domain.id}`;
  expect((await call("GET", path)).data["status"]).toBe("pending");
  await call("POST", "/_emulator/transitions", { kind: "domain", id: domain.id, status: "active" });
  expect((await call("GET", path)).data["status"]).toBe("active");
});

test("what a domain's creation needs is never returned", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/domains", { name: "example.com", transfer: true, auth_code: "secret-code" });
  const { text, data } = await call("GET", `/v2026/domains/${id}`);
  expect(text).not.toContain("secret-code");
  expect(Object.keys(data)).not.toEqual(expect.arrayContaining(["register", "transfer", "period_years"]));
});

test.each([
  [{ transfer: true }, ["auth_code"]],
  [{ transfer: true, register: true, auth_code: "x" }, ["transfer"]],
  [{ period_years: 11, register: true }, ["period_years"]],
  [{ service_id: "svc_none" }, ["service_id"]],
  [{ nameservers: ["ns1.host.test"] }, ["nameservers"]],
  [{ nameservers: ["ns1.host.test", "NS1.host.test"] }, ["nameservers"]],
  [{ nameservers: ["ns1.host.test", "-"] }, ["nameservers.1"]],
  [{ name: "exämple.com", auto_renew: "yes" }, ["auto_renew", "name"]],
])("a domain with %j is refused, every wrong field named", async (body, fields) => {
  const { call } = await openApi();
  const answer = await call("POST", "/v2026/domains", { name: "example.com", ...body });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors).sort()).toEqual(fields);
});

test("a domain is attached to a service and detached again", async () => {
  const { call, make } = await openApi();
  const service = await make("/v2026/services", serviceBody("example.com"));
  const { id } = await make("/v2026/domains", { name: "other.test", service_id: service.id });
  expect((await call("DELETE", `/v2026/services/${service.id}`)).status).toBe(409);
  expect((await call("PUT", `/v2026/domains/${id}`, {})).data["service_id"]).toBe(null);
  expect((await call("DELETE", `/v2026/services/${service.id}`)).status).toBe(204);
});

test("name servers are a set, lower-cased", async () => {
  const { make } = await openApi();
  const nameservers = ["NS2.host.test", "ns1.host.test", "ns2.host.test"];
  expect((await make("/v2026/domains", { name: "example.com", nameservers }))["nameservers"]).toEqual([
    "ns2.host.test",
    "ns1.host.test",
  ]);
});

test("a renewal extends the registration from its end", async () => {
  const { call, make } = await openApi();
  const domain = await make("/v2026/domains", { name: "example.com", register: true });
  const renewal = await make(`/v2026/domains/${domain.id}/renewals`, { period_years: 2 });
  const expected = new Date(String(domain["expires_at"]));
  expected.setUTCFullYear(expected.getUTCFullYear() + 2);
  expect(renewal["expires_at"]).toBe(expected.toISOString());
  expect((await call("GET", `/v2026/domains/${domain.id}`)).data["expires_at"]).toBe(expected.toISOString());
});

test("a domain that is only attached cannot be renewed", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/domains", { name: "example.com" });
  expect((await call("POST", `/v2026/domains/${id}/renewals`, { period_years: 1 })).status).toBe(409);
});

test.each([{}, { period_years: 0 }, { period_years: 11 }, { period_years: "1" }])(
  "a renewal of %j is refused",
  async (body) => {
    const { call, make } = await openApi();
    const { id } = await make("/v2026/domains", { name: "example.com", register: true });
    const answer = await call("POST", `/v2026/domains/${id}/renewals`, body);
    expect(answer.status).toBe(422);
    expect(Object.keys(answer.errors)).toEqual(["period_years"]);
  },
);

test("a domain is held by its mail while no service holds that name", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/domains", { name: "example.com" });
  await make("/v2026/mail/aliases", { address: "a@example.com", destinations: ["b@other.test"] });
  expect((await call("DELETE", `/v2026/domains/${id}`)).status).toBe(409);
  await make("/v2026/services", serviceBody("example.com"));
  expect((await call("DELETE", `/v2026/domains/${id}`)).status).toBe(204);
  expect((await call("GET", "/v2026/mail/settings/example.com")).status).toBe(200);
});
