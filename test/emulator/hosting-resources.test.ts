import { generateKeyPairSync, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import { apiForFile, serviceBody, type Api, type Body } from "./open-api.ts";

const openApi = apiForFile();

const password = "correct horse";

async function withService(): Promise<Api & { readonly service: { readonly service_id: string } }> {
  const api = await openApi();
  const { id } = await api.make("/v2026/services", serviceBody("example.com"));
  return { ...api, service: { service_id: id } };
}

test.each([
  ["/v2026/ftp/accounts", { username: "deploy", password }],
  ["/v2026/databases", { name: "shop", engine: "mysql" }],
  ["/v2026/database-users", { username: "shop", password }],
  ["/v2026/crons", { name: "nightly", schedule: "0 3 * * *", command: "true" }],
  ["/v2026/ssl/certificates", { domains: ["example.com"] }],
])("%s needs a service that exists", async (path, body) => {
  const { call } = await openApi();
  expect(Object.keys((await call("POST", path, body)).errors)).toEqual(["service_id"]);
  expect(Object.keys((await call("POST", path, { ...body, service_id: "svc_none" })).errors)).toEqual(["service_id"]);
});

test.each([
  ["/v2026/ftp/accounts", { username: "deploy", password }],
  ["/v2026/databases", { name: "shop", engine: "mysql" }],
  ["/v2026/database-users", { username: "shop", password }],
  ["/v2026/crons", { name: "nightly", schedule: "0 3 * * *", command: "true" }],
])("%s takes a natural key once, and keeps its service", async (path, body) => {
  const { call, make, service } = await withService();
  const other = await make("/v2026/services", serviceBody("other.test"));
  const { id } = await make(path, { ...service, ...body });
  expect((await call("POST", path, { ...service, ...body })).status).toBe(409);
  const moved = await call("PUT", `${path}/${id}`, { ...body, service_id: other.id });
  expect(moved.status).toBe(422);
  expect(Object.keys(moved.errors)).toEqual(["service_id"]);
});

test("lists are narrowed by service", async () => {
  const { call, make, service } = await withService();
  const other = await make("/v2026/services", serviceBody("other.test"));
  for (const { service_id } of [service, { service_id: other.id }]) {
    await make("/v2026/crons", { service_id, name: "nightly", schedule: "0 3 * * *", command: "true" });
  }
  const { items } = await call("GET", `/v2026/crons?service_id=${other.id}`);
  expect(items.map((item) => item["service_id"])).toEqual([other.id]);
  expect((await call("GET", "/v2026/crons")).items).toHaveLength(2);
  expect((await call("GET", "/v2026/crons?service_id=svc_none")).items).toEqual([]);
});

test("the primary FTP account can be changed but not deleted", async () => {
  const { call, service } = await withService();
  const [account] = (await call("GET", `/v2026/ftp/accounts?service_id=${service.service_id}`)).items;
  const path = `/v2026/ftp/accounts/${String(account?.["id"])}`;
  expect((await call("PUT", path, { quota_mb: 100, password })).data).toMatchObject({ quota_mb: 100, primary: true });
  expect((await call("DELETE", path)).status).toBe(409);
});

test.each([
  [{ home: "www" }, "home"],
  [{ home: "/a/../../etc" }, "home"],
  [{ permissions: ["delete"] }, "permissions.0"],
  [{ permissions: [] }, "permissions"],
  [{ quota_mb: 0 }, "quota_mb"],
  [{ username: "a b" }, "username"],
])("an FTP account with %j is refused", async (body, field) => {
  const { call, service } = await withService();
  const answer = await call("POST", "/v2026/ftp/accounts", { ...service, username: "deploy", password, ...body });
  expect(Object.keys(answer.errors)).toEqual([field]);
});

test("a database has the defaults of its engine, and goes back to them", async () => {
  const { call, make, service } = await withService();
  const { id, ...made } = await make("/v2026/databases", {
    ...service,
    name: "shop",
    engine: "postgresql",
    charset: "LATIN1",
  });
  expect(made).toMatchObject({ charset: "LATIN1", collation: "C.UTF-8", port: 5432, status: "active", size_mb: 0 });
  expect((await call("PUT", `/v2026/databases/${id}`, {})).data).toMatchObject({
    charset: "UTF8",
    engine: "postgresql",
  });
});

test("a database is held by the users that have it granted", async () => {
  const { call, make, service } = await withService();
  const database = await make("/v2026/databases", { ...service, name: "shop", engine: "mysql" });
  const grants = [{ database: "shop", privileges: "all" }];
  const user = await make("/v2026/database-users", { ...service, username: "shop", password, grants });
  expect(user).toMatchObject({ host: "localhost", grants });
  const held = await call("DELETE", `/v2026/databases/${database.id}`);
  expect(held.status).toBe(409);
  expect(held.body["message"]).toContain("shop");
  await call("PUT", `/v2026/database-users/${user.id}`, { grants: [] });
  expect((await call("DELETE", `/v2026/databases/${database.id}`)).status).toBe(204);
});

test.each([
  [[{ database: "none", privileges: "all" }], "grants.0.database"],
  [
    [
      { database: "shop", privileges: "all" },
      { database: "shop", privileges: ["SELECT"] },
    ],
    "grants.1.database",
  ],
  [[{ database: "shop", privileges: [] }], "grants.0.privileges"],
  [[{ database: "shop", privileges: "some" }], "grants.0.privileges"],
])("the grants %j are refused", async (grants, field) => {
  const { call, make, service } = await withService();
  await make("/v2026/databases", { ...service, name: "shop", engine: "mysql" });
  const answer = await call("POST", "/v2026/database-users", { ...service, username: "shop", password, grants });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors)).toContain(field);
});

