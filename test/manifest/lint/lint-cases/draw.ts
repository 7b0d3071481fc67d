import fc from "fast-check";

/** What is drawn for a manifest. */
export interface Draw {
  /** Two names that are not the same. */
  readonly names: readonly [string, string];
  readonly exclusive: boolean;
  /** What else stands in the manifest, with nothing wrong in it. */
  readonly more: readonly string[];
}

const label = fc.constantFrom("alpha", "beta", "gamma", "d-1", "_x", "deep.er", "a.b.c");
const harmless = [
  "other: { A: 192.0.2.9 }",
  '"*.wild": { A: 192.0.2.8 }\n      covered: { CNAME: any.wild.example.com. }',
  "outside: { CNAME: www.other.test. }",
  'text: { TXT: ["v=spf2 x", "v=spf10 x"] }',
  "mx: { A: 192.0.2.1 }",
  "off: { CNAME: { values: [{ value: gone.example.com., disabled: true }] } }",
  'caa: { CAA: [0 issue "ca.example", { tag: iodef, value: "mailto:a@example.net" }] }',
  "sub: { NS: ns.other.test. }\n      below: { CNAME: any.sub.example.com. }",
  "none: { MX: [{ priority: 0, value: . }], SRV: [{ priority: 0, weight: 0, port: 0, target: . }] }",
  "self: { MX: [{ priority: 1, value: mail.self.example.com. }] }\n      mail.self: { ALIAS: out.other.test. }",
  'secret: { CNAME: "${env:UNSET}" }',
  "dotted.example.com.: { A: 192.0.2.7 }",
];

export const draw: fc.Arbitrary<Draw> = fc.record({
  names: fc
    .uniqueArray(label, { minLength: 2, maxLength: 2 })
    .map((names): readonly [string, string] => [names[0] ?? "", names[1] ?? ""]),
  exclusive: fc.boolean(),
  more: fc.subarray(harmless),
});

/** Returns the section of the zone example.com with these records, with `options` as its first lines, and with what was drawn. */
export const zoneOf = ({ exclusive, more }: Draw, records: readonly string[], options = "") =>
  [
    "dns:",
    "  example.com:",
    `    exclusive: ${exclusive}`,
    ...(options === "" ? [] : [`    ${options}`]),
    "    records:",
    ...[...records, ...more].map((line) => `      ${line}`),
  ].join("\n");

/** Returns the lines of the zone example.net, to follow those of `zoneOf`. */
export const otherZone = (records: readonly string[]) =>
  ["  example.net:", "    records:", ...records.map((line) => `      ${line}`)].join("\n");

/** Returns a manifest of the domain example.com with the mail that is written so. */
export const mail = (body: string) => `domains: { example.com: }\nmail: { example.com: ${body} }`;

/** Returns one of two different local parts of mail addresses. */
export const local = ({ names }: Draw, index: 0 | 1) => `${names[index]}-${index}`;

/** Manifests by the id of a rule: with the flaw of the rule, marked by `<<id>>` before its place, and some that come near it and have none. */
export type Cases = Readonly<Record<string, readonly ((draw: Draw) => string)[]>>;
