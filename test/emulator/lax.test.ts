import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EmulatorError, startEmulator } from "../../src/emulator/index.ts";
import { apiForFile, serviceBody, type Api, type Body } from "./open-api.ts";
import { folderForTest } from "../support/temporary-folder.ts";

interface Account {
  readonly service: string;
  readonly zone: string;
}

const www = { name: "www", type: "A", content: "192.0.2.1" };
const password = "correct horse battery";
const hourly = { schedule: "0 * * * *", command: "php a.php" };

/** Paths and bodies of creations that the strict service refuses the second time. */
const creations: readonly (readonly [
  kind: string,
  path: (there: Account) => string,
  body: (there: Account) => Body,
])[] = [
  ["service", () => "/v2026/services", () => serviceBody("b.example")],
  ["service with its registration", () => "/v2026/services", () => serviceBody("c.example", true)],
  ["domain", () => "/v2026/domains", () => ({ name: "b.example" })],
  ["registration", () => "/v2026/domains", () => ({ name: "b.example", register: true, period_years: 1 })],
  ["zone", () => "/v2026/dns/zones", () => ({ name: "b.example" })],
  ["record", ({ zone }) => `/v2026/dns/zones/${zone}/records`, () => www],
  ["mailbox", () => "/v2026/mail/accounts", () => ({ address: "info@a.example", password })],
  ["alias", () => "/v2026/mail/aliases", () => ({ address: "x@a.example", destinations: ["y@b.example"] })],
  ["cron", () => "/v2026/crons", ({ service }) => ({ service_id: service, name: "hourly", ...hourly })],
  ["database", () => "/v2026/databases", ({ service }) => ({ service_id: service, name: "shop", engine: "mariadb" })],
  [
    "database user",
    () => "/v2026/database-users",
    ({ service }) => ({ service_id: service, username: "shop", password, grants: [] }),
  ],
  [
    "FTP account",
    () => "/v2026/ftp/accounts",
    ({ service }) => ({ service_id: service, username: "deploy", password, home: "/" }),
  ],
];

const [strictly, laxly] = [apiForFile(), apiForFile({ lax: true })];

async function openAccount(lax: boolean): Promise<Api & Account> {
  const api = await (lax ? laxly : strictly)();
  const { id: service } = await api.make("/v2026/services", serviceBody("a.example"));
  const { id: zone } = await api.make("/v2026/dns/zones", { name: "a.example" });
  return { ...api, service, zone };
}

const listed = async ({ call }: Api, path: string, body: Body): Promise<number> => {
  const { items } = await call("GET", `${path}?per_page=100`);
  const isSame = (item: Body) => Object.keys(body).every((field) => item[field] === body[field]);
  return items.filter(isSame).length;
};

describe.each(creations)("the second %s of the same name", (_kind, pathOf, bodyOf) => {
  test.each([
    [false, 409, 1],
    [true, 201, 2],
  ])("with lax: %s is answered with %d, and there are %d", async (lax, status, count) => {
    const account = await openAccount(lax);
    const [path, body] = [pathOf(account), bodyOf(account)];
    const first = await account.make(path, body);
    const second = await account.call("POST", path, body);
    expect(second.status, second.text).toBe(status);
    expect(second.data["id"]).not.toBe(first.id);
    const { id, etag: _etag, ...shown } = first;
    const told = Object.fromEntries(Object.entries(shown).filter(([field]) => Object.hasOwn(body, field)));
    const own = path === "/v2026/services" ? { domain: first["domain"] } : told;
    const plain = Object.fromEntries(Object.entries(own).filter(([, value]) => typeof value !== "object"));
    expect(await listed(account, path, plain)).toBe(count);
    expect((await account.call("GET", `${path}/${id}`)).data["id"]).toBe(id);
  });
});

test("lax, an idempotency key still tells the second request from a repetition of the first", async () => {
  const account = await openAccount(true);
  const path = `/v2026/dns/zones/${account.zone}/records`;
  const key = { "idempotency-key": "11111111-2222-4333-8444-555555555555" };
  const [first, again] = [await account.call("POST", path, www, key), await account.call("POST", path, www, key)];
  expect(again.data["id"]).toBe(first.data["id"]);
  expect(await listed(account, path, www)).toBe(1);
});

