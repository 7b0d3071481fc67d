import fc from "fast-check";
import type { ZoneFiles } from "./judge.ts";

/** A record before it is spelt: the labels of its owner below the zone, its type, and the spellings of each word of its data. */
interface DrawnRecord {
  readonly owner: readonly string[];
  readonly type: string;
  readonly words: readonly string[];
}

const pick = <T>(...values: readonly T[]) => fc.constantFrom(...values);
const byte = fc.nat(255).map((value) => `\\${String(value).padStart(3, "0")}`);
const labels = fc.array(pick("www", "a", "IN", "_sip", "300", "mx1", "x-y", String.raw`\119`, "Z9"), {
  minLength: 1,
  maxLength: 3,
});
const address = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `192.0.${a}.${b}`);
const target = fc.oneof(
  labels.map((each) => each.join(".")),
  pick("@", "host.other.test.", "EXAMPLE.com.", "."),
);
const whole = fc.oneof(
  labels.map((each) => each.join(".")),
  pick("@", "host.other.test."),
);
const u16 = fc.nat(65_535).map(String);
const string = fc.oneof(
  fc
    .array(
      fc.oneof(
        pick(..."abc019+/=<>$@!".split("")),
        pick(String.raw`\;`, String.raw`\"`, String.raw`\\`, String.raw`\ `),
        byte,
      ),
      { minLength: 1, maxLength: 9 },
    )
    .map((parts) => parts.join("")),
  fc
    .array(
      fc.oneof(
        pick(..."ab ;()\t$@".split(""), "ä", "${env:X}"),
        pick(String.raw`\"`, String.raw`\\`, String.raw`\;`),
        byte,
      ),
      { maxLength: 9 },
    )
    .map((parts) => `"${parts.join("")}"`),
);
const hex = (bytes: number) =>
  fc.array(
    fc.nat(255).map((value) => value.toString(16).padStart(2, "0")),
    { minLength: bytes, maxLength: bytes },
  );
const digest = hex(32).map((parts) => [parts.slice(0, 9).join(""), parts.slice(9).join("").toUpperCase()]);

const data: Readonly<Record<string, fc.Arbitrary<readonly string[]>>> = {
  A: fc.oneof(
    fc.tuple(address),
    hex(4).map((parts) => ["\\#", "4", ...parts]),
  ),
  AAAA: fc.tuple(pick("::1", "2001:DB8::a", "2001:db8:0:0:0:0:0:1", "::ffff:192.0.2.1")),
  CAA: fc.tuple(pick("0", "128"), pick("issue", "iodef"), string),
  HTTPS: fc.tuple(pick("1", "2"), target, pick("alpn=h2", 'alpn="h2,h3"', "port=443", "ipv4hint=192.0.2.1")),
  MX: fc.tuple(u16, target),
  NAPTR: fc.tuple(u16, u16, pick('"u"', "S"), pick('"E2U+sip"', '""'), pick('""'), whole),
  PTR: fc.tuple(whole),
  RP: fc.tuple(whole, whole),
  SRV: fc.tuple(u16, u16, u16, target),
  SSHFP: digest.map((parts) => ["4", "2", ...parts]),
  TLSA: digest.map((parts) => ["3", "1", "1", ...parts]),
  TXT: fc.array(string, { minLength: 1, maxLength: 3 }),
  TYPE65280: hex(3).map((parts) => ["\\#", "3", ...parts]),
  URI: fc.tuple(u16, u16, pick('"https://a.test/"')),
};

const numbers: Readonly<Record<string, string>> = { A: "TYPE1", MX: "type15", TXT: "TYPE16", AAAA: "aaaa" };

const record: fc.Arbitrary<DrawnRecord> = pick(...Object.keys(data)).chain((type) =>
  fc.record({
    owner: fc.oneof(labels, fc.constant([])),
    type: fc.constant(type),
    words: data[type] ?? fc.constant([]),
  }),
);

const cname: fc.Arbitrary<DrawnRecord> = fc.record({
  owner: fc.nat(9).map((at) => [`alias${at}`]),
  type: fc.constant("CNAME"),
  words: fc.tuple(whole),
});

