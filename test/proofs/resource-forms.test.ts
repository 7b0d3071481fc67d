import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readDesired } from "../../src/manifest/desired.ts";
import { parseManifest } from "../../src/manifest/load.ts";
import { makeServerIdentity } from "../../src/emulator/tls/certificate.ts";
import { openAccount, type Account } from "../support/account.ts";
import { runInProcess } from "../support/in-process.ts";
import { eventsOf } from "../support/run-hostform.ts";
import { size } from "./size.ts";

/**
 * The form of every field and key of every kind but records, whose contents have forms of their own: a resource that the service refuses
 * with 400 or 422 is refused by `validate` before it, with a place. All resources that `validate` takes are applied at once to an empty
 * account.
 */
let account: Account;
beforeAll(async () => {
  account = await openAccount();
});
afterAll(() => account.close());

type Json = unknown;
type Body = Record<string, Json>;
interface Form {
  /** The fields with values of the right form, as far as creation needs them. */
  readonly body: Body;
  /** Values for each field, right ones and wrong ones. A dot leads into a map. */
  readonly fields: Record<string, fc.Arbitrary<Json>>;
  /** The resource's key; `id` is different for each. */
  /** Whether the key is a domain name. */
  readonly isDomain?: boolean;
  readonly key?: (id: string) => fc.Arbitrary<string>;
  /** The manifest with the resource in it. */
  readonly place: (key: string, body: Body, owner: string) => Body;
}

const a = (count: number, letter = "a") => letter.repeat(count);
const odd = fc.oneof(
  fc.constantFrom(
    "",
    " ",
    "x",
    "_x",
    "x_",
    "-x",
    "x-",
    ".x",
    "x.",
    "x..y",
    "a/b",
    "../x",
    "/a/../b",
    "ä",
    "é x",
    "\u0000",
    "\u0007",
    "\n",
    "x\ny",
    "0",
    "1.5",
    "8.3",
    "8.3.1",
    "%",
    "*",
    "a b",
    "a@b",
    "a,b",
    "latin1",
    "LATIN1",
    "UTF8",
    "utf8mb4",
    "C",
    "en_US.UTF-8",
  ),
  fc
    .constantFrom(63, 64, 65, 72, 73, 254, 255, 256, 500, 501, 1024, 1025, 4096, 4097, 10_000, 10_001)
    .map((count) => a(count)),
  fc.constantFrom(36, 37, 64, 65).map((count) => a(count, "ä")),
  fc.string({ maxLength: 12 }),
);
const numbers = fc.oneof(fc.constantFrom(-1, 0, 1, 10, 11, 30, 86_400, 86_401, 604_800, 1e15, 1.5), fc.integer());
const anything = fc.oneof(odd, numbers, fc.boolean(), fc.constant(null), fc.constant([]), fc.constant({}));
const orOdd = (...right: Json[]) => fc.oneof(fc.constantFrom(...right), anything);
const host = fc.oneof(
  fc.constantFrom(
    "ns1.host.test",
    "NS2.Host.test.",
    "a_b.test",
    "_a.test",
    "a-.test",
    "-a.test",
    "a.1",
    "a.b1",
    "a.b-c",
    "192.0.2.1",
    "a/b.test",
    "ä.test",
    "xn--a.test",
    `${a(63)}.test`,
    `${a(64)}.test`,
    `${`${a(60)}.`.repeat(4)}test`,
    `${`${a(62)}.`.repeat(4)}test`,
    "a.t",
    "a.t_t",
    "a.test-",
  ),
  odd,
);
const address = fc
  .tuple(
    fc.oneof(fc.constantFrom("info", "a.b", "a+b", ".a", "a.", "a..b", "A'b", a(64), a(65), "ä", "a b", '"a"'), odd),
    host,
  )
  .map(([local, at]) => `${local}@${at}`);
const list = (items: fc.Arbitrary<Json>, right: Json) =>
  fc.oneof(fc.constant(right), fc.array(items, { maxLength: 4 }), anything);
