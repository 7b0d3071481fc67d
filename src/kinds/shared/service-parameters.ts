import { isIPv4, isIPv6 } from "node:net";
import { checkString, readString } from "./character-strings.ts";
import { isBase64, isNumber, splitWords, type ContentField } from "./content-fields.ts";
import { compressIPv6 } from "./ip-address.ts";

/** The registered keys of service parameters, each at its number (IANA, "Service Parameter Keys"). */
const keys = [
  "mandatory",
  "alpn",
  "no-default-alpn",
  "port",
  "ipv4hint",
  "ech",
  "ipv6hint",
  "dohpath",
  "ohttp",
  "tls-supported-groups",
  "docpath",
];
/** The number that is never a key. */
const invalidKey = 65_535;

/** The parameters of an SVCB record (RFC 9460 section 2.1): in any order, each key once. */
export const serviceParameters: ContentField = {
  normalise: (text) => {
    const words = splitWords(text);
    const isBroken = words.some((word) => word === '"' || word === "\\");
    return isBroken ? text : words.map(normaliseParameter).sort().join(" ");
  },
  check: (text) => {
    const parameters = splitWords(text).map(readParameter);
    const present = parameters.map(({ key }) => numberOf(key));
    const wrong = parameters.flatMap(({ key, value }) => checkKey(key) ?? checkValue(key, value, present) ?? [])[0];
    if (wrong !== undefined) return wrong;
    const twice = parameters.find((_, index) => present.indexOf(present[index]) < index);
    return twice && `each key once, and ${twice.key} stands there twice`;
  },
};

function normaliseParameter(text: string): string {
  const [, written = text, quoted = ""] = /^([^=]+)=(.*)$/su.exec(text) ?? [];
  const key = written.toLowerCase();
  const value = quoted.replace(/^"([^"\\ \t\r\n]*)"$/u, "$1");
  if (value === "") return key;
  return `${key}=${normalValues[key]?.(value) ?? value}`;
}

const normalValues: Readonly<Record<string, (value: string) => string>> = {
  mandatory: (value) => (value.includes("\\") ? value : value.toLowerCase().split(",").sort().join(",")),
  port: (value) => (isNumber(value, 65_535) ? String(Number(value)) : value),
  ipv6hint: (value) =>
    value
      .split(",")
      .map((item) => (isIPv6(item) ? compressIPv6(item) : item))
      .join(","),
};

interface Parameter {
  readonly key: string;
  /** As written, with its quotes; undefined where there is none. */
  readonly value: string | undefined;
}

