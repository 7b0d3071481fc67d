import { isIPv4, isIPv6 } from "node:net";
import { checkString, quoteBytes, readString } from "./character-strings.ts";
import { compressIPv6, type ContentField, isBase64, isNumber, splitWords } from "./content-form.ts";

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

/** A parameter by the name of its key, with its value as bytes that can be read; text that cannot be read stays as it is. */
function normaliseParameter(text: string): string {
  const { key: written, value = "" } = readParameter(text);
  const key = written.toLowerCase();
  const number = numberOf(key);
  if (number === undefined || checkString(value, invalidKey) !== undefined) return text;
  const name = nameOfKey(number);
  const bytes = readString(value);
  const read = key === name || !isRegisteredParameter(number) ? bytes : readWireValue(number, bytes);
  return read === undefined ? writeParameter(key, bytes) : writeParameter(name, normalValues[name]?.(read) ?? read);
}

/** Returns a parameter as one word: its value bare if it can be, in quotes if not. */
export function writeParameter(key: string, value: Buffer): string {
  if (value.length === 0) return key;
  const text = value.toString("latin1");
  return `${key}=${/^[!-~]+$/u.test(text) && !/["\\]/u.test(text) ? text : quoteBytes(value)}`;
}

/** Makes the normal form of a list out of that of its items. */
const normalList =
  (normalise: (items: string[]) => string[]) =>
  (value: Buffer): Buffer =>
    writeList(normalise(readList(value)));
const normalNumber = (item: string) => (isNumber(item, 65_535) ? String(Number(item)) : item);

const normalValues: Readonly<Record<string, (value: Buffer) => Buffer>> = {
  mandatory: normalList((items) => items.map(normalKey).sort()),
  alpn: normalList((items) => items),
  port: (value) => Buffer.from(normalNumber(value.toString("latin1")), "latin1"),
  ipv6hint: normalList((items) => items.map((item) => (isIPv6(item) ? compressIPv6(item) : item))),
  "tls-supported-groups": normalList((items) => items.map(normalNumber)),
  docpath: normalList((items) => items),
};

function normalKey(item: string): string {
  const number = numberOf(item.toLowerCase());
  return number === undefined ? item : nameOfKey(number);
}

interface ServiceParameter {
  readonly key: string;
  /** As written, with its quotes; undefined where there is none. */
  readonly value: string | undefined;
}

function readParameter(word: string): ServiceParameter {
  const [, key = word, value] = /^([^="\\]*)=(.*)$/su.exec(word) ?? [];
  return { key, value: value === "" || value === '""' ? undefined : value };
}

/** The number of a key, in either of its two spellings; undefined where it has none. */
function numberOf(key: string): number | undefined {
  const [, digits] = /^key(0|[1-9]\d{0,4})$/u.exec(key) ?? [];
  const number = digits === undefined ? keys.indexOf(key) : Number(digits);
  return number < 0 || number >= invalidKey ? undefined : number;
}

export const nameOfKey = (number: number): string => keys[number] ?? `key${number}`;

export const isRegisteredParameter = (number: number): boolean => keys[number] !== undefined;

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
  if (key === "mandatory") return checkMandatory(value === undefined ? [] : readList(readString(value)), present);
  if (!Object.hasOwn(rules, key) && numberOf(key) !== undefined) return checkWireFormat(key, value, present);
  const rule = rules[key];
  return rule === undefined || rule.holds(value) ? undefined : `${key} is ${rule.expected}`;
}

/** Checks the value of a key that is written by its number: it is the wire format of the key (RFC 9460 section 2.1). */
function checkWireFormat(key: string, value: string | undefined, present: readonly (number | undefined)[]) {
  const number = numberOf(key) ?? invalidKey;
  if (!isRegisteredParameter(number)) return undefined;
  const name = nameOfKey(number);
  const read = readWireValue(number, value === undefined ? Buffer.alloc(0) : readString(value));
  if (read === undefined)
    return `the value of ${key} is the bytes of ${name} as they are sent; write ${name} by its name`;
  return name === "mandatory" ? checkMandatory(readList(read), present) : undefined;
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
function readList(value: Buffer): string[] {
  const items = [""];
  for (const [token] of value.toString("latin1").matchAll(/\\[\\,]|[^]/gu)) {
    if (token === ",") items.push("");
    else items.push(`${items.pop()}${token.length === 2 ? token.slice(1) : token}`);
  }
  return items;
}

const writeList = (items: readonly string[]): Buffer =>
  Buffer.from(items.map((item) => item.replaceAll(/[\\,]/gu, String.raw`\$&`)).join(","), "latin1");

/** Reads a list of values of one size each. */
const chunks = (size: number, write: (bytes: Buffer) => string) => (bytes: Buffer) => {
  if (bytes.length === 0 || bytes.length % size > 0) return undefined;
  return Array.from({ length: bytes.length / size }, (_, index) =>
    write(bytes.subarray(index * size, (index + 1) * size)),
  );
};

const uint16s = chunks(2, (bytes) => String(bytes.readUInt16BE()));

/** Reads keys, which are in strictly ascending order (RFC 9460 section 8). */
function readKeys(bytes: Buffer): string[] | undefined {
  const numbers = uint16s(bytes)?.map(Number);
  const ascends = numbers?.every((number, index) => number > (numbers[index - 1] ?? -1));
  return ascends === true ? numbers?.map(nameOfKey) : undefined;
}

/** Reads items with their length in the byte before each, none of them empty. */
function readItems(bytes: Buffer): string[] | undefined {
  const items: string[] = [];
  let at = 0;
  for (let length = bytes[at]; length !== undefined && length > 0; length = bytes[at]) {
    items.push(bytes.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return at === bytes.length && items.length > 0 ? items : undefined;
}

const noBytes = (bytes: Buffer) => (bytes.length === 0 ? [] : undefined);
const someBytes = (encoding: BufferEncoding) => (bytes: Buffer) =>
  bytes.length === 0 ? undefined : bytes.toString(encoding);

/** The wire formats of the registered keys (RFC 9460 sections 7 and 8, RFC 9461, RFC 9540, RFC 9953). */
const wireFormats: Readonly<Record<string, (bytes: Buffer) => string | readonly string[] | undefined>> = {
  mandatory: readKeys,
  alpn: readItems,
  "no-default-alpn": noBytes,
  port: (bytes) => (bytes.length === 2 ? uint16s(bytes) : undefined),
  ipv4hint: chunks(4, (bytes) => bytes.join(".")),
  ech: someBytes("base64"),
  ipv6hint: chunks(16, (bytes) => compressIPv6(bytes.toString("hex").replaceAll(/.{4}(?=.)/gu, "$&:"))),
  dohpath: someBytes("latin1"),
  ohttp: noBytes,
  "tls-supported-groups": uint16s,
  docpath: (bytes) => (bytes.length === 0 ? [] : readItems(bytes)),
};

/** Returns the value of a registered key out of its wire format; undefined if the bytes do not have that. */
export function readWireValue(number: number, bytes: Buffer): Buffer | undefined {
  const read = wireFormats[nameOfKey(number)]?.(bytes);
  return typeof read === "string" ? Buffer.from(read, "latin1") : read && writeList(read);
}

const empty = { expected: "written without a value", holds: (value: string | undefined) => value === undefined };
const list = (expected: string, isItem: (item: string) => boolean) => ({
  expected,
  holds: (value: string | undefined) => value !== undefined && readList(readString(value)).every(isItem),
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
