import fc from "fast-check";

/** Something that is there, as it is made by hand: the list that it is posted to, and its body. */
export interface Thing {
  readonly list: "records" | "aliases" | "crons";
  readonly body: Readonly<Record<string, unknown>>;
}

/** A place whose holder must go before its successor can be made. */
export interface Place {
  readonly before: readonly Thing[];
  /** What a manifest declares in its place, as YAML. */
  readonly manifest: string;
  /** Flags that consent to it. */
  readonly flags: readonly string[];
  /** The path that the successor is posted to. */
  readonly path: string;
  /** Whether something that the service holds stands in the place, of a kind. */
  readonly isIn: (kind: string, item: Readonly<Record<string, unknown>>) => boolean;
  /** The values of which each is there before and in the end. */
  readonly values?: readonly unknown[];
}

export interface Trial {
  readonly place: Place;
  readonly refusals: readonly Fault[];
  readonly deletions: readonly Fault[];
  /** The request at which Ctrl-C is pressed. */
  readonly interruptAt: number | undefined;
  readonly parallelism: number;
}

interface Fault {
  readonly fault: Readonly<Record<string, unknown>>;
  /** Requests that are answered before. */
  readonly after?: number;
  readonly count: number;
}

const recordsPath = "/v2026/dns/zones/{zone_id}/records";
const ttl = fc.constantFrom(60, 300, 3600);
const comment = fc.option(fc.constantFrom("by hand", "ticket 42 \u00fc", "x".repeat(200)), { nil: null });
const disabled = fc.constantFrom(false, false, true);

/** Members of one set, with different values. */
function rrset(name: string, type: string, contents: readonly string[], priority: number | null = null) {
  return fc
    .record({ chosen: fc.subarray([...contents], { minLength: 1 }), ttl, comment, disabled })
    .map(({ chosen, ...rest }) =>
      chosen.map((content): Thing => ({ list: "records", body: { name, type, content, priority, ...rest } })),
    );
}
const maybe = <T>(things: fc.Arbitrary<T[]>) => fc.oneof(fc.constant<T[]>([]), things);

const addresses = ["192.0.2.1", "192.0.2.2", "192.0.2.3"];
const beside = [
  maybe(rrset("www", "AAAA", ["2001:db8::1", "2001:db8::2"])),
  maybe(rrset("www", "TXT", ['"v=spf1 -all"', '"one" "two"'])),
  maybe(rrset("www", "MX", ["mx1.example.net.", "mx2.example.net."], 10)),
];

const dns = (before: readonly Thing[], declared: string): Place => ({
  before,
  manifest: `dns: { example.com: { exclusive: true, records: { www: ${declared} } } }\n`,
  flags: [...new Set(before.map(({ body }) => body["type"]))].flatMap((type) => [
    "--allow-delete",
    `dns_record/example.com/www/${String(type)}`,
  ]),
  path: recordsPath,
  isIn: (kind, { name, managed }) => kind === "dns_record" && name === "www" && managed !== true,
});

const toCname = fc
  .tuple(rrset("www", "A", addresses), ...beside)
  .map((sets) => dns(sets.flat(), "{ CNAME: example.net. }"));
const fromCname = fc
  .tuple(
    rrset("www", "CNAME", ["old.example.net."]),
    fc.constantFrom("A: 192.0.2.9", "A: [192.0.2.8, 192.0.2.9]", "AAAA: '2001:db8::9'"),
    fc.constantFrom("", ", TXT: hello", ", MX: [{ priority: 5, value: mx.example.net. }], TXT: hello"),
  )
  .map(([before, first, others]) => dns(before, `{ ${first}${others} }`));
const commentedCname = rrset("www", "CNAME", ["old.example.net."]).map((before) =>
  dns(
    before.map((thing) => ({ ...thing, body: { ...thing.body, comment: "keep me" } })),
    "{ CNAME: new.example.net. }",
  ),
);
const toAlias = fc
  .tuple(rrset("www", "A", addresses), maybe(rrset("www", "AAAA", ["2001:db8::1"])))
  .map((sets) => dns(sets.flat(), "{ ALIAS: example.net. }"));
const fromAlias = rrset("www", "ALIAS", ["old.example.net."]).map((before) => dns(before, "{ A: 192.0.2.9 }"));
/** Two names that take each other's type. */
const typesSwapped = fc
  .tuple(rrset("www", "A", addresses), rrset("ftp", "CNAME", ["old.example.net."]))
  .map((sets): Place => {
    const place = dns(sets.flat(), "{ CNAME: example.net. }, ftp: { A: 192.0.2.9 }");
    return {
      ...place,
      flags: ["www/A", "ftp/CNAME"].flatMap((set) => ["--allow-delete", `dns_record/example.com/${set}`]),
      isIn: (kind, { name, ...item }) => place.isIn(kind, { ...item, name: name === "ftp" ? "www" : name }),
    };
  });
