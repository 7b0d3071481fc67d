import { replaceBlanks } from "../shared/blanks.ts";
import { checkString, quoteOne } from "./character-strings.ts";
import { asciiDots, checkTarget, isPlainTarget, normaliseTarget } from "../shared/domain-name.ts";
import { isIPv4, isIPv6 } from "node:net";

/** The form of one field of a record's content. */
export interface ContentField {
  /** The normal form; text that cannot be read stays as it is. */
  readonly normalise: (text: string, zone: string) => string;
  /** The expected form, if the text is not acceptable. */
  readonly check: (text: string) => string | undefined;
}

/** The form of the content of one record type (RFC 1035 presentation form; the priority of MX and SRV stands apart). */
export interface RecordType {
  /** The normal form; text that cannot be read stays as it is. */
  readonly normalise: (content: string, zone: string) => string;
  /** The expected form, if the content is not acceptable. */
  readonly check: (content: string) => string | undefined;
  /** Content that still has its priority before it, as zone files and some servers write it: the priority, and the rest. */
  readonly withPriority?: RegExp;
}

/** RDATA is no longer (RFC 1035 section 3.2.1). */
const mostBytes = 65_535;

/**
 * Makes a type whose content is blank-separated fields. The last of them takes the rest if `rest` is set.
 * @param expected names all fields in their order.
 * @param rule looks at the normal forms of all fields: what was expected, where they do not go together.
 */
export function makeType(
  expected: string,
  fields: readonly ContentField[],
  { rest = false, rule }: { rest?: boolean; rule?: (words: readonly string[]) => string | undefined } = {},
): RecordType {
  const [first] = fields;
  const only = fields.length === 1 && !rule ? first : undefined;
  const split = (content: string) => splitWords(content, rest ? fields.length : undefined);
  const check = (content: string) => {
    const words = split(content);
    if (words.length !== fields.length) return expected;
    const wrong = fields.flatMap((field, index) => field.check(words[index] ?? "") ?? [])[0];
    return wrong === undefined
      ? rule?.(words.map((word, index) => fields[index]?.normalise(word, "zone.example") ?? word))
      : wrong;
  };
  return {
    check: (content) => {
      // Most contents are one word.
      if (only && oneWord.test(content)) return only.check(content);
      const wrong = check(content);
      return wrong === undefined || wrong === expected || fields.length === 1 ? wrong : `${expected}: ${wrong}`;
    },
    normalise: (content, zone) => {
      if (only && oneWord.test(content)) return only.normalise(content, zone);
      const words = split(content);
      const isBroken = words.some((word) => word === '"' || word === "\\");
      if (words.length !== fields.length || isBroken) return content;
      return words.map((word, index) => fields[index]?.normalise(word, zone) ?? word).join(" ");
    },
  };
}

const oneWord = /^[^ \t\r\n"\\]+$/u;

/** Splits at blanks outside quotes; what follows the word number `most` becomes part of it. */
export function splitWords(content: string, most = Infinity): string[] {
  if (oneWord.test(content)) return [content];
  const words: string[] = content.match(/(?:"(?:[^"\\]|\\.)*"|\\.|[^ \t\r\n"\\])+|["\\]/gsu) ?? [];
  return words.length <= most ? words : [...words.slice(0, most - 1), words.slice(most - 1).join(" ")];
}

/** A whole number from 0 to `most`. */
export const number = (name: string, most: number): ContentField => ({
  normalise: (text) => (isNumber(text, most) ? String(Number(text)) : text),
  check: (text) => (isNumber(text, most) ? undefined : `the ${name} is a number from 0 to ${most}`),
});

export const isNumber = (text: string, most: number) => /^\d+$/u.test(text) && Number(text) <= most;

/** A host name. A single label is a whole name in the normal form, since the names in records are absolute. */
export const host: ContentField = {
  normalise: (text, zone) =>
    isPlainTarget(text) || checkTarget(asciiDots(text).replace(/(?<=[^.@])$/u, ".")) === undefined
      ? normaliseTarget(text, zone)
      : text,
  check: checkTarget,
};

const isRoot = (text: string) => text.length === 1 && asciiDots(text) === ".";

/** A host name, or `.` for none. */
export const hostOrNone: ContentField = {
  normalise: (text, zone) => (isRoot(text) ? "." : host.normalise(text, zone)),
  check: (text) => (isRoot(text) ? undefined : checkTarget(text)),
};

/** A quoted string or a bare word of at most `limit` bytes, as a quoted string; `rule`: what its text must be. */
export const text = (limit = 255, rule?: (word: string) => string | undefined): ContentField => ({
  normalise: quoteOne,
  check: (word) => checkString(word, limit) ?? rule?.(word),
});

/** Hexadecimal digits, blanks between them. */
export const hex = (name: string): ContentField => ({
  normalise: (digits) => (isHex(join(digits)) ? join(digits).toLowerCase() : digits),
  check: (digits) => {
    if (!isHex(join(digits))) return `the ${name} is hexadecimal, two digits a byte`;
    return join(digits).length / 2 > mostBytes ? `the ${name} has at most ${mostBytes} bytes` : undefined;
  },
});

const join = (parts: string) => replaceBlanks(parts, "");
const isHex = (digits: string) => /^(?:[0-9A-Fa-f]{2})+$/u.test(digits);

/** Base64 (RFC 4648 section 4), blanks between its characters. */
export const base64 = (name: string): ContentField => ({
  normalise: (characters) => (isBase64(join(characters)) ? join(characters) : characters),
  check: (characters) => {
    if (!isBase64(join(characters))) return `the ${name} is base64, padded with =`;
    return Buffer.from(join(characters), "base64").length > mostBytes
      ? `the ${name} has at most ${mostBytes} bytes`
      : undefined;
  },
});

/** The bits that pad the last character are zero (RFC 4648 section 3.5). */
export const isBase64 = (characters: string) =>
  characters !== "" &&
  /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/u.test(characters);

/** Returns the expected length, if a digest does not have that of its type; a type that is not listed may have any. */
export function checkDigest(
  bytesByType: Readonly<Record<string, number>>,
  type: string | undefined,
  digits: string | undefined,
): string | undefined {
  const bytes = bytesByType[type ?? ""];
  if (bytes === undefined || digits?.length === 2 * bytes) return undefined;
  return `a digest of type ${type} has ${2 * bytes} hexadecimal digits, not ${digits?.length}`;
}

export const ipv4: ContentField = {
  normalise: (text) => text,
  check: (text) => (isIPv4(text) ? undefined : "an IPv4 address, such as 192.0.2.10"),
};

export const ipv6: ContentField = {
  normalise: (text) => (isIPv6(text) ? compressIPv6(text) : text),
  check: (text) => {
    if (!isIPv6(text)) return "an IPv6 address, such as 2001:db8::10";
    return text.includes("%")
      ? "an IPv6 address without a zone index (%…), which means something on one machine only"
      : undefined;
  },
};

/** An IPv6 address as RFC 5952 has it, which is how the URL parser writes it; a zone index stays. */
export function compressIPv6(text: string): string {
  const [address = "", ...zoneIndex] = text.split("%");
  return [new URL(`http://[${address}]/`).hostname.slice(1, -1), ...zoneIndex].join("%");
}
