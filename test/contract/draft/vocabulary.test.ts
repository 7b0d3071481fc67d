import { describe, expect, test } from "vitest";
import { findField } from "../../../src/contract/draft/find-field.ts";
import { openSchemas } from "../../../src/contract/draft/shape.ts";
import { lists, vocabularies } from "../../../src/contract/draft/vocabulary.ts";
import { plainName, wordsOf } from "../../../src/contract/draft/words.ts";
import { sortOf } from "../../../src/contract/spelling/fits.ts";
import { kinds } from "../../../src/kinds/index.ts";
import type { Kind } from "../../../src/kinds/kind.ts";
import type { Json } from "../../../src/model/json.ts";
import { draftOf, draftPlaces, flag, listOf, parents, record, text, whole } from "./describe-api.ts";

const schemas = openSchemas({});
const camelCase = (name: string) => name.replaceAll(/_([a-z])/gu, (_, letter: string) => letter.toUpperCase());
const spellings = [(name: string) => name, camelCase, (name: string) => name.replaceAll("_", "-")];

/** Returns a schema whose values a field can have. */
function schemaFor(kind: Kind, name: string): Json {
  if (lists.has(`${kind.name}.${name}`)) return listOf(text);
  const sort = sortOf(kind, name);
  return sort === "number" ? whole : sort === "boolean" ? flag : text;
}

const entries = kinds.flatMap((kind) =>
  Object.entries(vocabularies[kind.name]?.fields ?? {}).map(([name, synonyms]) => [kind, name, synonyms] as const),
);

test("each field that an API can have has words, none of them twice", () => {
  const expected = kinds.map(({ name, fields }) => [
    name,
    Object.keys(fields).filter((field) => fields[field]?.access !== "manifest_only"),
  ]);
  const found = kinds.map(({ name }) => [name, Object.keys(vocabularies[name]?.fields ?? {})]);
  expect(sortedPairs(found)).toEqual(sortedPairs(expected));
  for (const [kind, name, synonyms] of entries) {
    expect(synonyms.length, `${kind.name}.${name}`).toBeGreaterThan(0);
    expect(new Set(synonyms.map(plainName)).size, `${kind.name}.${name}`).toBe(synonyms.length);
    for (const each of synonyms) expect(each).toMatch(/^[a-z]+(?:_[a-z]+)*$/u);
  }
});

const sortedPairs = (pairs: readonly (readonly unknown[])[]) =>
  pairs.map(([name, fields]) => `${String(name)}: ${(fields as string[]).toSorted().join(" ")}`);

test("a property with any of its words, in any case, is the place of a field", () => {
  for (const [kind, name, synonyms] of entries)
    for (const property of synonyms.flatMap((synonym) => spellings.map((spell) => spell(synonym)))) {
      const shape = schemas.shapeOf([record({ other: flag, [property]: schemaFor(kind, name) })]);
      expect(findField(schemas, kind, name, shape)?.pointer, `${kind.name}.${name}`).toBe(`/${property}`);
    }
});

test("a word that stands further to the front has precedence", () => {
  const wrong = entries.filter(([kind, name, [first = "", second = first]]) => {
    const schema = schemaFor(kind, name);
    const shape = schemas.shapeOf([record({ [second]: schema, [first]: schema })]);
    return findField(schemas, kind, name, shape)?.pointer !== `/${first}`;
  });
  expect(wrong).toEqual([]);
});

