import type { Holdings, Item } from "./read-account.ts";

/** What one account holds, or a manifest declares: the values of each thing by its name. Records alone have several. */
export type Things = Readonly<Record<Sort, Readonly<Record<string, readonly string[]>>>>;

/** Those of a manifest, each by its kind. */
export const sorts = ["dns_record", "mailbox", "mail_alias", "cron", "database", "certificate"] as const;
export type Sort = (typeof sorts)[number];

/** One value as text, as `mailbox info 1 GiB`. */
export type Line = `${Sort} ${string}`;

export const linesOf = (things: Things): Line[] =>
  sorts.flatMap((sort) =>
    Object.entries(things[sort]).flatMap(([name, values]) => values.map((value): Line => `${sort} ${name} ${value}`)),
  );

/** The seed of a service, beside which it has the service, the domain and the zone already. */
export function seedOf(things: Things): Readonly<Record<Sort, readonly Item[]>> {
  const items = (sort: Sort, item: (name: string, value: string) => Item) =>
    Object.entries(things[sort]).flatMap(([name, values]) => values.map((value) => item(name, value)));
  const service = "example.com";
  return {
    dns_record: items("dns_record", (name, content) => ({ zone: service, name, type: "A", content })),
    mailbox: items("mailbox", (name, quota) => ({
      address: `${name}@example.com`,
      quota_mb: Number.parseInt(quota, 10) * 1024,
    })),
    mail_alias: items("mail_alias", (name, to) => ({ address: `${name}@example.com`, destinations: [to] })),
    cron: items("cron", (name, schedule) => ({ service, name, schedule, command: "run" })),
    database: items("database", (name, engine) => ({ service, name, engine })),
    certificate: items("certificate", (name) => ({ service, domains: [name] })),
  };
}

/** Of each of the things that a service holds its line, its id and its record; without what it holds beside them. */
export interface Held {
  readonly line: Line;
  readonly id: string;
  readonly record: Item;
}

export function heldIn(holdings: Holdings): Held[] {
  const text = (value: unknown) => String(value);
  const local = ({ address }: Item) => text(address).replace("@example.com", "");
  const nameAndValue: Readonly<Record<Sort, (item: Item) => string | undefined>> = {
    dns_record: ({ name, content, managed }) => (managed === true ? undefined : `${text(name)} ${text(content)}`),
    mailbox: (item) => `${local(item)} ${Number(item["quota_mb"]) / 1024} GiB`,
    mail_alias: (item) => `${local(item)} ${text(item["destinations"])}`,
    cron: ({ name, schedule }) => `${text(name)} ${text(schedule)}`,
    database: ({ name, engine }) => `${text(name)} ${text(engine)}`,
    certificate: ({ domains, type }) => `${text(domains)} ${text(type)}`,
  };
  return sorts.flatMap((sort) =>
    (holdings[sort] ?? []).flatMap((record): Held[] => {
      const found = nameAndValue[sort](record);
      return found === undefined ? [] : [{ line: `${sort} ${found}`, id: text(record["id"]), record }];
    }),
  );
}

/** The manifest of what is wanted. `exclusive`: what it does not name is to go, where it can; else it is left alone. */
export function manifestOf(things: Things, exclusive: boolean): string {
  const [domain, one] = ["example.com", ([value]: readonly string[]) => value];
  const text = {
    version: 1,
    name: "fuzz",
    policy: { max_deletes: "100%" },
    services: { [domain]: { plan: "WEB-M", datacenter: "MAD1" } },
    domains: { [domain]: {} },
    dns: { [domain]: { exclusive, records: mapped(things.dns_record, (values) => ({ A: values })) } },
    mail: {
      [domain]: {
        exclusive,
        // oxlint-disable-next-line no-template-curly-in-string -- Hostform's own.
        mailboxes: mapped(things.mailbox, (quota) => ({ quota: one(quota), password: "${env:PW}" })),
        aliases: mapped(things.mail_alias, (to) => ({ destinations: to })),
      },
    },
    crons: {
      [domain]: { exclusive, jobs: mapped(things.cron, (schedule) => ({ schedule: one(schedule), command: "run" })) },
    },
    databases: { [domain]: { exclusive, databases: mapped(things.database, (engine) => ({ engine: one(engine) })) } },
    certificates: { [domain]: Object.keys(things.certificate).map((name) => ({ domains: [name] })) },
  };
  return JSON.stringify(text, undefined, 2);
}

/** Flags that consent to the deletion of all that is there and is not wanted. */
export const consentTo = (live: Things, wanted: Things): string[] =>
  sorts.flatMap((sort) =>
    Object.keys(live[sort])
      .filter((name) => !Object.hasOwn(wanted[sort], name) && sort !== "certificate")
      .flatMap((name) => ["--allow-delete", addressOf[sort](name)]),
  );

const addressOf: Readonly<Record<Sort, (name: string) => string>> = {
  dns_record: (name) => `dns_record/example.com/${name}/A`,
  mailbox: (name) => `mailbox/${name}@example.com`,
  mail_alias: (name) => `mail_alias/${name}@example.com`,
  cron: (name) => `cron/example.com/${name}`,
  database: (name) => `database/example.com/${name}`,
  certificate: (name) => `certificate/${name}/managed`,
};

const mapped = <Value, Result>(
  map: Readonly<Record<string, Value>>,
  change: (value: Value) => Result,
): Record<string, Result> => Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value)]));
