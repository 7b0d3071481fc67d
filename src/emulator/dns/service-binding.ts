import { isIPv4, isIPv6 } from "node:net";
import { fromBase64, name, row, uint16, type ReadWords } from "./fields.ts";
import { readHostNameOrRoot } from "./host-name.ts";
import { scan, type Word } from "./scan.ts";

const multipleOf =
  (size: number) =>
  ({ length }: Buffer) =>
    length > 0 && length % size === 0;
const isFilled = multipleOf(1);
const each = (fits: (item: Buffer) => boolean) => (value: Buffer) => items(value).every((item) => fits(item));

interface Parameter {
  readonly key: string;
  /** Tells whether the octets of a value are as the text form has them. */
  readonly fits: (value: Buffer) => boolean;
  /** Tells the same of the wire format, for values of keys that are written as `keyNNNNN` (RFC 9460 section 2.1). */
  readonly wire: (value: Buffer) => boolean;
}

/** Service parameters, each at IANA's number of it. */
const parameters: readonly Parameter[] = [
  { key: "mandatory", fits: isFilled, wire: (value) => keyNumbers(value) !== undefined },
  { key: "alpn", fits: each(({ length }) => length >= 1 && length <= 255), wire: isProtocolList },
  { key: "no-default-alpn", fits: isEmpty, wire: isEmpty },
  { key: "port", fits: isUint16, wire: ({ length }) => length === 2 },
  { key: "ipv4hint", fits: each((item) => isIPv4(item.toString("latin1"))), wire: multipleOf(4) },
  { key: "ech", fits: (value) => (fromBase64(value.toString("latin1"))?.length ?? 0) > 0, wire: isFilled },
  { key: "ipv6hint", fits: each((item) => isIPv6(item.toString()) && !item.includes("%")), wire: multipleOf(16) },
  { key: "dohpath", fits: isFilled, wire: isFilled },
  { key: "ohttp", fits: isEmpty, wire: isEmpty },
  { key: "tls-supported-groups", fits: each(isUint16), wire: multipleOf(2) },
  { key: "docpath", fits: () => true, wire: () => true },
];

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
  const known = parameters.findIndex((parameter) => parameter.key === key);
  if (known >= 0) return known;
  const digits = key.startsWith("key") ? key.slice(3) : "";
  const number = Number(digits);
  return digits === String(number) && number < 65_535 && Number.isInteger(number) && number >= 0 ? number : undefined;
}

export const keyName = (number: number): string => parameters[number]?.key ?? `key${number}`;

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
    const known = parameters[number];
    const isNamed = known?.key === key;
    if ((isNamed ? known.fits(value) : known?.wire(value)) === false) return false;
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
