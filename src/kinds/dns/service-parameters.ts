import { isIPv4, isIPv6 } from "node:net";
import { checkString, quoteBytes, readString } from "./character-strings.ts";
import { compressIPv6, type ContentField, isBase64, isNumber, splitWords } from "./content-form.ts";

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
    const all = splitWords(text).map(readParameter);
    const present = all.map(({ key }) => numberOf(key));
    const wrong = all.flatMap(({ key, value }) => checkKey(key) ?? checkValue(key, value, present) ?? []);
    if (wrong.length > 0) return wrong.join("; ");
    const twice = all.find((_, index) => present.indexOf(present[index]) < index);
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
  return read === undefined
    ? writeParameter(key, bytes)
    : writeParameter(name, parameters[name]?.normalise?.(read) ?? read);
}

/** Returns a parameter as one word: its value bare if it can be, in quotes if not. */
export function writeParameter(key: string, value: Buffer): string {
  if (value.length === 0) return key;
  const text = value.toString("latin1");
  return `${key}=${/^[!-~]+$/u.test(text) && !/["\\]/u.test(text) ? text : quoteBytes(value)}`;
}

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
  if (!Object.hasOwn(parameters, key)) return checkWireFormat(key, value, present);
  const { expected = "", holds } = parameters[key] ?? {};
  return holds?.(value) === false ? `${key} is ${expected}` : undefined;
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

const someBytes = (encoding: BufferEncoding) => (bytes: Buffer) =>
  bytes.length === 0 ? undefined : bytes.toString(encoding);

/** Returns the value of a registered key out of its wire format; undefined if the bytes do not have that. */
export function readWireValue(number: number, bytes: Buffer): Buffer | undefined {
  const read = parameters[nameOfKey(number)]?.read(bytes);
  return typeof read === "string" ? Buffer.from(read, "latin1") : read && writeList(read);
}

/** The value of a key, in each form in which it is written. */
interface ParameterValue {
  /** The form that is expected of a value; without it there may be any. */
  readonly expected?: string;
  readonly holds?: (value: string | undefined) => boolean;
  readonly normalise?: (value: Buffer) => Buffer;
  /** Reads its wire format; undefined for bytes that do not have it. */
  readonly read: (bytes: Buffer) => string | readonly string[] | undefined;
}

const none: ParameterValue = {
  expected: "written without a value",
  holds: (value) => value === undefined,
  read: (bytes) => (bytes.length === 0 ? [] : undefined),
};

/** A list of items of one form. */
const list = (
  expected: string,
  isItem: (item: string) => boolean,
  read: ParameterValue["read"],
  normalise = (item: string) => item,
): ParameterValue => ({
  expected,
  holds: (value) => value !== undefined && readList(readString(value)).every(isItem),
  normalise: (value) => writeList(readList(value).map(normalise)),
  read,
});

const isAddress = (item: string) => isIPv6(item) && !item.includes("%");
const ipv4 = (bytes: Buffer) => bytes.join(".");
const ipv6 = (bytes: Buffer) => compressIPv6(bytes.toString("hex").replaceAll(/.{4}(?=.)/gu, "$&:"));
const normalAddress = (item: string) => (isIPv6(item) ? compressIPv6(item) : item);
const is16Bit = (item: string) => isNumber(item, 65_535);
const normalNumber = (item: string) => (is16Bit(item) ? String(Number(item)) : item);
const isProtocol = ({ length }: string) => length > 0 && length < 256;

/**
 * The registered keys, each at its number (IANA, "Service Parameter Keys"), and their values (RFC 9460 sections 7 and 8, RFC 9461,
 * RFC 9540, RFC 9953).
 */
const parameters: Readonly<Record<string, ParameterValue>> = {
  mandatory: { normalise: (value) => writeList(readList(value).map(normalKey).sort()), read: readKeys },
  alpn: list("a list of protocols of at most 255 bytes each, such as h2,h3", isProtocol, readItems),
  "no-default-alpn": none,
  port: {
    expected: "a number from 0 to 65535",
    holds: (value) => value !== undefined && is16Bit(readString(value).toString()),
    normalise: (value) => Buffer.from(normalNumber(value.toString("latin1")), "latin1"),
    read: (bytes) => (bytes.length === 2 ? uint16s(bytes) : undefined),
  },
  ipv4hint: list("a list of IPv4 addresses", isIPv4, chunks(4, ipv4)),
  ech: {
    expected: "base64",
    holds: (value) => value !== undefined && isBase64(readString(value).toString()),
    read: someBytes("base64"),
  },
  ipv6hint: list("a list of IPv6 addresses", isAddress, chunks(16, ipv6), normalAddress),
  dohpath: {
    expected: "a path, such as /dns-query{?dns}",
    holds: (value) => value !== undefined,
    read: someBytes("latin1"),
  },
  ohttp: none,
  "tls-supported-groups": list("a list of numbers from 0 to 65535", is16Bit, uint16s, normalNumber),
  docpath: {
    normalise: (value) => writeList(readList(value)),
    read: (bytes) => (bytes.length === 0 ? [] : readItems(bytes)),
  },
};
const keys = Object.keys(parameters);