function readParameter(word: string): Parameter {
  const [, key = word, value] = /^([^="\\]*)=(.*)$/su.exec(word) ?? [];
  return { key, value: value === "" || value === '""' ? undefined : value };
}

/** The number of a key, in either of its two spellings; undefined where it has none. */
function numberOf(key: string): number | undefined {
  const [, digits] = /^key(0|[1-9]\d{0,4})$/u.exec(key) ?? [];
  const number = digits === undefined ? keys.indexOf(key) : Number(digits);
  return number < 0 || number >= invalidKey ? undefined : number;
}

function checkKey(key: string): string | undefined {
  if (numberOf(key) !== undefined) return undefined;
  if (numberOf(key.toLowerCase()) !== undefined) return `keys in lower case: ${key.toLowerCase()}`;
  return `keys among ${keys.join(", ")}, or key0 to key65534 (not ${JSON.stringify(key)})`;
}

function checkValue(key: string, value: string | undefined, present: readonly (number | undefined)[]) {
  if (value !== undefined) {
    const wrong = checkString(value, invalidKey);
    if (wrong !== undefined) return wrong;
  }
  if (key === "mandatory") return checkMandatory(value === undefined ? [] : readList(value), present);
  if (!Object.hasOwn(rules, key) && numberOf(key) !== undefined) return checkWireFormat(key, value, present);
  const rule = rules[key];
  return rule === undefined || rule.holds(value) ? undefined : `${key} is ${rule.expected}`;
}

/** Checks the value of a key that is written by its number: it is the wire format of the key (RFC 9460 section 2.1). */
function checkWireFormat(key: string, value: string | undefined, present: readonly (number | undefined)[]) {
  const name = keys[numberOf(key) ?? -1];
  const isWireFormat = name === undefined ? undefined : wireFormats[name];
  const bytes = value === undefined ? Buffer.alloc(0) : readString(value);
  if (isWireFormat?.(bytes) === false)
    return `the value of ${key} is the bytes of ${name} as they are sent; write ${name} by its name`;
  return name === "mandatory" ? checkMandatory(keysInWireFormat(bytes), present) : undefined;
}

function checkMandatory(listed: readonly string[], present: readonly (number | undefined)[]): string | undefined {
  const numbers = listed.map(numberOf);
  if (listed.length === 0 || numbers.includes(undefined)) return "mandatory lists keys, such as mandatory=alpn,port";
  if (numbers.includes(0)) return "mandatory does not list itself";
  if (new Set(numbers).size < numbers.length) return "mandatory lists each key once";
  const missing = listed.find((key) => !present.includes(numberOf(key)));
  return missing && `the keys that mandatory lists are there (${missing} is not)`;
}

/** The items of a list: a comma or backslash in an item has a backslash before it (RFC 9460 appendix A.1). */
function readList(value: string): string[] {
  const items = [""];
  for (const [token] of readString(value)
    .toString("latin1")
    .matchAll(/\\[\\,]|[^]/gu)) {
    if (token === ",") items.push("");
    else items.push(`${items.pop()}${token.length === 2 ? token.slice(1) : token}`);
  }
  return items;
}

/** The keys that the wire format of `mandatory` lists: two bytes each. */
const keysInWireFormat = (bytes: Buffer): string[] =>
  Array.from({ length: bytes.length / 2 }, (_, index) => `key${bytes.readUInt16BE(2 * index)}`);

const itemsOf = (size: number) => (bytes: Buffer) => bytes.length > 0 && bytes.length % size === 0;
const noBytes = (bytes: Buffer) => bytes.length === 0;
const someBytes = (bytes: Buffer) => bytes.length > 0;

/** Whether bytes are items with their length in the byte before each, none of them empty. */
function isLengthPrefixed(bytes: Buffer): boolean {
  let at = 0;
  while (at < bytes.length && bytes[at] !== 0) at += 1 + (bytes[at] ?? 0);
  return bytes.length > 0 && at === bytes.length;
}

/** The wire formats of the registered keys (RFC 9460 sections 7 and 8, RFC 9461, RFC 9540); a key that is not here may have any. */
const wireFormats: Readonly<Record<string, (bytes: Buffer) => boolean>> = {
  mandatory: itemsOf(2),
  alpn: isLengthPrefixed,
  "no-default-alpn": noBytes,
  port: (bytes) => bytes.length === 2,
  ipv4hint: itemsOf(4),
  ech: someBytes,
  ipv6hint: itemsOf(16),
  dohpath: someBytes,
  ohttp: noBytes,
  "tls-supported-groups": itemsOf(2),
};

const empty = { expected: "written without a value", holds: (value: string | undefined) => value === undefined };
const list = (expected: string, isItem: (item: string) => boolean) => ({
  expected,
  holds: (value: string | undefined) => value !== undefined && readList(value).every(isItem),
});

/** The values of keys; a key that is not here may have any. */
const rules: Readonly<Record<string, { expected: string; holds: (value: string | undefined) => boolean }>> = {
  alpn: list(
    "a list of protocols of at most 255 bytes each, such as h2,h3",
    ({ length }) => length > 0 && length < 256,
  ),
  "no-default-alpn": empty,
  port: {
    expected: "a number from 0 to 65535",
    holds: (value) => value !== undefined && isNumber(readString(value).toString(), 65_535),
  },
  ipv4hint: list("a list of IPv4 addresses", isIPv4),
  ech: { expected: "base64", holds: (value) => value !== undefined && isBase64(readString(value).toString()) },
  ipv6hint: list("a list of IPv6 addresses", (item) => isIPv6(item) && !item.includes("%")),
  dohpath: { expected: "a path, such as /dns-query{?dns}", holds: (value) => value !== undefined },
  ohttp: empty,
  "tls-supported-groups": list("a list of numbers from 0 to 65535", (item) => isNumber(item, 65_535)),
};
