import fc from "fast-check";
import { openReader, type Item } from "../proofs/read-account.ts";
import { withoutOrder, type Json } from "../../src/model/json.ts";
import type { Account } from "./account.ts";

/** Sections of a manifest about one domain name and what may hang on it, `NAME`; `SHORT` stands for a number. */
export type Sections = Readonly<Record<string, Record<string, unknown>>>;

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const some = <T>(names: readonly string[], value: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });

const service = fc.record({
  plan: fc.constantFrom("WEB-M", "WEB-L"),
  datacenter: fc.constantFrom("MAD1", "BCN1"),
  settings: maybe(
    fc.record({
      php_version: maybe(fc.constantFrom("8.1", "8.2")),
      https_redirect: maybe(fc.boolean()),
      backups: maybe(fc.boolean()),
    }),
  ),
});

const domain = fc.record({
  service: maybe(fc.constantFrom("NAME", null)),
  auto_renew: maybe(fc.boolean()),
  privacy: maybe(fc.boolean()),
  transfer_lock: maybe(fc.boolean()),
  nameservers: maybe(fc.constantFrom(["ns1.a.test", "ns2.a.test"], ["ns1.b.test", "ns2.b.test", "ns3.b.test"])),
  contacts: maybe(fc.record({ owner: fc.constantFrom("c1", "c2"), tech: maybe(fc.constant("c3")) })),
});

const addresses = fc.uniqueArray(
  fc.record({
    value: fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3"),
    disabled: maybe(fc.boolean()),
    comment: maybe(fc.constantFrom("old", "new")),
  }),
  { minLength: 1, maxLength: 3, selector: ({ value }) => value },
);
const node = fc.oneof(
  fc.record({ A: fc.record({ ttl: maybe(fc.constantFrom(60, 300)), values: addresses }) }),
  fc.record({ CNAME: fc.constantFrom("one.test.", "two.test.") }),
  fc.record({ TXT: fc.constantFrom("one", "two"), MX: fc.constant([{ priority: 10, value: "mx.test." }]) }),
);
const zone = fc.record({
  ttl: maybe(fc.constantFrom(300, 7200)),
  records: maybe(some(["a", "b", "c"], node)),
  dnssec: maybe(fc.record({ enabled: fc.boolean() })),
});

const cron = fc.record({
  schedule: fc.constantFrom("0 3 * * *", "5 4 * * 1"),
  command: fc.constantFrom("one", "two"),
  enabled: maybe(fc.boolean()),
  timezone: maybe(fc.constantFrom("Europe/Madrid", "Europe/Paris")),
  email: maybe(fc.constantFrom("ops@a.test", null)),
  timeout_s: maybe(fc.constantFrom(60, 120)),
});

const ftp = fc.record({
  password: fc.constant("${env:PW}"),
  home: maybe(fc.constantFrom("/www", "/site")),
  quota: maybe(fc.constantFrom("1 GiB", "unlimited")),
  permissions: maybe(fc.constantFrom(["read"], ["read", "write"])),
  enabled: maybe(fc.boolean()),
});

const database = fc.oneof(
  fc.record({
    engine: fc.constantFrom("mysql", "mariadb"),
    charset: maybe(fc.constantFrom("latin1", "utf8mb4")),
    collation: maybe(fc.constant("utf8mb4_general_ci")),
  }),
  fc.record({ engine: fc.constant("postgresql") }),
);
const grants = some(["one", "two"], fc.constantFrom<unknown[]>("all", "read_only", ["SELECT", "INSERT"]));

const mailbox = fc.record({
  password: fc.constant("${env:PW}"),
  quota: maybe(fc.constantFrom("1 GiB", "unlimited")),
  sending_enabled: maybe(fc.boolean()),
});
const alias = fc.record({
  destinations: fc.constantFrom(["a@b.test"], ["a@b.test", "c@b.test"]),
  keep_copy: maybe(fc.boolean()),
});
const settings = fc.record({
  catch_all: maybe(fc.constantFrom("a@b.test", null)),
  autoresponder: maybe(fc.record({ enabled: fc.boolean(), subject: fc.constant("Away"), message: fc.constant("Bye") })),
  dkim: maybe(fc.record({ enabled: fc.boolean() })),
});

/** All that may be there at one name; what needs something else that is not drawn is left out. */
export const account: fc.Arbitrary<Sections> = fc
  .record({
    service: fc.option(service, { nil: undefined, freq: 4 }),
    domain: maybe(domain),
    zone: maybe(zone),
    crons: some(["nightly", "hourly"], cron),
    ftp: some(["deploy_SHORT"], ftp),
    databases: some(["one", "two"], database),
    users: some(["shop", "blog"], fc.record({ password: fc.constant("${env:PW}"), grants: maybe(grants) })),
    mailboxes: some(["info"], mailbox),
    aliases: some(["sales"], alias),
    settings: maybe(settings),
  })
  .map((drawn) => sectionsOf(drawn as Drawn));