test("lax, one object can take the name of another", async () => {
  const account = await openAccount(true);
  const { call, make, service } = account;
  await make("/v2026/crons", { service_id: service, name: "a", ...hourly });
  const { id, etag: _etag, ...other } = await make("/v2026/crons", { service_id: service, name: "b", ...hourly });
  expect((await call("PUT", `/v2026/crons/${id}`, { ...other, name: "a" })).status).toBe(200);
});

test("lax, a CNAME stands alone nevertheless, also at the name of records that are the same", async () => {
  const { call, make, zone } = await openAccount(true);
  const path = `/v2026/dns/zones/${zone}/records`;
  const alias = { name: "alias", type: "CNAME", content: "b.example." };
  await make(path, alias);
  expect((await call("POST", path, alias)).status).toBe(409);
  expect((await call("POST", path, { ...www, name: "alias" })).status).toBe(409);
  await make(path, www);
  const { id } = await make(path, www);
  expect((await call("PUT", `${path}/${id}`, { ...www, type: "CNAME", content: "b.example." })).status).not.toBe(200);
  expect((await call("PUT", `${path}/${id}`, { ...www, ttl: 60 })).status).toBe(200);
});

test("lax, a parent that is not there is refused", async () => {
  const { call } = await openAccount(true);
  const none = { service: "svc_none", zone: "zon_none" };
  const orphans = creations
    .map(([kind, pathOf, bodyOf]) => ({ kind, path: pathOf(none), body: bodyOf(none) }))
    .filter(({ path, body }) => path.includes("zon_none") || body["service_id"] !== undefined);
  expect(orphans).toHaveLength(5);
  for (const { kind, path, body } of orphans)
    expect([404, 422], kind).toContain((await call("POST", path, body)).status);
});

test("lax, mail lives on while one of two domains of its name is there, and no longer", async () => {
  const { call, make } = await openAccount(true);
  const [first, second] = [
    await make("/v2026/domains", { name: "b.example" }),
    await make("/v2026/domains", { name: "b.example" }),
  ];
  await make("/v2026/mail/accounts", { address: "info@b.example", password });
  expect((await call("DELETE", `/v2026/domains/${first.id}`)).status).toBe(204);
  expect((await call("GET", "/v2026/mail/settings/b.example")).status).toBe(200);
  expect((await call("DELETE", `/v2026/domains/${second.id}`)).status).toBe(409);
});

test("lax, of two databases of one name that is granted, one can go", async () => {
  const { call, make, service } = await openAccount(true);
  const shop = { service_id: service, name: "shop", engine: "mariadb" };
  const [first, second] = [await make("/v2026/databases", shop), await make("/v2026/databases", shop)];
  const grants = [{ database: "shop", privileges: "all" }];
  await make("/v2026/database-users", { service_id: service, username: "shop", password, grants });
  expect((await call("DELETE", `/v2026/databases/${first.id}`)).status).toBe(204);
  expect((await call("DELETE", `/v2026/databases/${second.id}`)).status).toBe(409);
});

test("lax, a seed may name one thing twice", async () => {
  const { call, zone } = await openAccount(true);
  const seed = { dns_record: [www, www].map((record) => ({ ...record, zone: "a.example", ttl: 3600 })) };
  expect((await call("POST", "/_emulator/seed", seed)).status).toBe(201);
  expect(
    (await call("GET", `/v2026/dns/zones/${zone}/records`)).items.filter(({ name }) => name === "www"),
  ).toHaveLength(2);
});

test.each([true, false])("a data file made with lax: %s is served so again, and refused otherwise", async (lax) => {
  const folder = folderForTest();
  const dataFile = join(folder, "data.db");
  const start = (how: boolean) => startEmulator({ dataFile, lax: how }, { now: Date.now, random: randomBytes });
  await (await start(lax)).close();
  await (await start(lax)).close();
  const refused: unknown = await start(!lax).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(EmulatorError);
  const { message, hint } = refused as EmulatorError;
  expect(message).toContain(`was made ${lax ? "with" : "without"} --lax`);
  expect(hint).toContain(`${lax ? "with" : "without"} --lax`);
  await (await start(lax)).close();
});
