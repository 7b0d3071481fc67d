import type { JsonObject } from "../../src/model/json.ts";
import { record, service, zone, type Lists } from "./build-input.ts";

const digest = "0123456789abcdef".repeat(4);
const quoted = (text: string) => (text.match(/.{1,255}/gu) ?? []).map((chunk) => `"${chunk}"`).join(" ");

/** Records of every type, as API.md section 2 has them. */
export const contents: readonly (readonly [name: string, type: string, content: string, priority?: number])[] = [
  ["@", "A", "192.0.2.10"],
  ["@", "AAAA", "2001:db8::10"],
  ["@", "CAA", '0 issue "letsencrypt.org"'],
  ["@", "HTTPS", "1 . alpn=h2,h3 ipv6hint=2001:db8::1 port=443"],
  ["@", "MX", "mx1.host.test.", 10],
  ["@", "MX", "mx2.xn--bcher-kva.example.", 20],
  ["@", "TXT", quoted("v=spf1 mx include:_spf.example.net -all")],
  ["apex", "ALIAS", "www.example.com."],
  ["www", "CNAME", "example.com."],
  ["sub", "DS", `12345 13 2 ${digest}`],
  ["sub", "NS", "ns1.example.net."],
  ["voice", "NAPTR", '100 10 "u" "e2u+sip" "!^.*$!sip:info@example.com!" .'],
  ["10", "PTR", "host.example.com."],
  ["_sip._tcp", "SRV", "5 5060 sip.example.com.", 0],
  ["host", "SSHFP", `4 2 ${digest}`],
  ["svc", "SVCB", "1 svc.example.com. alpn=h2 port=8443"],
  ["_443._tcp", "TLSA", `3 1 1 ${digest}`],
  ["text", "TXT", '"plain words; größer and \\"quoted\\""'],
  ["long", "TXT", quoted("x".repeat(600))],
  ["sel._domainkey", "TXT", quoted(`v=DKIM1; k=rsa; p=${"MIIB".repeat(90)}`)],
  ["_web._tcp", "URI", '10 1 "https://example.com/"'],
  ["xn--bcher-kva", "A", "192.0.2.11"],
];

const object = (fields: JsonObject): JsonObject => ({ id: "x", etag: "ex", ...fields });

/** An account that holds one object of every kind, in the API's own spelling: lists by their paths. */
export const lists: Lists = {
  "/services": [{ ...service, settings: { php_version: "8.3", https_redirect: true, backups: false } }],
  "/domains": [
    object({
      name: "example.com",
      service_id: "s1",
      auto_renew: true,
      nameservers: ["ns1.host.test", "ns2.host.test"],
      transfer_lock: true,
      privacy: false,
      contacts: { owner: "c1", admin: null, tech: null, billing: null },
      status: "active",
      expires_at: "2027-01-01T00:00:00.000Z",
    }),
  ],
  "/dns/zones": [{ ...zone, ttl: 7200 }],
  "/dns/zones/z1/records": contents.map(([name, type, content, priority = null]) =>
    record(name, type, content, { priority, ttl: 7200 }),
  ),
  "/dns/zones/z1/dnssec": [{ etag: "e", enabled: true, algorithm: 13, status: "active", ds_records: [] }],
  "/mail/accounts?domain=example.com": [
    object({ address: "info@example.com", quota_mb: 2048, sending_enabled: true, status: "active", usage_mb: 0 }),
  ],
  "/mail/aliases?domain=example.com": [
    object({
      address: "sales@example.com",
      destinations: ["a@example.net", "info@example.com"],
      keep_copy: false,
      status: "active",
    }),
  ],
  "/mail/settings/example.com": [
    {
      etag: "e",
      domain: "example.com",
      catch_all: "info@example.com",
      autoresponder: { enabled: true, subject: "Away", message: "x", starts_at: "2026-01-01T00:00:00Z", ends_at: null },
      dkim: { enabled: true, selector: "sel", record: "v=DKIM1; p=x" },
      sending_limit_per_hour: 500,
    },
  ],
  "/ftp/accounts?service_id=s1": [
    object({
      service_id: "s1",
      username: "deploy",
      home: "/www",
      quota_mb: 500,
      permissions: ["read", "write"],
      enabled: true,
      primary: false,
    }),
  ],
  "/databases?service_id=s1": [
    object({ service_id: "s1", name: "shop", engine: "mariadb", charset: "utf8mb4", host: "db.host.test", port: 3306 }),
  ],
  "/database-users?service_id=s1": [
    object({
      service_id: "s1",
      username: "shop",
      host: "localhost",
      grants: [{ database: "shop", privileges: ["INSERT", "SELECT"] }],
    }),
    { ...object({ service_id: "s1", username: "none", host: "localhost", grants: [] }), id: "y" },
  ],
  "/crons?service_id=s1": [
    object({
      service_id: "s1",
      name: "nightly",
      schedule: "30 8 * 1-3 1,5",
      command: "run --host db.host.test",
      enabled: true,
      timezone: "Europe/Madrid",
      email: "ops@example.com",
      timeout_s: 60,
    }),
  ],
  "/ssl/certificates": [
    object({
      service_id: "s1",
      domains: ["*.example.com", "example.com"],
      type: "managed",
      status: "issued",
      created_at: "2025-12-01T00:00:00.000Z",
      not_after: "2026-03-01T00:00:00.000Z",
    }),
  ],
};

