import { isIPv4, isIPv6 } from "node:net";
import { fromBase64, name, row, uint16, type ReadWords } from "./fields.ts";
import { readHostNameOrRoot } from "./host-name.ts";
import { scan, type Word } from "./scan.ts";

/** IANA's numbers of service parameters, and how the octets of each value must be. */
const parameters: Readonly<Record<string, { readonly number: number; readonly fits: (value: Buffer) => boolean }>> = {
  mandatory: { number: 0, fits: (value) => value.length > 0 },
  alpn: { number: 1, fits: (value) => items(value).every(({ length }) => length >= 1 && length <= 255) },
  "no-default-alpn": { number: 2, fits: isEmpty },
  port: { number: 3, fits: isUint16 },
  ipv4hint: { number: 4, fits: (value) => items(value).every((item) => isIPv4(item.toString("latin1"))) },
  ech: { number: 5, fits: (value) => (fromBase64(value.toString("latin1"))?.length ?? 0) > 0 },
  ipv6hint: {
    number: 6,
    fits: (value) => items(value).every((item) => isIPv6(item.toString()) && !item.includes("%")),
  },
  dohpath: { number: 7, fits: (value) => value.length > 0 },
  ohttp: { number: 8, fits: isEmpty },
  "tls-supported-groups": { number: 9, fits: (value) => items(value).every(isUint16) },
  docpath: { number: 10, fits: () => true },
};

const multipleOf =
  (size: number) =>
  ({ length }: Buffer) =>
    length > 0 && length % size === 0;

/** The wire format of each registered key (RFC 9460 section 2.1): values of keys that are written as `keyNNNNN`. */
const wireFormats: ReadonlyMap<number, (value: Buffer) => boolean> = new Map([
  [0, (value) => keyNumbers(value) !== undefined],
  [1, isProtocolList],
  [2, isEmpty],
  [3, ({ length }) => length === 2],
  [4, multipleOf(4)],
  [5, multipleOf(1)],
  [6, multipleOf(16)],
  [7, multipleOf(1)],
  [8, isEmpty],
  [9, multipleOf(2)],
]);

/** One or more protocols, each after a byte that holds its length (RFC 9460 section 7.1.1). */
function isProtocolList(value: Buffer): boolean {
  if (value.length === 0) return false;
  for (let rest = value; rest.length > 0; rest = rest.subarray(1 + (rest[0] ?? 0))) {
    if (rest[0] === 0 || rest.length <= (rest[0] ?? 0)) return false;
  }
  return true;
}

/** The keys that the wire format of `mandatory` lists, two bytes each, in strictly ascending order (RFC 9460 section 8). */
export function keyNumbers(value: Buffer): number[] | undefined {
  if (value.length === 0 || value.length % 2 !== 0) return undefined;
  const numbers: number[] = [];
  for (let at = 0; at < value.length; at += 2) numbers.push(value.readUInt16BE(at));
  return numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0)) ? numbers : undefined;
}

function isEmpty(value: Buffer): boolean {
  return value.length === 0;
}

function isUint16(value: Buffer): boolean {
  return /^[0-9]+$/.test(value.toString("latin1")) && Number(value.toString("latin1")) <= 65_535;
}

const comma = 0x2c;
const backslash = 0x5c;

/** The items of a comma-separated list; a backslash takes a comma or itself into an item (RFC 9460 appendix A.1). */
function items(value: Buffer): Buffer[] {
  const found: number[][] = [[]];
  for (let at = 0; at < value.length; at += 1) {
    const octet = value[at] ?? 0;
    const next = value[at + 1];
    if (octet === comma) found.push([]);
    else if (octet === backslash && (next === comma || next === backslash)) {
      found.at(-1)?.push(next);
      at += 1;
    } else found.at(-1)?.push(octet);
  }
  return found.map((item) => Buffer.from(item));
}

/** The number of a key; undefined where it has none. 65535 is reserved as the invalid key. */
function keyNumber(key: string): number | undefined {
  if (Object.hasOwn(parameters, key)) return parameters[key]?.number;
  const digits = key.startsWith("key") ? key.slice(3) : "";
  const number = Number(digits);
  return digits === String(number) && number < 65_535 && Number.isInteger(number) && number >= 0 ? number : undefined;
}

export const keyName = (number: number): string =>
  Object.keys(parameters).find((key) => parameters[key]?.number === number) ?? `key${number}`;

/** `priority target [key[=value] …]`, without keys when the priority is 0 (RFC 9460 section 2). */
export const readServiceBinding: ReadWords = (words) => {
  const head = row(uint16, name(readHostNameOrRoot))(words.slice(0, 2));
  const rest = words.slice(2);
  if (head === undefined || (Number(head[0]) === 0 && rest.length > 0)) return undefined;
  return areParameters(rest) ? [...head, ...rest.map(({ raw }) => raw)] : undefined;
};

function areParameters(words: readonly Word[]): boolean {
  const seen = new Set<number>();
  let mandatory: readonly (number | undefined)[] | undefined;
  for (const { raw } of words) {
    const [key = "", ...more] = raw.split("=");
    const number = keyNumber(key);
    const value = valueOf(more.join("="));
    if (number === undefined || value === undefined || seen.has(number)) return false;
    const isNamed = Object.hasOwn(parameters, key);
    if (isNamed ? parameters[key]?.fits(value) !== true : wireFormats.get(number)?.(value) === false) return false;
    seen.add(number);
    if (number === 0)
      mandatory = isNamed ? items(value).map((item) => keyNumber(item.toString("latin1"))) : (keyNumbers(value) ?? []);
  }
  const listed = mandatory;
  if (listed === undefined) return true;
  return (
    new Set(listed).size === listed.length && listed.every((key) => key !== undefined && key !== 0 && seen.has(key))
  );
}

function valueOf(text: string): Buffer | undefined {
  if (text === "") return Buffer.alloc(0);
  const [word, ...more] = scan(text) ?? [];
  return word !== undefined && more.length === 0 && word.shape !== "mixed" ? word.octets : undefined;
}
