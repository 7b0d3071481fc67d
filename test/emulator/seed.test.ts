import { expect, test } from "vitest";
import { openApi } from "./open-api.ts";

const account = {
  service: [{ domain: "example.com", hosting: { id_service_type: "WEB-M" }, settings: { php_version: "8.1" } }],
  domain: [{ name: "example.com", service: "example.com", expires_at: "2030-01-01T00:00:00.000Z" }],
  dns_zone: [{ name: "example.com" }],
  dns_record: [
    { zone: "example.com", name: "www", type: "A", content: "192.0.2.1" },
    { zone: "example.com", name: "@", type: "MX", content: "mx.test.", priority: 10, ttl: 60, disabled: true },
  ],
  dnssec: [{ zone: "example.com", algorithm: 15 }],
  mailbox: [{ address: "Info@example.com", usage_mb: 12, password_updated_at: "2026-01-01T00:00:00.000Z" }],
  mail_alias: [{ address: "sales@example.com", destinations: ["info@example.com"], status: "pending_confirmation" }],
  mail_settings: [{ domain: "example.com", dkim: { enabled: true }, catch_all: "info@example.com" }],
  ftp_account: [{ service: "example.com", username: "deploy" }],
  database: [{ service: "example.com", name: "shop", engine: "mariadb", size_mb: 7 }],
  database_user: [{ service: "example.com", username: "shop", grants: [{ database: "shop", privileges: "all" }] }],
  cron: [{ service: "example.com", name: "nightly", schedule: "0 3 * * *", command: "true" }],
  certificate: [{ service: "example.com", domains: ["example.com"] }],
};

const lists: Readonly<Record<string, string>> = {
  service: "/v2026/services",
  domain: "/v2026/domains",
  dns_zone: "/v2026/dns/zones",
  mailbox: "/v2026/mail/accounts",
  mail_alias: "/v2026/mail/aliases",
  database: "/v2026/databases",
  database_user: "/v2026/database-users",
  cron: "/v2026/crons",
  certificate: "/v2026/ssl/certificates",
};

test("a seed is an account: names refer, defaults are filled in, read-only fields are kept", async () => {
  const { call } = await openApi({ seed: account, asyncMs: 60_000 });
  const get = async (kind: string): Promise<Record<string, unknown>> => {
    const { items } = await call("GET", lists[kind] ?? "");
    expect(items).toHaveLength(1);
    return items[0] ?? {};
  };
  const service = await get("service");
  expect(service).toMatchObject({ status: "active", settings: { php_version: "8.1", backups: true } });
  expect(await get("domain")).toMatchObject({ service_id: service["id"], expires_at: "2030-01-01T00:00:00.000Z" });
  expect(await get("mailbox")).toMatchObject({ address: "info@example.com", usage_mb: 12 });
  expect(await get("mail_alias")).toMatchObject({ status: "pending_confirmation" });
  expect(await get("database")).toMatchObject({ status: "active", size_mb: 7, collation: "utf8mb4_unicode_ci" });
  expect(await get("database_user")).toMatchObject({ service_id: service["id"], host: "localhost" });
  expect(await get("cron")).toMatchObject({ timezone: "UTC" });
  expect(await get("certificate")).toMatchObject({ status: "issued", type: "managed" });
  const zone = await get("dns_zone");
  const records = await call("GET", `/v2026/dns/zones/${String(zone["id"])}/records`);
  expect(records.items.map((record) => record["type"])).toEqual(["SOA", "NS", "NS", "A", "MX", "TXT"]);
  expect((await call("GET", `/v2026/dns/zones/${String(zone["id"])}/dnssec`)).data).toMatchObject({ algorithm: 15 });
});

test("what one service lists is a seed of another, identifiers included", async () => {
  const { call: source } = await openApi({ seed: account });
  const copied: Record<string, unknown[]> = {};
  for (const [kind, path] of Object.entries(lists)) copied[kind] = [...(await source("GET", path)).items];
  copied["ftp_account"] = [...(await source("GET", "/v2026/ftp/accounts")).items];
  const zone = String((copied["dns_zone"]?.[0] as { id?: unknown } | undefined)?.id);
  const { items } = await source("GET", `/v2026/dns/zones/${zone}/records`);
  copied["dns_record"] = items.map((item) => ({ ...item, zone_id: zone }));
  copied["mail_settings"] = [(await source("GET", "/v2026/mail/settings/example.com")).data];
  const { call: copy } = await openApi({ seed: copied });
  for (const path of [...Object.values(lists), "/v2026/ftp/accounts"]) {
    expect((await copy("GET", path)).items).toEqual(
      copied[Object.keys(lists).find((kind) => lists[kind] === path) ?? "ftp_account"],
    );
  }
  const byId = (one: Record<string, unknown>, other: Record<string, unknown>): number =>
    String(one["id"]).localeCompare(String(other["id"]));
  const copies = (await copy("GET", `/v2026/dns/zones/${zone}/records`)).items.filter(({ type }) => type !== "SOA");
  expect([...copies].sort(byId)).toEqual(items.filter(({ type }) => type !== "SOA").sort(byId));
});