/** Turns what a value is into one of the ways to write it. */
export interface Respeller {
  readonly name: (name: string) => string;
  readonly recordName: (name: string) => string;
  readonly mail: (address: string) => string;
  readonly mails: (addresses: readonly string[]) => readonly string[];
  readonly names: (names: readonly string[]) => readonly string[];
  readonly words: (words: readonly string[]) => readonly string[];
  readonly content: (type: string, content: string) => string;
  readonly quota: (mib: number) => string | number;
  readonly schedule: () => string;
  readonly time: (time: string) => string;
}

/** The manifest of that account, its values written in some of the ways that mean the same. */
export const manifestOf = (spell: Respeller) => ({
  services: {
    [spell.name("example.com")]: {
      plan: "WEB-M",
      datacenter: "MAD1",
      settings: { php_version: "8.3", https_redirect: true, backups: false },
    },
  },
  domains: {
    [spell.name("example.com")]: {
      service: spell.name("example.com"),
      auto_renew: true,
      nameservers: spell.names(["ns1.host.test", "ns2.host.test"]),
      transfer_lock: true,
      privacy: false,
      contacts: { owner: "c1" },
    },
  },
  dns: {
    [spell.name("example.com")]: { ttl: 7200, dnssec: { enabled: true, algorithm: 13 }, records: recordsOf(spell) },
  },
  mail: {
    [spell.name("example.com")]: {
      mailboxes: { info: { quota: spell.quota(2048), sending_enabled: true } },
      aliases: {
        sales: { destinations: spell.mails(["a@example.net", "info@example.com"]), keep_copy: false },
      },
      settings: {
        catch_all: spell.mail("info@example.com"),
        autoresponder: { enabled: true, subject: "Away", message: "x", starts_at: spell.time("2026-01-01T00:00:00Z") },
        dkim: { enabled: true },
      },
    },
  },
  ftp: {
    "example.com": {
      accounts: {
        deploy: { home: "/www", quota: spell.quota(500), permissions: spell.words(["read", "write"]), enabled: true },
      },
    },
  },
  databases: {
    "example.com": {
      databases: { shop: { engine: "mariadb", charset: "utf8mb4" } },
      users: { shop: { grants: { shop: spell.words(["SELECT", "INSERT"]) } }, none: { grants: {} } },
    },
  },
  crons: {
    "example.com": {
      jobs: {
        nightly: {
          schedule: spell.schedule(),
          command: "run --host ${ref:database/example.com/shop.host}",
          timezone: "Europe/Madrid",
          email: "ops@example.com",
          timeout_s: 60,
        },
      },
    },
  },
  certificates: { "example.com": [{ domains: spell.names(["*.example.com", "example.com"]) }] },
});

function recordsOf(spell: Respeller): Record<string, Record<string, unknown>> {
  const records: Record<string, Record<string, unknown[]>> = {};
  const written = new Map<string, string>();
  for (const [name, type, content, priority] of contents) {
    // One spelling for each name: two would be one name declared in two blocks.
    if (!written.has(name)) written.set(name, spell.recordName(name));
    const sets = (records[written.get(name) ?? ""] ??= {});
    (sets[type] ??= []).push(itemOf(type, spell.content(type, content), priority));
  }
  for (const sets of Object.values(records)) {
    for (const type of Object.keys(sets)) sets[type]?.reverse();
  }
  return records;
}

function itemOf(type: string, content: string, priority: number | undefined): unknown {
  const words = content.split(/\s+/u);
  if (type === "MX") return { priority, value: content };
  if (type === "SRV") return { priority, weight: Number(words[0]), port: Number(words[1]), target: words[2] };
  if (type === "CAA") return { flags: Number(words[0]), tag: words[1], value: (words[2] ?? "").replaceAll('"', "") };
  return content;
}