const moment = fc.constantFrom(
  "2026-01-01T00:00:00Z",
  "2026-02-30T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T25:00:00Z",
  "2026-01-01T00:00:60Z",
  "2026-12-31T23:59:60Z",
  "2026-01-01T00:00:00+25:00",
  "2026-01-01T00:00:00.5+02:00",
  "0000-01-01T00:00:00Z",
  "2026-00-10T00:00:00Z",
  "2026-04-31T10:00:00-03:00",
);
const cronField = fc.constantFrom(
  "*",
  "0",
  "1-5",
  "5-1",
  "*/5",
  "60",
  "7",
  "L",
  "W",
  "15W",
  "mon",
  "jan",
  "jan-mar",
  "sun-mon",
  "mon#1",
  "?",
  "1,2",
  "1,,2",
  "*/0",
  "*/100",
  "1/2",
  "1-5/2",
  "+1",
  "-1",
  "01",
  "5L",
  "H",
  "31",
);
const schedule = fc.oneof(
  fc.tuple(cronField, cronField, cronField, cronField, cronField).map((fields) => fields.join(" ")),
  fc.constantFrom("@daily", "@reboot", "@hourly", "0 3 * *", "0 0 3 * * *", "0 0 30 2 *", "0  3 * * *"),
);

const owners = (owner: string) => ({ services: { [owner]: { plan: "WEB-M", datacenter: "MAD1" } } });
const own = fc.constantFrom("mysql", "mariadb", "postgresql");
const charset = fc.oneof(
  fc.constantFrom(
    "utf8mb4",
    "UTF8MB4",
    "utf8",
    "UTF8",
    "utf-8",
    "latin1",
    "LATIN1",
    "latin9",
    "SQL_ASCII",
    "ascii",
    "binary",
    "cp1252",
    "win1252",
    "utf16",
  ),
  odd,
);
const collation = fc.oneof(
  fc.constantFrom(
    "utf8mb4_unicode_ci",
    "utf8mb4_bin",
    "latin1_swedish_ci",
    "C",
    "POSIX",
    "C.UTF-8",
    "c.utf-8",
    "en_US.UTF-8",
    "es-ES-x-icu",
    "binary",
    "LATIN1",
    "UTF8",
    "ucs_basic",
  ),
  odd,
);

const { cert, key: pemKey } = makeServerIdentity(["a.example"], Date.now(), randomBytes);
const other = makeServerIdentity(["b.example"], Date.now(), randomBytes);