interface Drawn {
  readonly service?: object;
  readonly domain?: { readonly service?: string | null };
  readonly zone?: object;
  readonly crons: object;
  readonly ftp: object;
  readonly databases: Readonly<Record<string, { readonly engine: string }>>;
  readonly users: Readonly<
    Record<string, { readonly password: string; readonly grants?: Readonly<Record<string, unknown>> }>
  >;
  readonly mailboxes: object;
  readonly aliases: object;
  readonly settings?: object;
}

function sectionsOf(drawn: Drawn): Sections {
  const users = Object.entries(drawn.users).map(([name, user]) => {
    const held = Object.entries(user.grants ?? {}).filter(([other]) => other in drawn.databases);
    return [name, user.grants ? { ...user, grants: Object.fromEntries(held) } : user] as const;
  });
  const inService = drawn.service && {
    services: { NAME: drawn.service },
    crons: { NAME: { jobs: drawn.crons } },
    ftp: { NAME: { accounts: drawn.ftp } },
    databases: { NAME: { databases: drawn.databases, users: Object.fromEntries(users) } },
  };
  const { service: attached, ...own } = drawn.domain ?? {};
  const isAttached = attached !== undefined && (attached === null || drawn.service !== undefined);
  const holdsMail = drawn.service !== undefined || drawn.domain !== undefined;
  const { mailboxes, aliases } = drawn;
  return plain({
    ...inService,
    ...(drawn.domain && { domains: { NAME: { ...own, ...(isAttached && { service: attached }) } } }),
    ...(drawn.zone && { dns: { NAME: drawn.zone } }),
    ...(holdsMail && { mail: { NAME: { mailboxes, aliases, ...(drawn.settings && { settings: drawn.settings }) } } }),
  });
}

/** Without what is undefined, and of no prototype but the plain one. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** A manifest of these sections, at names that nothing else uses. */
export const manifestText = (sections: Readonly<Record<string, object>>, number: number): string =>
  `${JSON.stringify({ version: 1, name: "drawn", ...sections }, undefined, 1)}\n`
    .replaceAll(/\bNAME\b/gu, nameOf(number))
    .replaceAll("SHORT", String(number));

export const nameOf = (number: number): string => `n${number}.example`;

/** What is live at one name, by kind and natural key: each record as the service keeps it, less what it sets by itself. */
export function liveAt(account: Account, number: number): Map<string, Item> {
  const reader = openReader(account);
  const all = reader.read();
  reader.close();
  const name = nameOf(number);
  const services = new Set((all["service"] ?? []).flatMap(({ domain, id }) => (domain === name ? [id] : [])));
  const live = new Map<string, Item>();
  for (const [kind, items] of Object.entries(all)) {
    for (const item of items) {
      if (kind === "job" || !concerns(item, name, services)) continue;
      const key = (keyFields[kind] ?? ["name"]).map((field) => String(item[field]));
      live.set([kind, ...key].join(" "), item);
    }
  }
  return live;
}

/** The natural key of each kind, where that is not its name. */
const keyFields: Readonly<Record<string, readonly string[]>> = {
  service: ["domain"],
  mail_settings: ["domain"],
  mailbox: ["address"],
  mail_alias: ["address"],
  dns_record: ["zone", "name", "type", "content"],
  dnssec: ["zone"],
  ftp_account: ["username"],
  database_user: ["username", "host"],
  certificate: ["domains", "type"],
};

const concerns = (item: Item, name: string, services: ReadonlySet<unknown>) =>
  services.has(item["service_id"]) ||
  [item["zone"], item["domain"], item["name"]].includes(name) ||
  String(item["address"]).endsWith(`@${name}`);

/** Fields that the service sets by itself, and does not set back: a zone that is made again is signed with another key. */
const passing = ["id", "etag", "serial", "created_at", "password_updated_at", "service_id", "ds_records"];

/** Returns a live state as far as it can be as it was before: no ids, no times; whether a domain is attached, not to which id. */
export const lasting = (live: ReadonlyMap<string, Item>): Record<string, unknown> =>
  Object.fromEntries(
    [...live]
      .filter(([, { type }]) => type !== "SOA")
      .map(([key, item]): [string, unknown] => [
        key,
        {
          ...Object.fromEntries(
            Object.entries(item).flatMap(([name, value]) =>
              passing.includes(name) ? [] : [[name, withoutOrder(value as Json)]],
            ),
          ),
          attached: item["service_id"] !== null && item["service_id"] !== undefined,
        },
      ])
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