test("an uploaded certificate needs no key in a seed", async () => {
  const certificate = {
    service: "a.test",
    domains: ["b.test"],
    type: "uploaded",
    certificate: "PEM",
    chain: null,
    status: "issued",
  };
  const seed = { service: [{ domain: "a.test", hosting: { id_service_type: "X" } }], certificate: [certificate] };
  const { call } = await openApi({ seed });
  expect((await call("GET", "/v2026/ssl/certificates")).items).toMatchObject([
    { type: "uploaded", certificate: "PEM", status: "issued" },
  ]);
});

test("every mistake of a seed is named by its place, and nothing is kept", async () => {
  const { call } = await openApi();
  const seed = {
    dns_zone: [{ name: "example.com" }, { name: "example.com" }, 7],
    dns_record: [
      { zone: "example.com", name: "www", type: "A", content: "nowhere", ttl: 1 },
      { zone: "other.test", name: "www", type: "A", content: "192.0.2.1" },
      { name: "www", type: "A", content: "192.0.2.1" },
    ],
    mailbox: [{ address: "a@none.test" }],
    mail_settings: [{ domain: "none.test" }],
    cron: [{ service: "none.test", name: "x", schedule: "0 3 * * *", command: "true" }],
  };
  const answer = await call("POST", "/_emulator/seed", seed);
  expect(answer.status).toBe(422);
  expect(Object.keys(answer.errors).sort()).toEqual([
    "cron.0.service",
    "dns_record.0.content",
    "dns_record.0.ttl",
    "dns_record.1.zone",
    "dns_record.2.zone",
    "dns_zone.1",
    "dns_zone.2",
    "mail_settings.0.domain",
    "mailbox.0.address",
  ]);
  expect((await call("GET", "/v2026/dns/zones")).items).toEqual([]);
});

test("two objects cannot have one identifier", async () => {
  const { call } = await openApi();
  const seed = {
    dns_zone: [
      { id: "same", name: "a.test" },
      { id: "same", name: "b.test" },
    ],
  };
  expect(Object.keys((await call("POST", "/_emulator/seed", seed)).errors)).toEqual(["dns_zone.1.id"]);
});

test.each([[[]], [{ planets: [] }], [{ service: {} }], [{ job: [] }]])("the seed %j is refused", async (seed) => {
  await expect(openApi({ seed })).rejects.toThrow("The seed was refused");
});

test("the reason for refusing a seed is one line, since a line break would be printed as \\n", async () => {
  await expect(openApi({ seed: { planets: [] } })).rejects.toThrow(/^The seed was refused: .* planets: .*$/u);
});

test("a seed can be added to a running service, over 1 MiB of it", async () => {
  const { call } = await openApi();
  const dns_zone = Array.from({ length: 2000 }, (_, index) => ({ name: `z${index}.test`, note: "x".repeat(600) }));
  const answer = await call("POST", "/_emulator/seed", { dns_zone });
  expect([answer.status, answer.data["added"]]).toEqual([201, 2000]);
  expect((await call("GET", "/v2026/dns/zones")).body["meta"]).toMatchObject({ total: 2000 });
});

test("a refused seed names wrong kinds, lists and records together, in order of place", async () => {
  const seed = { planets: [], service: [7], mailbox: {}, dns_zone: [{ name: 3 }], moons: 1, domain: [{ name: "a b" }] };
  const mistakes = [
    /planets: /u,
    /service\.0: /u,
    /mailbox: /u,
    /dns_zone\.0\.name: /u,
    /moons: /u,
    /domain\.0\.name: /u,
  ];
  const all = new RegExp(mistakes.map(({ source }) => source).join(".*"), "u");
  await expect(openApi({ seed })).rejects.toThrow(all);
});