const forms: Readonly<Record<string, Form>> = {
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
    key: (id) => fc.oneof(host, odd).map((name) => `${id}${name}`),
    place: (key, body, owner) => ({ dns: { [owner]: { records: { [key]: { TXT: body } } } } }),
  },
  mailbox: {
    body: { password: "long enough" },
    fields: {
      password: orOdd("long enough"),
      quota: orOdd("2 GiB", "0.1 MB", "unlimited", 0, "99999999999999999999 TB"),
      sending_enabled: orOdd(false),
    },
    key: (id) => odd.map((name) => `${id}${name}`),
    place: (key, body, owner) => ({ domains: { [owner]: {} }, mail: { [owner]: { mailboxes: { [key]: body } } } }),
  },
  mail_alias: {
    body: { destinations: ["x@y.test"] },
    fields: { destinations: list(address, ["x@y.test"]), keep_copy: orOdd(true) },
    key: (id) => odd.map((name) => `${id}${name}`),
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
    key: (id) => odd.map((name) => (/^[\w.@-]*$/u.test(name) && name.length < 30 ? `${name}${id}` : `${id}${name}`)),
    place: (key, body, owner) => ({ ...owners(owner), ftp: { [owner]: { accounts: { [key]: body } } } }),
  },
  database: {
    body: { engine: "mariadb" },
    fields: { engine: fc.oneof(own, anything), charset, collation, "": own },
    key: (id) => odd.map((name) => (name.length < 30 ? `${name}${id}` : `d${id}${name}`)),
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
          fc.oneof(fc.constant("u"), odd),
          fc.oneof(
            fc.constantFrom("", "@%", "@10.0.0.1", "@10.%", "@::1", "@a b", "@ä", "@", `@${a(255)}`, `@${a(256)}`),
            odd.map((at) => `@${at}`),
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
    key: (id) => odd.map((name) => `${id}${name}`),
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

interface Drawn {
  readonly key: string;
  readonly body: Body;
}

const isDomainName = (key: string) => /^r\d+x\d+\.test$/u.test(key);

let last = 0;
const perRun = 40;

/** Draws a resource with its key or up to two fields of any form. */
function drawn(form: Form): fc.Arbitrary<(id: string) => fc.Arbitrary<Drawn>> {
  return fc.constant((id: string) => {
    const right = { key: fc.constant(form.isDomain === true ? `${id}.test` : `k${id}`), body: fc.constant(form.body) };
    const withKey = form.key ? [fc.record({ ...right, key: form.key(id) })] : [];
    const withFields = Object.entries(form.fields).map(([path, values]) =>
      fc.record({ ...right, body: values.map((value) => setField(form.body, path, value)) }),
    );
    return fc.oneof(...withKey, ...withFields);
  });
}

function setField(body: Body, path: string, value: Json): Body {
  if (path === "") return typeof value === "object" ? { ...body, ...value } : { ...body, engine: value };
  const [first = "", second] = path.split(".");
  return { ...body, [first]: second === undefined ? value : { [second]: value } };
}

/** Returns the mistakes that `validate` finds, each with a place. */
function mistakes(manifest: Body) {
  const text = JSON.stringify({ version: 1, name: "forms", ...manifest });
  const { tree, diagnostics } = parseManifest([{ file: "forms.yaml", text }]);
  const read = tree ? readDesired(tree, () => ({ missing: "unset" })).diagnostics : [];
  return [...diagnostics, ...read].filter(({ severity }) => severity === "error");
}

test.each(Object.entries(forms))(
  "%s: a form that the service refuses is refused by validate, with a place",
  async (_, form) => {
    await fc.assert(
      fc.asyncProperty(
        drawn(form).chain((draw) => {
          last += 1;
          return fc.tuple(...Array.from({ length: perRun }, (_unused, index) => draw(`r${last}x${index}`)));
        }),
        async (all) => {
          const owner = `o${(last += 1)}.test`;
          const taken = all.filter(({ key, body }) => {
            const found = mistakes(form.place(key, body, owner));
            for (const { at, summary } of found) expect(at, summary).toBeDefined();
            return found.length === 0;
          });
          for (const group of form.key ? [taken] : taken.map((each) => [each])) await holds(form, group, owner);
        },
      ),
      { numRuns: size.resourceForms, endOnFailure: true },
    );
  },
);

async function holds(form: Form, group: readonly Drawn[], owner: string): Promise<void> {
  const manifest = group.reduce<Body>((merged, { key, body }) => merge(merged, form.place(key, body, owner)), {});
  const name = `forms-${(last += 1)}`;
  const file = account.write(`${name}.yaml`, JSON.stringify({ version: 1, name, ...manifest }));
  const bought = group.flatMap(({ key }) => (isDomainName(key) ? [`domain/${key}`, `service/${key}`] : []));
  const consents = bought.flatMap((address) => ["--allow-purchase", address]);
  const before = (await account.operations()).length;
  const ran = await runInProcess(account, [
    "apply",
    "-f",
    file,
    "--auto-approve",
    "--settle",
    "0",
    "--json",
    ...consents,
  ]);
  const refused = (await account.operations()).slice(before).filter(({ status }) => status === 400 || status === 422);
  const told = eventsOf(ran).filter((event) => "failure" in event || event["severity"] === "error");
  expect([0, 5, 7, 8], JSON.stringify(told).slice(0, 3000)).toContain(ran.status);
  expect(refused, JSON.stringify(told).slice(0, 3000)).toEqual([]);
}

function merge(left: Body, right: Body): Body {
  const both = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const there = both[name];
    const isMap = (each: unknown): each is Body => typeof each === "object" && each !== null && !Array.isArray(each);
    both[name] = isMap(there) && isMap(value) ? merge(there, value) : value;
  }
  return both;
}