test("the same database user may exist for two hosts", async () => {
  const { make, service } = await withService();
  await make("/v2026/database-users", { ...service, username: "shop", password });
  const other = await make("/v2026/database-users", { ...service, username: "shop", password, host: "10.0.0.%" });
  expect(other["host"]).toBe("10.0.0.%");
});

test("a cron is renamed unless the name is taken", async () => {
  const { call, make, service } = await withService();
  const body = { schedule: "0 3 * * *", command: "true" };
  await make("/v2026/crons", { ...service, name: "a", ...body });
  const { id } = await make("/v2026/crons", { ...service, name: "b", ...body });
  expect((await call("PUT", `/v2026/crons/${id}`, { name: "a", ...body })).status).toBe(409);
  expect((await call("PUT", `/v2026/crons/${id}`, { name: "c", ...body })).data).toMatchObject({
    name: "c",
    timezone: "UTC",
  });
  await make("/v2026/crons", { ...service, name: "b", ...body });
});

test("every invalid field of a cron is named at once", async () => {
  const { call } = await openApi();
  const body = {
    service_id: "svc_none",
    name: "",
    schedule: "@daily",
    timezone: "Mars/Base",
    email: "me",
    timeout_s: 0,
    enabled: 1,
  };
  const answer = await call("POST", "/v2026/crons", body);
  expect(answer.status).toBe(422);
  const fields = ["command", "email", "enabled", "name", "schedule", "service_id", "timeout_s", "timezone"];
  expect(Object.keys(answer.errors).sort()).toEqual(fields);
});

test("a managed certificate of own names is issued; older ones stay listed", async () => {
  const { call, make, service } = await withService();
  const body = { ...service, domains: ["www.Example.com", "example.com", "*.example.com"] };
  const first = await make("/v2026/ssl/certificates", body);
  expect(first).toMatchObject({ type: "managed", status: "issued", error: null });
  expect(Date.parse(String(first["not_after"]))).toBeGreaterThan(Date.now());
  await make("/v2026/ssl/certificates", body);
  expect((await call("GET", "/v2026/ssl/certificates")).items).toHaveLength(2);
});

test("a managed certificate of a foreign name fails, and says why", async () => {
  const { make, service } = await withService();
  const made = await make("/v2026/ssl/certificates", { ...service, domains: ["example.com", "other.test"] });
  expect(made).toMatchObject({ status: "failed", not_after: null, error: { code: "domain_not_found" } });
  expect((made["error"] as { message: string }).message).toContain("other.test");
});

const uploaded = (hosts: readonly string[]): Body => {
  const { cert, ca, key } = makeServerIdentity(hosts, Date.now(), randomBytes);
  return { type: "uploaded", domains: hosts, certificate: cert, chain: ca, private_key: key };
};

test("an uploaded certificate is kept without its key", async () => {
  const { call, make, service } = await withService();
  const body = uploaded(["example.com", "www.example.com"]);
  const made = await make("/v2026/ssl/certificates", { ...service, ...body });
  expect(made).toMatchObject({ status: "issued", certificate: body["certificate"], chain: body["chain"] });
  const { text } = await call("GET", `/v2026/ssl/certificates/${made.id}`);
  expect(text).not.toContain("PRIVATE KEY");
});

const otherKey = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ type: "pkcs8", format: "pem" });

test.each([
  ["no key", { private_key: undefined }, ["private_key"]],
  ["nothing", { private_key: undefined, certificate: undefined }, ["certificate", "private_key"]],
  ["no PEM", { certificate: "x", private_key: "y" }, ["certificate", "private_key"]],
  ["another key", { private_key: otherKey.toString() }, ["private_key"]],
  ["names that it does not cover", { domains: ["example.com", "shop.example.com"] }, ["domains"]],
])("an uploaded certificate with %s is refused", async (_, change, fields) => {
  const { call, service } = await withService();
  const answer = await call("POST", "/v2026/ssl/certificates", { ...service, ...uploaded(["example.com"]), ...change });
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors).sort()).toEqual(fields);
  expect(answer.text).not.toContain("PRIVATE KEY");
});

test("a managed certificate takes no key material", async () => {
  const { call, service } = await withService();
  const answer = await call("POST", "/v2026/ssl/certificates", {
    ...service,
    ...uploaded(["example.com"]),
    type: "managed",
  });
  expect(Object.keys(answer.errors).sort()).toEqual(["certificate", "chain", "private_key"]);
});
