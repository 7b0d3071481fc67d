import fc from "fast-check";
import type { FaultRule } from "../../src/emulator/faults/rule.ts";
import { linesOf, sorts, type Sort, type Things } from "./things.ts";

/** What is there, what is to be there, and what goes wrong meanwhile. */
export interface Trial {
  readonly live: Things;
  readonly wanted: Things;
  /** Whether what is there and not wanted is to go. */
  readonly exclusive: boolean;
  /** Whether the client counts on Idempotency-Key; without it, it has to read back what it cannot know. */
  readonly idempotent: boolean;
  /** Whether the service makes a second object of one name, where others refuse it. */
  readonly lax: boolean;
  /** Requests under way at most. */
  readonly parallelism: number;
  readonly faults: readonly FaultRule[];
}

const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3", "192.0.2.4", "192.0.2.5"];
const upToOne = (...values: readonly string[]) => fc.subarray([...values], { maxLength: 1 });

/** The names there may be of each sort, and the values of one; none: it is not there. */
const drawn: Readonly<Record<Sort, readonly [names: readonly string[], values: fc.Arbitrary<string[]>]>> = {
  dns_record: [["@", "www", "api"], fc.subarray(addresses)],
  mailbox: [["info", "sales", "ann", "bob"], upToOne("1 GiB", "2 GiB")],
  mail_alias: [["jobs", "press", "help", "all"], upToOne("a@example.net", "b@example.net")],
  cron: [["nightly", "hourly", "weekly", "yearly"], upToOne("0 1 * * *", "0 2 * * *")],
  database: [["shop", "blog"], upToOne("mariadb")],
  certificate: [["example.com", "www.example.com", "api.example.com"], upToOne("managed")],
};

const things: fc.Arbitrary<Things> = fc.record({
  dns_record: thingsOf("dns_record"),
  mailbox: thingsOf("mailbox"),
  mail_alias: thingsOf("mail_alias"),
  cron: thingsOf("cron"),
  database: thingsOf("database"),
  certificate: thingsOf("certificate"),
});

function thingsOf(sort: Sort): fc.Arbitrary<Readonly<Record<string, readonly string[]>>> {
  const [names, values] = drawn[sort];
  const all = fc.tuple(...names.map((name) => values.map((some) => [name, some] as const)));
  return all.map((entries) => Object.fromEntries(entries.filter(([, some]) => some.length > 0)));
}

const withoutBody = [
  { status: 429, retry_after: 2 },
  { status: 500 },
  { status: 503 },
  { status: 502, committed: true },
  { delay_ms: 5 },
  { reset: "before" },
  { reset: "after" },
] as const;
const anyRequest = fc.constantFrom<FaultRule["fault"][]>(
  ...withoutBody,
  { truncate: 20 },
  { malformed_json: true },
  { error_in_200: true },
);

const writes: fc.Arbitrary<FaultRule["fault"]> = fc.constantFrom({ stale_reads_ms: 3000 }, { new_id_on_update: true });

/** A rule for a fault, that befalls some requests among the first ones. */
const ruleOf = (matches: readonly FaultRule["match"][], fault: fc.Arbitrary<FaultRule["fault"]>, most: number) =>
  fc.record({
    match: fc.constantFrom(...matches),
    after: fc.nat(most),
    count: fc.integer({ min: 1, max: 8 }),
    probability: fc.constantFrom(0.2, 0.5, 1),
    seed: fc.nat(1000),
    fault,
  });

/** The path of each sort's list, as rules match it. */
export const pathOf: Readonly<Record<Sort, string>> = {
  dns_record: "/v2026/dns/zones/{zone_id}/records",
  mailbox: "/v2026/mail/accounts",
  mail_alias: "/v2026/mail/aliases",
  cron: "/v2026/crons",
  database: "/v2026/databases",
  certificate: "/v2026/ssl/certificates",
};

const brokenPages: fc.Arbitrary<FaultRule["fault"]> = fc.constantFrom(
  { duplicate_page: true },
  { shift_page: true },
  { short_total: 1 },
  { status: 403 },
  { status: 500 },
  { truncate: 20 },
);

/** One list that is told wrong: from its first page or a later one on, once or for good. */
const brokenList: fc.Arbitrary<FaultRule> = fc.record({
  // Of records the most, which alone are several to an address.
  match: fc.constantFrom(...sorts, "dns_record" as const).map((sort) => ({ method: "GET", path: pathOf[sort] })),
  after: fc.nat(3),
  count: fc.constantFrom(1, 2, 100),
  fault: brokenPages,
});

/** Creations that are done, and nobody is told so. */
const lostAnswer: fc.Arbitrary<FaultRule> = fc.record({
  // Of certificates the most, of which the service makes a second one when it is asked twice.
  match: fc
    .constantFrom(...sorts, "certificate" as const, "certificate" as const)
    .map((sort) => ({ method: "POST", path: pathOf[sort] })),
  after: fc.nat(1),
  count: fc.constantFrom(1, 2, 100),
  fault: fc.constantFrom<FaultRule["fault"][]>(
    { reset: "after" },
    { status: 502, committed: true },
    { truncate: 20 },
    { malformed_json: true },
  ),
});

const rule: fc.Arbitrary<FaultRule> = fc.oneof(
  { arbitrary: ruleOf([{ method: "POST" }, { method: "PUT" }], anyRequest, 2), weight: 2 },
  { arbitrary: ruleOf([{ method: "DELETE" }], fc.constantFrom(...withoutBody), 2), weight: 1 },
  { arbitrary: ruleOf([{}], anyRequest, 20), weight: 2 },
  { arbitrary: ruleOf([{}], writes, 2), weight: 1 },
  { arbitrary: brokenList, weight: 2 },
  { arbitrary: lostAnswer, weight: 2 },
);

/** Several together, or one alone, which then meets no other on its way. */
const faults: fc.Arbitrary<readonly FaultRule[]> = fc.oneof(
  fc.array(rule, { minLength: 1, maxLength: 4 }),
  fc.oneof(brokenList, lostAnswer).map((one) => [one]),
);

export const trial: fc.Arbitrary<Trial> = fc
  .record({
    live: things,
    wanted: things,
    exclusive: fc.boolean(),
    idempotent: fc.constantFrom(false, false, true),
    lax: fc.boolean(),
    parallelism: fc.constantFrom(1, 4),
    faults,
  })
  .map((drawn) => ({ ...drawn, [fc.toStringMethod]: () => describe(drawn) }));

/** What a failure shows of a trial: a line for each thing, and for each rule. */
function describe({ live, wanted, faults, ...rest }: Trial): string {
  const block = (title: string, lines: readonly string[]) => [`${title}:`, ...lines.map((line) => `  ${line}`)];
  return [
    "",
    ...block("there", linesOf(live)),
    ...block("wanted", linesOf(wanted)),
    ...block("how", [JSON.stringify(rest)]),
    ...block(
      "faults",
      faults.map((each) => JSON.stringify(each)),
    ),
    "",
  ].join("\n");
}