describe("records as vendors have them", () => {
  test.each([
    [
      "service", "/v1/vhosts",
      { primaryDomain: text, package: text, region: text, phpVersion: text, forceHttps: flag, backups: flag, diskLimit: whole, diskUsage: whole, bandwidth: whole, state: text, created: text },
      { domain: "/primaryDomain", plan: "/package", datacenter: "/region", "settings.php_version": "/phpVersion", "settings.https_redirect": "/forceHttps", "settings.backups": "/backups", "resources.disk_mb": "/diskLimit", "resources.disk_used_mb": "/diskUsage", "resources.bandwidth_mb": "/bandwidth", status: "/state", created_at: "/created" },
    ],
    [
      "domain", "/v1/domain-names",
      { fqdn: text, nameservers: listOf(text), is_locked: flag, renewAuto: flag, whois_privacy: flag, registrant: text, expiration_date: text },
      { name: "/fqdn", nameservers: "/nameservers", transfer_lock: "/is_locked", auto_renew: "/renewAuto", privacy: "/whois_privacy", "contacts.owner": "/registrant", expires_at: "/expiration_date" },
    ],
    [
      "dns_zone", "/hosted-zones", { origin: text, zone_ttl: whole, soa_serial: whole },
      { name: "/origin", ttl: "/zone_ttl", serial: "/soa_serial" },
    ],
    [
      "dns_record", "/dns/zones/{zone}/records",
      { id: text, host: text, record_type: text, answer: text, ttl: whole, prio: whole, note: text, is_system: flag },
      { name: "/host", type: "/record_type", content: "/answer", ttl: "/ttl", priority: "/prio", comment: "/note", managed: "/is_system" },
    ],
    [
      "mailbox", "/domains/{domain}/mailboxes",
      { id: text, email: text, storage_limit: whole, sending_enabled: flag, used_mb: whole, password_changed_at: text, state: text },
      { address: "/email", quota_mb: "/storage_limit", sending_enabled: "/sending_enabled", usage_mb: "/used_mb", password_updated_at: "/password_changed_at", status: "/state" },
    ],
    [
      "mail_alias", "/domains/{domain}/email/forwarders", { id: text, email: text, goto: listOf(text), keep_copies: flag },
      { address: "/email", destinations: "/goto", keep_copy: "/keep_copies" },
    ],
    [
      "database", "/websites/{website_id}/mysql-databases",
      { id: text, db_name: text, database_type: text, character_set: text, version: text, hostname: text, port: whole, size: whole },
      { name: "/db_name", engine: "/database_type", charset: "/character_set", version: "/version", host: "/hostname", port: "/port", size_mb: "/size" },
    ],
    [
      "cron", "/websites/{website_id}/scheduled-tasks",
      { id: text, title: text, schedule: text, interval: text, script: text, active: flag, tz: text, mail_to: text, timeout: whole },
      { name: "/title", schedule: "/schedule", command: "/script", enabled: "/active", timezone: "/tz", email: "/mail_to", timeout_s: "/timeout" },
    ],
  ] as const)("a %s of GET %s has its fields", (kind, path, properties, places) => {
    const drafted = draftPlaces(kind, path, properties);
    expect(drafted).toEqual(places);
  }); // prettier-ignore

  test("the settings of mail are an object inside of another, or stand beside each other", () => {
    const settings = record({
      dkim: record({ enabled: flag, selector: text }),
      dkim_record: text,
      hourly_limit: whole,
    });
    const { contract } = draftOf({ ...parents, "GET /domains/{domain}/mail/settings": { answer: settings } });
    const places = Object.entries(contract.kinds["mail_settings"]?.fields ?? {}).map(([name, { at }]) => [name, at]);
    expect(Object.fromEntries(places)).toEqual({
      "dkim.enabled": "/dkim/enabled",
      "dkim.selector": "/dkim/selector",
      "dkim.record": "/dkim_record",
      sending_limit_per_hour: "/hourly_limit",
    });
  });
});

test.each([
  ["service", "/websites /web-space /hosting /vhosts /virtual-hosts /services /projects /subscriptions"],
  ["domain", "/domains /domain-names /registrations /v1/domains/portfolio"],
  ["dns_zone", "/dns/zones /dns-zones /hosted-zones /zones /dns/v2/domains"],
  ["ftp_account", "/ftp /sftp/users /ftp-accounts /ssh-users"],
  ["database", "/databases /mysql-databases /postgresql/databases /db"],
  ["cron", "/crons /cronjobs /cron-tabs /scheduled-tasks /tasks"],
  ["certificate", "/ssl-certificates /certs /tls/certificates"],
])("a list of %s is known by its path: %s", (kind, paths) => {
  const all = {
    id: text, domain: text, name: text, username: text, command: text, domains: listOf(text), service_id: text,
  }; // prettier-ignore
  for (const path of paths.split(" ")) {
    const answer = listOf(record(all));
    const { contract } = draftOf({
      ...(kind !== "service" && { "GET /sites": { answer: listOf(record({ id: text, domain: text })) } }),
      [`GET ${path}`]: { answer },
    });
    expect([path, contract.base_path + (contract.kinds[kind]?.operations.list.path ?? "nothing")]).toEqual([
      path,
      path,
    ]);
  }
});

test.each([
  ["dnsZones", "dns-zone"],
  ["DNS", "dns"],
  ["HTTPS", "https"],
  ["is_tls", "is-tls"],
  ["mail_aliases", "mail-alias"],
  ["alias", "alias"],
  ["email-addresses", "email-address"],
  ["address", "address"],
  ["Status", "status"],
  ["access", "access"],
  ["mailboxes", "mailbox"],
  ["batches", "batch"],
  ["properties", "property"],
  ["sites of users", "sites-of-user"],
  ["timeout_s", "timeout-s"],
  ["--", ""],
])("the words of %s are %s", (name, found) => {
  expect(wordsOf(name)).toBe(found);
  expect(plainName(name)).toBe(found.replaceAll("-", ""));
});
