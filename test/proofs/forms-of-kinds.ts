import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import {
  times,
  address,
  anything,
  charset,
  collation,
  host,
  list,
  moment,
  oddText,
  orOdd,
  engine,
  schedule,
  type Json,
} from "./odd-values.ts";

/** A section of a manifest, or a resource in it. */
export type Body = Record<string, Json>;

/** How resources of a kind are drawn. */
export interface Form {
  /** The fields with values of the right form, as far as creation needs them. */
  readonly body: Body;
  /** Values for each field, right ones and wrong ones. A dot leads into a map. */
  readonly fields: Record<string, fc.Arbitrary<Json>>;
  /** Whether the key is a domain name. */
  readonly isDomain?: boolean;
  /** The resource's key; `id` is different for each. */
  readonly key?: (id: string) => fc.Arbitrary<string>;
  /** The manifest with the resource in it. */
  readonly place: (key: string, body: Body, owner: string) => Body;
}

const owners = (owner: string) => ({ services: { [owner]: { plan: "WEB-M", datacenter: "MAD1" } } });

const { cert, key: pemKey } = makeServerIdentity(["a.example"], Date.now(), randomBytes);
const other = makeServerIdentity(["b.example"], Date.now(), randomBytes);

/** Each kind but records. */
export const forms: Readonly<Record<string, Form>> = {
  service: {
    isDomain: true,
    body: { plan: "WEB-M", datacenter: "MAD1" },
    fields: {
      plan: orOdd("WEB-L"),
      datacenter: orOdd("BCN1"),
      settings: orOdd({}),
      "settings.php_version": orOdd("8.3", "8", "8.3.1", "08.10"),
      "settings.backups": orOdd(true),
      "settings.https_redirect": orOdd(true),
    },
    key: (id) => host.map((name) => `${id}.${name}`),
    place: (key, body) => ({ services: { [key]: body } }),
  },
  domain: {
    isDomain: true,
    body: {},
    fields: {
      auto_renew: orOdd(true),
      nameservers: list(host, ["ns1.a.test", "ns2.a.test"]),
      transfer_lock: orOdd(false),
      privacy: orOdd(true),
      "contacts.owner": orOdd("c1"),
      "contacts.tech": orOdd("c1"),
      contacts: orOdd({}),
      register: orOdd(true),
      transfer: orOdd({ auth_code: "x" }),
      "transfer.auth_code": orOdd("x"),
      period_years: orOdd(1),
    },
    key: (id) => host.map((name) => `${id}.${name}`),
    place: (key, body) => ({ domains: { [key]: body } }),
  },
  dns_zone: {
    isDomain: true,
    body: {},
    fields: {
      ttl: orOdd(300),
      dnssec: orOdd({ enabled: true }),
      "dnssec.algorithm": orOdd(8, 13, 14, 15, 5),
      "dnssec.enabled": orOdd(true),
    },
    key: (id) => host.map((name) => `${id}.${name}`),
    place: (key, body) => ({ dns: { [key]: body } }),
  },
  "name of a record": {
    body: { value: "text" },
    fields: { comment: orOdd("x"), disabled: orOdd(true) },
    key: (id) => fc.oneof(host, oddText).map((name) => `${id}${name}`),
    place: (key, body, owner) => ({ dns: { [owner]: { records: { [key]: { TXT: body } } } } }),
  },
  mailbox: {
    body: { password: "long enough" },
    fields: {
      password: orOdd("long enough"),
      quota: orOdd("2 GiB", "0.1 MB", "unlimited", 0, "99999999999999999999 TB"),
      sending_enabled: orOdd(false),
    },
    key: (id) => oddText.map((name) => `${id}${name}`),
    place: (key, body, owner) => ({ domains: { [owner]: {} }, mail: { [owner]: { mailboxes: { [key]: body } } } }),
  },
  mail_alias: {
    body: { destinations: ["x@y.test"] },
    fields: { destinations: list(address, ["x@y.test"]), keep_copy: orOdd(true) },
    key: (id) => oddText.map((name) => `${id}${name}`),
    place: (key, body, owner) => ({ domains: { [owner]: {} }, mail: { [owner]: { aliases: { [key]: body } } } }),
  },
  "addresses of a mail domain": {
    isDomain: true,
    body: { password: "long enough" },
    fields: {},
    key: (id) => host.map((name) => `${id}.${name}`),
    place: (key, body) => ({ domains: { [key]: {} }, mail: { [key]: { mailboxes: { info: body } } } }),
  },
  mail_settings: {
    isDomain: true,
    body: {},
    fields: {
      catch_all: fc.oneof(address, anything),
      "autoresponder.enabled": orOdd(true),
      "autoresponder.subject": orOdd("x"),
      "autoresponder.message": orOdd("x"),
      "autoresponder.starts_at": fc.oneof(moment, anything),
      "autoresponder.ends_at": fc.oneof(moment, anything),
      "dkim.enabled": orOdd(true),
    },
    key: (id) => fc.constant(`${id}.test`),
    place: (key, body) => ({ domains: { [key]: {} }, mail: { [key]: { settings: body } } }),
  },
  ftp_account: {
    body: { password: "long enough" },
    fields: {
      password: orOdd("long enough"),
      home: orOdd("/www", "www", "/a/..", "/..a", "/", "//"),
      quota: orOdd("2 GiB"),
      permissions: orOdd(["read"], ["read", "write"], ["READ"]),
      enabled: orOdd(false),
    },
    key: (id) =>
      oddText.map((name) => (/^[\w.@-]*$/u.test(name) && name.length < 30 ? `${name}${id}` : `${id}${name}`)),
    place: (key, body, owner) => ({ ...owners(owner), ftp: { [owner]: { accounts: { [key]: body } } } }),
  },
  database: {
    body: { engine: "mariadb" },
    fields: { engine: fc.oneof(engine, anything), charset, collation, "": engine },
    key: (id) => oddText.map((name) => (name.length < 30 ? `${name}${id}` : `d${id}${name}`)),
    place: (key, body, owner) => ({ ...owners(owner), databases: { [owner]: { databases: { [key]: body } } } }),
  },
  database_user: {
    body: { password: "long enough" },
    fields: {
      password: orOdd("long enough"),
      grants: orOdd(
        { shop: "all" },
        { shop: [] },
        { shop: ["SELECT"] },
        { shop: ["SEL!"] },
        { shop: ["show view", "SHOW VIEW"] },
        { shop: "ALL" },
      ),
    },
    key: (id) =>
      fc
        .tuple(
          fc.oneof(fc.constant("u"), oddText),
          fc.oneof(
            fc.constantFrom(
              "",
              "@%",
              "@10.0.0.1",
              "@10.%",
              "@::1",
              "@a b",
              "@ä",
              "@",
              `@${times(255)}`,
              `@${times(256)}`,
            ),
            oddText.map((at) => `@${at}`),
          ),
        )
        .map(([user, at]) => `${user.length < 30 ? user + id : id + user}${at}`),
    place: (key, body, owner) => ({
      ...owners(owner),
      databases: { [owner]: { databases: { shop: { engine: "mariadb" } }, users: { [key]: body } } },
    }),
  },
  cron: {
    body: { schedule: "0 3 * * *", command: "x" },
    fields: {
      schedule: fc.oneof(schedule, anything),
      command: orOdd("x"),
      enabled: orOdd(false),
      timezone: orOdd("UTC", "Europe/Madrid", "europe/madrid", "EST", "+01:00", "Mars/Base"),
      email: fc.oneof(address, anything),
      timeout_s: orOdd(60),
    },
    key: (id) => oddText.map((name) => `${id}${name}`),
    place: (key, body, owner) => ({ ...owners(owner), crons: { [owner]: { jobs: { [key]: body } } } }),
  },
  certificate: {
    body: { domains: ["a.example"] },
    fields: {
      domains: fc.oneof(
        fc.array(
          fc.oneof(
            host,
            host.map((name) => `*.${name}`),
          ),
          { minLength: 1, maxLength: 3 },
        ),
        fc.constantFrom(100, 101).map((count) => Array.from({ length: count }, (_, index) => `h${index}.test`)),
      ),
      "": fc
        .record({
          type: fc.constant("uploaded"),
          certificate: fc.constantFrom(cert, other.cert, "x", pemKey, ""),
          private_key: fc.constantFrom(pemKey, other.key, "x", cert, ""),
        })
        .map((more) => more as Json),
      chain: orOdd(cert),
    },
    place: (_, body, owner) => ({ ...owners(owner), certificates: { [owner]: [body] } }),
  },
};
