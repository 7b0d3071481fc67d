import { isIPv4, isIPv6 } from "node:net";
import { replaceBlanks } from "../shared/text-checks.ts";
import { asciiDots, checkTarget, isPlainTarget, normaliseTarget } from "../shared/domain-name.ts";
import { checkString, quoteOne } from "./character-strings.ts";
import { compressIPv6, type ContentField, isBase64, isNumber } from "./content-form.ts";
import * as wire from "./wire-fields.ts";

/** One part of a record's data, in each form in which data is written. */
export interface Part extends ContentField {
  /** Its name in a contract, and in the object form of a manifest. */
  readonly name: string;
  /** Reads it out of opaque bytes. */
  readonly read: wire.ReadField;
  /** How a zone file writes it: as a word, checked at once or with the whole content, as a name, as text of at most 255 bytes or of any length. */
  readonly token: "checked_word" | "word" | "name" | "text" | "long_text" | "parameter";
  /** Its value in JSON: a number, a word as it is, a quoted text, or all strings as one text. Without it a type has no parts in JSON. */
  readonly json?: "number" | "word" | "text" | "strings";
  /** The value that it has where it may be left out in JSON. */
  readonly usual?: string;
  /** Returns the hosts that its normal form names, in lower case, without the final dot. */
  readonly hosts?: (normal: string) => string[];
  /** Returns its normal form as name servers answer with it, if their wire format holds less. */
  readonly served?: (normal: string) => string;
  /** Returns it as the API takes it: as it was written, as far as that means the same. */
  readonly sent?: (written: string, normal: string) => string;
}

const words = (name: string) => name.replaceAll("_", " ");

const whole =
  (bits: 8 | 16) =>
  (name: string, label = words(name)): Part => {
    const most = 2 ** bits - 1;
    return {
      name,
      normalise: (text) => (isNumber(text, most) ? String(Number(text)) : text),
      check: (text) => (isNumber(text, most) ? undefined : `the ${label} is a number from 0 to ${most}`),
      read: bits === 8 ? wire.uint8 : wire.uint16,
      token: "checked_word",
      json: "number",
    };
  };

/** A number from 0 to 255. */
export const uint8 = whole(8);
/** A number from 0 to 65535. */
export const uint16 = whole(16);

/** A host name. A single label is a whole name in the normal form, since the names in records are absolute. */
export const host = (name: string): Part => ({
  name,
  normalise: normaliseHost,
  check: checkTarget,
  read: wire.name,
  token: "name",
  json: "word",
  hosts: (normal) => (/[^.]\.$/u.test(normal) ? [normal.slice(0, -1)] : []),
});

const normaliseHost = (text: string, zone: string) =>
  isPlainTarget(text) || checkTarget(asciiDots(text).replace(/(?<=[^.@])$/u, ".")) === undefined
    ? normaliseTarget(text, zone)
    : text;

const isRoot = (text: string) => asciiDots(text) === ".";

/** A host name, or `.` for none. */
export const hostOrNone = (name: string): Part => ({
  ...host(name),
  normalise: (text, zone) => (isRoot(text) ? "." : normaliseHost(text, zone)),
  check: (text) => (isRoot(text) ? undefined : checkTarget(text)),
});

type Rule = (word: string) => string | undefined;

/** A quoted string or a bare word of at most 255 bytes, as a quoted string; `rule`: what its text must be. */
export const text = (name: string, rule?: Rule): Part => ({
  name,
  normalise: quoteOne,
  check: (word) => checkString(word) ?? rule?.(word),
  read: wire.string,
  token: "text",
  json: "text",
});

/** A text of any length, without a length before it. */
export const longText = (name: string, rule?: Rule): Part => ({
  ...text(name),
  check: (word) => checkString(word, mostBytes) ?? rule?.(word),
  read: wire.quoted,
  token: "long_text",
});

/** RDATA is no longer (RFC 1035 section 3.2.1). */
const mostBytes = 65_535;

const join = (characters: string) => replaceBlanks(characters, "");

/** Bytes in one of two notations, blanks between the characters. */
const bytes = (
  label: string,
  form: { isForm: (joined: string) => boolean; expected: string; encoding: "hex" | "base64" },
) => ({
  check: (characters: string) => {
    if (!form.isForm(join(characters))) return `the ${label} is ${form.expected}`;
    return Buffer.from(join(characters), form.encoding).length > mostBytes
      ? `the ${label} has at most ${mostBytes} bytes`
      : undefined;
  },
  token: "word" as const,
  takes: "rest" as const,
});

const isHex = (digits: string) => /^(?:[0-9A-Fa-f]{2})+$/u.test(digits);

/** Hexadecimal digits, blanks between them. */
export const hex = (name: string, label = name): Part => ({
  ...bytes(label, { isForm: isHex, expected: "hexadecimal, two digits a byte", encoding: "hex" }),
  name,
  normalise: (digits) => (isHex(join(digits)) ? join(digits).toLowerCase() : digits),
  read: wire.hex,
  json: "word",
});

/** Base64 (RFC 4648 section 4), blanks between its characters. */
export const base64 = (name: string): Part => ({
  ...bytes(name, { isForm: isBase64, expected: "base64, padded with =", encoding: "base64" }),
  name,
  normalise: (characters) => (isBase64(join(characters)) ? join(characters) : characters),
  read: wire.base64,
});

export const ipv4: Part = {
  name: "address",
  normalise: (written) => written,
  check: (written) => (isIPv4(written) ? undefined : "an IPv4 address, such as 192.0.2.10"),
  read: wire.ipv4,
  token: "checked_word",
  json: "word",
};

export const ipv6: Part = {
  name: "address",
  normalise: (written) => (isIPv6(written) ? compressIPv6(written) : written),
  check: (written) => {
    if (!isIPv6(written)) return "an IPv6 address, such as 2001:db8::10";
    return written.includes("%")
      ? "an IPv6 address without a zone index (%…), which means something on one machine only"
      : undefined;
  },
  read: wire.ipv6,
  token: "checked_word",
  json: "word",
};