/** A set of which each member is made anew, one after the other. */
export const withOtherTtl: fc.Arbitrary<Place> = rrset("www", "A", addresses).map((before): Place => {
  const values = before.map(({ body }) => body["content"]);
  return { ...dns(before, `{ A: { ttl: 7200, values: [${values.join(", ")}] } }`), values };
});

const alias = fc
  .record({ destinations: fc.subarray(["a@example.net", "b@example.net"], { minLength: 1 }), keep_copy: fc.boolean() })
  .map((body): Thing => ({ list: "aliases", body: { address: "info@example.com", ...body } }));
const isAddress = (kind: string, { address }: Readonly<Record<string, unknown>>) =>
  (kind === "mailbox" || kind === "mail_alias") && address === "info@example.com";
const aliasToMailbox = alias.map((thing): Place => ({
  before: [thing],
  manifest:
    'mail: { example.com: { mailboxes: { info: { password: "${env:PW}" } } } }\nremoved: [{ address: mail_alias/info@example.com, action: delete }]\n',
  flags: [],
  path: "/v2026/mail/accounts",
  isIn: isAddress,
}));
const aliasReplaced = alias.map((thing): Place => ({
  before: [thing],
  manifest: "mail: { example.com: { aliases: { info: { destinations: [c@example.net] } } } }\n",
  flags: ["--allow-delete", "mail_alias/info@example.com"],
  path: "/v2026/mail/aliases",
  isIn: isAddress,
}));
const cronReplaced = fc
  .record({
    schedule: fc.constantFrom("0 1 * * *", "*/5 * * * 1-5"),
    command: fc.constantFrom("php run.php", "true"),
    enabled: fc.boolean(),
    email: fc.constantFrom(null, "ops@example.net"),
    timeout_s: fc.constantFrom(60, 3600),
  })
  .map((body): Place => ({
    before: [{ list: "crons", body: { name: "nightly", ...body } }],
    manifest: "crons: { example.com: { jobs: { nightly: { schedule: 0 2 * * *, command: new.sh } } } }\n",
    flags: ["--allow-delete", "cron/example.com/nightly"],
    path: "/v2026/crons",
    isIn: (kind, { name }) => kind === "cron" && name === "nightly",
  }));

const count = fc.constantFrom(1, 3, 6, 7, 12, 30, 31);
const refusals: fc.Arbitrary<Fault> = fc.record({
  fault: fc.constantFrom<Fault["fault"][]>(
    { status: 400 },
    { status: 403 },
    { status: 409 },
    { status: 422 },
    { status: 422, committed: true },
    { status: 429 },
    { status: 429, retry_after: 3 },
    { status: 500 },
    { status: 502, committed: true },
    { status: 503, retry_after: 1 },
    { reset: "before" },
    { reset: "after" },
    { malformed_json: true },
  ),
  after: fc.constantFrom(0, 0, 1, 2),
  count,
});
const deletions: fc.Arbitrary<Fault> = fc.record({
  fault: fc.constantFrom<Fault["fault"][]>(
    { status: 422 },
    { status: 503 },
    { status: 502, committed: true },
    { reset: "before" },
    { reset: "after" },
    { stale_reads_ms: 4000 },
  ),
  count: fc.constantFrom(1, 2, 6, 12),
});

const takesPlaceOfAnother = [
  toCname,
  toCname,
  fromCname,
  commentedCname,
  toAlias,
  fromAlias,
  typesSwapped,
  aliasToMailbox,
];

export const place: fc.Arbitrary<Place> = fc.oneof(
  ...takesPlaceOfAnother,
  withOtherTtl,
  withOtherTtl,
  aliasReplaced,
  cronReplaced,
);

export const exchange: fc.Arbitrary<Trial> = fc.record({
  place,
  refusals: fc.array(refusals, { minLength: 0, maxLength: 1 }),
  deletions: fc.oneof(
    { arbitrary: fc.constant([]), weight: 2 },
    { arbitrary: deletions.map((one) => [one]), weight: 1 },
  ),
  interruptAt: fc.option(fc.integer({ min: 1, max: 25 }), { nil: undefined, freq: 2 }),
  parallelism: fc.constantFrom(1, 4),
});
