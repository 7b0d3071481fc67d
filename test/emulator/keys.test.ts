import { expect, test } from "vitest";
import { openApi, serviceBody, type Api } from "./open-api.ts";

test.each([
  ["none", undefined],
  ["a wrong one", "Bearer wrong"],
  ["another scheme", "Basic YTpi"],
  ["an empty one", "Bearer "],
])("a request with %s for a key is answered with 401", async (_, authorization) => {
  const { call } = await openApi();
  const answer = await call("GET", "/v2026/services", undefined, { authorization: authorization ?? "" });
  expect(answer.status).toBe(401);
  expect(answer.body["code"]).toBe("invalid_key");
  expect(answer.headers["www-authenticate"]).toBe("Bearer");
});

test("a request without a key is refused before anything else is checked", async () => {
  const { call } = await openApi();
  for (const [method, path] of [
    ["GET", "/v2026/none"],
    ["PATCH", "/v2026/services"],
    ["POST", "/_emulator/keys"],
  ] as const) {
    expect((await call(method, path, method === "GET" ? undefined : "{", { authorization: "Bearer x" })).status).toBe(
      401,
    );
  }
});

async function keyWith(api: Api, permissions: Record<string, string>): Promise<{ authorization: string }> {
  const { status, data } = await api.call("POST", "/_emulator/keys", { permissions });
  expect(status).toBe(201);
  return { authorization: `Bearer ${String(data["key"])}` };
}

test("a key may do what its permissions say, group by group", async () => {
  const api = await openApi();
  const key = await keyWith(api, { services: "write", dns: "read" });
  const statuses = await Promise.all([
    api.call("POST", "/v2026/services", serviceBody("example.com"), key),
    api.call("GET", "/v2026/dns/zones", undefined, key),
    api.call("POST", "/v2026/dns/zones", { name: "example.com" }, key),
    api.call("GET", "/v2026/crons", undefined, key),
    api.call("GET", "/v2026/ftp/accounts", undefined, key),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([201, 200, 403, 403, 403]);
  expect(statuses[2]?.body["code"]).toBe("forbidden");
  expect((await api.call("GET", "/v2026/dns/zones")).items).toEqual([]);
});

test("any valid key may follow a job", async () => {
  const api = await openApi();
  const key = await keyWith(api, { database: "write" });
  expect((await api.call("GET", "/v2026/jobs/job_none", undefined, key)).status).toBe(404);
});

test("only a key with all permissions may use the switches", async () => {
  const api = await openApi();
  const key = await keyWith(api, { services: "write", mail: "write" });
  for (const [method, path] of [
    ["POST", "/_emulator/keys"],
    ["POST", "/_emulator/seed"],
    ["POST", "/_emulator/transitions"],
    ["GET", "/_emulator/operations"],
  ] as const) {
    expect((await api.call(method, path, method === "GET" ? undefined : {}, key)).status).toBe(403);
  }
  const all = ["services", "mail", "ftp", "database", "dns", "dnssec", "crons", "domains", "ssl"];
  const master = await keyWith(api, Object.fromEntries(all.map((group) => [group, "write"])));
  expect((await api.call("GET", "/_emulator/operations", undefined, master)).status).toBe(200);
});

test("a key can be given in clear, and its permissions changed by giving it again", async () => {
  const { call } = await openApi();
  const first = await call("POST", "/_emulator/keys", { key: "given-key", permissions: { dns: "read" } });
  expect(first.data).toMatchObject({ key: "given-key", permissions: { dns: "read", services: "none" } });
  const addZone = async () =>
    (await call("POST", "/v2026/dns/zones", { name: "example.com" }, { authorization: "Bearer given-key" })).status;
  expect(await addZone()).toBe(403);
  const again = await call("POST", "/_emulator/keys", { key: "given-key", permissions: { dns: "write" } });
  expect(again.data["id"]).toBe(first.data["id"]);
  expect(await addZone()).toBe(201);
});

test.each([
  [{}, ["permissions"]],
  [{ permissions: { dns: "admin" } }, ["permissions.dns"]],
  [{ permissions: { planets: "read", mail: 1 } }, ["permissions.mail", "permissions.planets"]],
  [{ permissions: {}, key: "a b" }, ["key"]],
])("the key %j is refused", async (body, fields) => {
  const { call } = await openApi();
  const answer = await call("POST", "/_emulator/keys", body);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors).sort()).toEqual(fields);
});

test("the switches tell which there are, and health is open to anyone", async () => {
  const { call } = await openApi();
  const unknown = await call("GET", "/_emulator/none");
  expect(unknown.status).toBe(404);
  expect(unknown.body["message"]).toContain("faults, health, keys, operations, seed, spelling, transitions");
  expect((await call("GET", "/_emulator/keys")).headers["allow"]).toBe("POST");
  expect((await call("GET", "/_emulator/health", undefined, { authorization: "" })).data).toEqual({ status: "ok" });
});
