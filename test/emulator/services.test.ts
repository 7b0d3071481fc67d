import { expect, test } from "vitest";
import { apiForFile, serviceBody } from "./open-api.ts";

const openApi = apiForFile();

test("creating a service answers exactly the record of the vendor's document", async () => {
  const { call } = await openApi();
  const { status, body, data } = await call("POST", "/v2026/services", serviceBody("Example.COM"));
  expect(status).toBe(201);
  expect(Object.keys(body).sort()).toEqual(["data", "message"]);
  expect(Object.keys(data).sort()).toEqual(["created_at", "domain", "id", "status", "type"]);
  expect(data).toMatchObject({ type: "hosting", domain: "example.com", status: "active" });
  expect(data["created_at"]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
});

test("a service is read with its plan, data centre, settings and resources", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const { data } = await call("GET", `/v2026/services/${id}`);
  expect(data).toMatchObject({
    id,
    hosting: { id_service_type: "WEB-M" },
    datacenter: "MAD1",
    settings: { php_version: "8.3", https_redirect: true, backups: true },
    resources: { disk_used_mb: 0 },
  });
});

test("a service brings its primary FTP account, and neither a domain nor a zone", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const { items } = await call("GET", `/v2026/ftp/accounts?service_id=${id}`);
  expect(items).toMatchObject([{ primary: true, username: "example_com", service_id: id }]);
  expect((await call("GET", "/v2026/domains")).items).toEqual([]);
  expect((await call("GET", "/v2026/dns/zones")).items).toEqual([]);
});

test("a service with domain.register brings the registered domain", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com", true));
  const { items } = await call("GET", "/v2026/domains");
  expect(items).toMatchObject([{ name: "example.com", service_id: id, status: "active" }]);
  expect(items[0]?.["expires_at"]).toMatch(/Z$/);
});

test("a service whose domain is to be registered but is taken leaves nothing behind", async () => {
  const { call, make } = await openApi();
  await make("/v2026/domains", { name: "example.com" });
  const refused = await call("POST", "/v2026/services", serviceBody("example.com", true));
  expect(refused.status).toBe(409);
  expect((await call("GET", "/v2026/services")).items).toEqual([]);
  expect((await call("GET", "/v2026/ftp/accounts")).items).toEqual([]);
});

test("two primary accounts whose names would be equal get different names", async () => {
  const { call, make } = await openApi();
  await make("/v2026/services", serviceBody("a-b.test"));
  await make("/v2026/services", serviceBody("a.b.test"));
  await make("/v2026/services", serviceBody("a_b.test"));
  const names = (await call("GET", "/v2026/ftp/accounts")).items.map((account) => account["username"]);
  expect(names).toEqual(["a-b_test", "a_b_test", "a_b_test_2"]);
});

test("the domain of a service is taken once", async () => {
  const { call, make } = await openApi();
  await make("/v2026/services", serviceBody("example.com"));
  const again = await call("POST", "/v2026/services", serviceBody("EXAMPLE.com"));
  expect(again.status).toBe(409);
  expect(again.body["code"]).toBe("conflict");
});

test("a PUT changes the plan and puts omitted settings back to their defaults", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const path = `/v2026/services/${id}`;
  await call("PUT", path, { hosting: { id_service_type: "WEB-L" }, settings: { php_version: "8.4", backups: false } });
  expect((await call("GET", path)).data).toMatchObject({
    hosting: { id_service_type: "WEB-L" },
    settings: { php_version: "8.4", https_redirect: true, backups: false },
  });
  await call("PUT", path, { hosting: { id_service_type: "WEB-L" } });
  expect((await call("GET", path)).data["settings"]).toEqual({
    php_version: "8.3",
    https_redirect: true,
    backups: true,
  });
});

test("the raw record can be sent back as it was read", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const path = `/v2026/services/${id}`;
  const { data } = await call("GET", path);
  const answer = await call("PUT", path, data, { "if-match": String(data["etag"]) });
  expect(answer.status).toBe(200);
  expect(answer.data).toEqual(data);
});

test("immutable fields of a service are named when a PUT would change them", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  const body = { hosting: { id_service_type: "WEB-M" }, type: "vps", domain: "other.test", datacenter: "BCN1" };
  const answer = await call("PUT", `/v2026/services/${id}`, body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors).sort()).toEqual(["datacenter", "domain", "type"]);
  expect(answer.errors["datacenter"]?.[0]).toContain('"MAD1"');
});

test.each([
  ["/v2026/domains", { name: "attached.test" }],
  ["/v2026/ftp/accounts", { username: "deploy", password: "12345678" }],
  ["/v2026/databases", { name: "shop", engine: "mysql" }],
  ["/v2026/database-users", { username: "shop", password: "12345678" }],
  ["/v2026/crons", { name: "nightly", schedule: "0 3 * * *", command: "true" }],
  ["/v2026/ssl/certificates", { domains: ["example.com"] }],
])("a service is held by what %s has of it", async (path, body) => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  await make(path, { service_id: id, ...body });
  const answer = await call("DELETE", `/v2026/services/${id}`);
  expect(answer.status).toBe(409);
  expect((await call("GET", `/v2026/services/${id}`)).status).toBe(200);
});

test("a service is held by mail of its domain, unless that is a domain of the account as well", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  await make("/v2026/mail/accounts", { address: "info@example.com", password: "12345678" });
  expect((await call("DELETE", `/v2026/services/${id}`)).status).toBe(409);
  await make("/v2026/domains", { name: "example.com" });
  expect((await call("DELETE", `/v2026/services/${id}`)).status).toBe(204);
  expect((await call("GET", "/v2026/mail/settings/example.com")).status).toBe(200);
});

test("a deleted service takes its primary FTP account and its mail settings along", async () => {
  const { call, make } = await openApi();
  const { id } = await make("/v2026/services", serviceBody("example.com"));
  expect((await call("GET", "/v2026/mail/settings/example.com")).status).toBe(200);
  expect((await call("DELETE", `/v2026/services/${id}`)).status).toBe(204);
  expect((await call("GET", "/v2026/ftp/accounts")).items).toEqual([]);
  expect((await call("GET", "/v2026/mail/settings/example.com")).status).toBe(404);
});
