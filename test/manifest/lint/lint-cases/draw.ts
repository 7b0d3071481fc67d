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

/** A manifest or a part of one, in which `ONE` and `TWO` stand for the two names. */
type Text = string | ((draw: Draw) => string);

/** Returns the text of a case. */
export const textOf = (text: Text, draw: Draw) =>
  (typeof text === "string" ? text : text(draw))
    .replaceAll(/\bONE\b/gu, draw.names[0])
    .replaceAll(/\bTWO\b/gu, draw.names[1]);

/** The section of the zone example.com with these records, with `options` as its first line, and with what was drawn. */
export const zoneWith =
  (options: string, ...records: readonly string[]): Text =>
  ({ exclusive: isExclusive, more }) =>
    [
      "dns:",
      "  example.com:",
      `    exclusive: ${isExclusive}`,
      ...(options === "" ? [] : [`    ${options}`]),
      "    records:",
      ...[...records, ...more].map((line) => `      ${line}`),
    ].join("\n");
export const zone = (...records: readonly string[]) => zoneWith("", ...records);
/** The zone with nothing else in it, and so a zone that is exclusive. */
export const alone =
  (text: Text): Text =>
  (drawn) =>
    textOf(text, { ...drawn, more: [] });
export const exclusive =
  (text: Text): Text =>
  (drawn) =>
    textOf(text, { ...drawn, exclusive: true, more: [] });
/** The lines of the zone example.net, to follow those of `zone`. */
export const otherZone = (...records: readonly string[]) =>
  ["  example.net:", "    records:", ...records.map((line) => `      ${line}`)].join("\n");

/** A domain with the mail that is written so. */
export const mail = (body: string, domain = "example.com") => `domains: { ${domain}: }\nmail: { ${domain}: ${body} }`;
export const mailOfTwo = (body: string) => `domains: { other.test: , example.com: }\nmail: { example.com: ${body} }`;
export const certificates = (list: string) => `services: { example.com: }\ncertificates: { example.com: ${list} }`;
export const all =
  (...texts: readonly Text[]): Text =>
  (drawn) =>
    texts.map((each) => textOf(each, drawn)).join("\n");

/** Manifests by the id of a rule: with the flaw of the rule, marked by `<<id>>` before its place, and some that come near it and have none. */
export type Cases = Readonly<Record<string, readonly Text[]>>;