/** Where the spelling of a record is drawn: each is a choice among the forms that mean the same. */
interface Spelling {
  readonly owner: number;
  readonly ttl: string;
  readonly order: number;
  readonly type: boolean;
  readonly gaps: readonly string[];
  readonly before: string;
}

const spelling: fc.Arbitrary<Spelling> = fc.record({
  owner: fc.nat(3),
  ttl: pick("", "", "60", "1h", "1H30m", "2d"),
  order: fc.nat(3),
  type: fc.boolean(),
  gaps: fc.array(pick(" ", "\t", "  ", " ( ", " ( ; open (\n", " (\n\t"), { minLength: 1, maxLength: 4 }),
  before: pick("", "", '; comment ( "\n', "\n", "$TTL 2h\n", "$TTL 600\n", "  ; c\n"),
});

/** Writes a record, whose parentheses are closed at its end. */
function spell(
  { owner, type, words }: DrawnRecord,
  spelt: Spelling,
  origin: readonly string[],
  isSame: boolean,
): string {
  const below = origin.every((label, at) => owner[owner.length - origin.length + at] === label);
  const inside = owner.slice(0, owner.length - origin.length);
  const relative = inside.length === 0 ? "@" : inside.join(".");
  const absolute = [...owner, "example", "COM", ""].join(".");
  const isOmitted = isSame && spelt.owner === 0;
  const name = isOmitted ? " " : below && spelt.owner < 3 ? relative : absolute;
  const head = [["IN"], [spelt.ttl, "in"], ["IN", spelt.ttl], [spelt.ttl]][spelt.order] ?? [];
  const all = [name, ...head.filter((word) => word !== ""), spelt.type ? (numbers[type] ?? type) : type, ...words];
  let open = 0;
  const text = all.reduce((line, word, at) => {
    const gap = spelt.gaps[at % spelt.gaps.length] ?? " ";
    if (at === 1 && isOmitted) return `${line}${word}`;
    open += gap.includes("(") ? 1 : 0;
    return `${line}${gap}${word}`;
  });
  return `${spelt.before}${text}${" )".repeat(open)}${spelt.type ? " ; end" : ""}\n`;
}

const head = "$TTL 1h\n@ IN SOA ns1 host ( 1 3600\n 900 604800 3600 )\n NS ns1.other.\n";

/** A zone in drawn spellings: records of one set stand together, since BIND takes the TTL of a set that does not from its last. */
export const drawnZone: fc.Arbitrary<ZoneFiles> = fc
  .record({
    records: fc.array(fc.tuple(fc.oneof({ weight: 6, arbitrary: record }, { weight: 1, arbitrary: cname }), spelling), {
      minLength: 1,
      maxLength: 25,
    }),
    origins: fc.array(pick<readonly string[]>([], ["a"], ["www"]), { minLength: 1, maxLength: 3 }),
    included: fc.nat(2),
  })
  .map(({ records, origins, included }) => {
    const sets = new Map<string, (typeof records)[number]>();
    for (const each of records) {
      const [{ owner, type }] = each;
      const key = `${owner
        .join(".")
        .toLowerCase()
        .replaceAll(String.raw`\119`, "w")} ${type}`;
      if (!sets.has(key)) sets.set(key, each);
    }
    const texts = ["", "", ""];
    let before: readonly string[] | undefined;
    [...sets.values()].forEach(([drawn, spelt], at, { length }) => {
      const part = Math.floor((3 * at) / length);
      const origin = origins[part % origins.length] ?? [];
      if (texts[part] === "") {
        texts[part] += `$ORIGIN ${[...origin, "example", "com", ""].join(".")}\n`;
        before = undefined;
      }
      texts[part] += spell(drawn, spelt, origin, before?.join(".") === drawn.owner.join("."));
      before = drawn.owner;
    });
    const include = included === 0 ? texts[1] : '$INCLUDE "sub/part" ; the middle\n';
    return { "example.com.zone": `${head}${texts[0]}${include}${texts[2]}`, "sub/part": texts[1] ?? "" };
  });
