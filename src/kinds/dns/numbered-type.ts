import { trimBlanks } from "../shared/text-checks.ts";
import { type ContentForm, makeForm, splitWords } from "./content-form.ts";
import { hex, uint16 } from "./parts.ts";
import { recordTypes } from "./record-types.ts";

/** The names of types by how they are written by their number (RFC 3597 section 5); ALIAS has none. */
const names: ReadonlyMap<string, string> = new Map([
  ["TYPE6", "SOA"],
  ...[...recordTypes].flatMap(([name, { number }]) => (number === undefined ? [] : [[`TYPE${number}`, name] as const])),
]);

/** Other names of types (IANA, "Resource Record TYPEs"). */
const otherNames = new Set(
  `A6 AFSDB AMTRELAY APL ATMA AVC BRID CDNSKEY CDS CERT CLA CSYNC DLV DNSKEY DOA DSYNC EID EUI48 EUI64 GID GPOS HHIT HINFO HIP
  IPN IPSECKEY ISDN KEY KX L32 L64 LP MB MD MF MG MINFO MR NID NIMLOC NINFO NSAP NSAP-PTR NSEC NSEC3 NSEC3PARAM NULL NXNAME NXT
  PX RESINFO RKEY RRSIG RT SIG SINK SOA TA TALINK UID UINFO UNSPEC WALLET WKS X25 ZONEMD`.split(/\s+/u),
);

/** Whether a word names a record type, also one that Hostform does not read. */
export const isTypeName = (word: string) => recordTypes.has(word) || isNumberedType(word) || otherNames.has(word);

/** Returns the name of a type that is written by its number, if it has one. */
export const nameOfType = (type: string): string => names.get(type) ?? type;

/** Whether a type is written by its number (RFC 3597 section 5). */
export const isNumberedType = (type: string) => /^TYPE\d+$/u.test(type);

/** Whether a content is written as opaque bytes, as that of any type may be (RFC 3597 section 5). */
export const isOpaque = (content: string) =>
  content.includes("\\#") && /^\\#(?:[ \t\r\n]|$)/u.test(trimBlanks(content));

/** Returns the bytes of a content that is written as opaque bytes, or the form that was expected. */
export function readOpaque(content: string): Buffer | { readonly expected: string } {
  const wrong = generic.check(content);
  if (wrong !== undefined) return { expected: wrong };
  return Buffer.from(splitWords(generic.normalise(content, ""))[2] ?? "", "hex");
}

/** Returns the form of the content of a type that has a number only: opaque bytes (RFC 3597 section 5). */
export function numberedType(type: string): ContentForm {
  const wrong = checkNumber(type.slice("TYPE".length));
  return wrong === undefined ? generic : { ...generic, check: () => wrong };
}

/** OPT, and the types that stand in questions only (RFC 6895 section 3.1), are not in zones. */
function checkNumber(digits: string): string | undefined {
  const value = Number(digits);
  if (digits.startsWith("0") || value > 65_534)
    return "a type from TYPE1 to TYPE65534, without zeros before the number";
  if (value === 41 || (value >= 128 && value <= 255)) return `another type: TYPE${value} has no records in a zone`;
  const name = names.get(`TYPE${value}`);
  return name === undefined ? undefined : `its type by name: TYPE${value} is ${name}`;
}

const marker = {
  normalise: (word: string) => word,
  check: (word: string) => (word === String.raw`\#` ? undefined : String.raw`it begins with \#`),
};

const expected = String.raw`\#, the number of bytes and the bytes in hexadecimal, such as \# 4 0a000001`;
const bytes = makeForm({
  expected,
  parts: [marker, uint16("length"), hex("data")],
  rule: ([, length, data = ""]) =>
    Number(length) * 2 === data.length ? undefined : `there are ${data.length / 2} bytes, and the length is ${length}`,
});

const empty = /^\\#[ \t\r\n]+0+$/u;
const generic: ContentForm = {
  normalise: (content, zone) => (empty.test(trimBlanks(content)) ? String.raw`\# 0` : bytes.normalise(content, zone)),
  check: (content) => (empty.test(trimBlanks(content)) ? undefined : bytes.check(content)),
};
