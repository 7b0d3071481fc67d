import fc from "fast-check";
import type { Rule } from "../../src/emulator/faults/rule.ts";

/** What one account holds, or a manifest declares: the value of each thing by its name. */
export interface Things {
  readonly records: Readonly<Record<string, readonly string[]>>;
  readonly mailboxes: Readonly<Record<string, string>>;
  readonly aliases: Readonly<Record<string, string>>;
  readonly crons: Readonly<Record<string, string>>;
  readonly databases: Readonly<Record<string, string>>;
}

/** What is there, what is to be there, and what goes wrong meanwhile. */
export interface Trial {
  readonly live: Things;
  readonly wanted: Things;
  readonly faults: readonly Rule[];
}

const someOf = <Value>(names: readonly string[], value: fc.Arbitrary<Value>) =>
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });

const things: fc.Arbitrary<Things> = fc.record({
  records: someOf(
    ["@", "www", "api", "ftp"],
    fc.uniqueArray(fc.constantFrom("192.0.2.1", "192.0.2.2", "192.0.2.3"), { minLength: 1 }),
  ),
  mailboxes: someOf(["info", "sales"], fc.constantFrom("1 GiB", "2 GiB")),
  aliases: someOf(["jobs", "press"], fc.constantFrom("a@example.net", "b@example.net")),
  crons: someOf(["nightly", "hourly", "weekly"], fc.constantFrom("0 1 * * *", "0 2 * * *")),
  databases: someOf(["shop", "blog"], fc.constant("mariadb")),
});

const anyRequest: fc.Arbitrary<Rule["fault"]> = fc.constantFrom(
  { status: 429, retry_after: 2 },
  { status: 500 },
  { status: 503 },
  { status: 502, committed: true },
  { delay_ms: 5 },
  { reset: "before" },
  { reset: "after" },
  { truncate: 20 },
  { malformed_json: true },
  { error_in_200: true },
);

const lists: fc.Arbitrary<Rule["fault"]> = fc.constantFrom({ duplicate_page: true }, { shift_page: true });

const writes: fc.Arbitrary<Rule["fault"]> = fc.constantFrom({ stale_reads_ms: 3000 }, { new_id_on_update: true });

/** A rule for a fault, that befalls some requests among the first ones. */
const ruleOf = (matches: readonly Rule["match"][], fault: fc.Arbitrary<Rule["fault"]>, most: number) =>
  fc.record({
    match: fc.constantFrom(...matches),
    after: fc.nat(most),
    count: fc.integer({ min: 1, max: 8 }),
    probability: fc.constantFrom(0.2, 0.5, 1),
    seed: fc.nat(1000),
    fault,
  });

const rule: fc.Arbitrary<Rule> = fc.oneof(
  { arbitrary: ruleOf([{ method: "POST" }, { method: "PUT" }], anyRequest, 2), weight: 3 },
  { arbitrary: ruleOf([{}], anyRequest, 20), weight: 2 },
  { arbitrary: ruleOf([{}], lists, 12), weight: 1 },
  { arbitrary: ruleOf([{}], writes, 2), weight: 1 },
);

export const trial: fc.Arbitrary<Trial> = fc.record({
  live: things,
  wanted: things,
  faults: fc.array(rule, { minLength: 1, maxLength: 5 }),
});

/** The manifest of what is wanted: what it does not name is left alone. */
export function manifestOf({ records, mailboxes, aliases, crons, databases }: Things): string {
  const text = {
    version: 1,
    name: "fuzz",
    services: { "example.com": { plan: "WEB-M", datacenter: "MAD1" } },
    domains: { "example.com": {} },
    dns: { "example.com": { records: mapped(records, (values) => ({ A: values })) } },
    mail: {
      "example.com": {
        // oxlint-disable-next-line no-template-curly-in-string -- Hostform's own.
        mailboxes: mapped(mailboxes, (quota) => ({ quota, password: "${env:PW}" })),
        aliases: mapped(aliases, (to) => ({ destinations: [to] })),
      },
    },
    crons: { "example.com": { jobs: mapped(crons, (schedule, name) => ({ schedule, command: `run ${name}` })) } },
    databases: { "example.com": { databases: mapped(databases, (engine) => ({ engine })) } },
  };
  return JSON.stringify(text);
}

const mapped = <Value, Result>(
  map: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)]));
