import { fromHex } from "./fields.ts";
import { escapeAll, groupsOf } from "./octets.ts";
import type { Word } from "./scan.ts";
import { keyName, keyNumbers } from "./service-binding.ts";

/** The octets of service parameters as words `key=value`; undefined where the keys do not ascend (RFC 9460 section 2.2). */
function writeParameters(octets: Buffer): string | undefined {
  const words: string[] = [];
  let last = -1;
  for (let at = 0; at < octets.length;) {
    if (at + 4 > octets.length) return undefined;
    const key = octets.readUInt16BE(at);
    const end = at + 4 + octets.readUInt16BE(at + 2);
    if (key <= last || end > octets.length) return undefined;
    const word = writeParameter(key, octets.subarray(at + 4, end));
    if (word === undefined) return undefined;
    words.push(word);
    last = key;
    at = end;
  }
  return words.join(" ");
}

function writeParameter(key: number, value: Buffer): string | undefined {
  const write = Object.hasOwn(values, key) ? values[key] : writeAny;
  const text = write?.(value);
  if (text === undefined) return undefined;
  return text === "" ? keyName(key) : `${keyName(key)}="${text}"`;
}

const writeAny = (value: Buffer) => escapeAll(value, /[^ !#-[\]-~]/g);
const writeNothing = (value: Buffer) => (value.length === 0 ? "" : undefined);

/** Values of `size` octets each. */
const writeEach = (size: number, write: (octets: Buffer) => string | number | undefined) => (value: Buffer) => {
  if (value.length === 0 || value.length % size !== 0) return undefined;
  const found: (string | number | undefined)[] = [];
  for (let at = 0; at < value.length; at += size) found.push(write(value.subarray(at, at + size)));
  return found.join(",");
};

/** Items behind their lengths; a comma or backslash in an item is escaped twice: for the list, and for the string. */
function writeItems(value: Buffer): string | undefined {
  const items: string[] = [];
  for (let at = 0; at < value.length;) {
    const end = at + 1 + (value[at] ?? 0);
    if (end === at + 1 || end > value.length) return undefined;
    const item = value.toString("latin1", at + 1, end).replaceAll(/[,\\]/g, (char) => `\\${char}`);
    items.push(escapeAll(Buffer.from(item, "latin1"), /[^ !#-[\]-~]/g) ?? "");
    at = end;
  }
  return items.length === 0 ? undefined : items.join(",");
}

/** By number; a key that is not here may have any value. */
const values: Readonly<Record<number, (value: Buffer) => string | undefined>> = {
  0: (value) => keyNumbers(value)?.map(keyName).join(","),
  1: writeItems,
  2: writeNothing,
  3: (value) => (value.length === 2 ? value.readUInt16BE().toString() : undefined),
  4: writeEach(4, (octets) => octets.join(".")),
  5: (value) => value.toString("base64"),
  6: writeEach(16, groupsOf),
  7: writeAny,
  8: writeNothing,
  9: writeEach(2, (octets) => octets.readUInt16BE()),
  10: (value) => (value.length === 0 ? "" : writeItems(value)),
};

/** The fields of RDATA by type (RFC 1035 section 3.3 and the RFC of each type). */
const layouts: Readonly<Record<string, string>> = {
  A: "ipv4",
  AAAA: "ipv6",
  CAA: "u8 label quoted",
  CNAME: "name",
  DHCID: "base64",
  DNAME: "name",
  DS: "u16 u8 u8 hex",
  HTTPS: "u16 name parameters",
  LOC: "u8 length length length latitude longitude altitude",
  MX: "u16 name",
  NAPTR: "u16 u16 string string string name",
  NS: "name",
  OPENPGPKEY: "base64",
  PTR: "name",
  RP: "name name",
  SMIMEA: "u8 u8 u8 hex",
  SPF: "strings",
  SRV: "u16 u16 u16 name",
  SSHFP: "u8 u8 hex",
  SVCB: "u16 name parameters",
  TLSA: "u8 u8 u8 hex",
  TXT: "strings",
  URI: "u16 u16 quoted",
};

/** The octets behind `\#` and their number (RFC 3597 section 5); undefined where the two differ. */
export function readOpaque(words: readonly Word[]): Buffer | undefined {
  const [marker, length = "", ...data] = words.map(({ raw }) => raw);
  const octets = fromHex(data.join(""));
  return marker === String.raw`\#` && /^[0-9]+$/.test(length) && octets?.length === Number(length) ? octets : undefined;
}

/** The presentation form of a type's RDATA; undefined where the octets are not of that type. */
export function writeRdata(type: string, octets: Buffer): string | undefined {
  const rest = { octets };
  const fields = (layouts[type] ?? "").split(" ");
  const words = fields.map((field) => readers[field]?.(rest));
  if (words.includes(undefined) || rest.octets.length > 0) return undefined;
  return type === "LOC" ? orderLocation(words as string[]) : words.join(" ").trim();
}

/** Octets that are still to be read. */
interface Remainder {
  octets: Buffer;
}
type FormReader = (rest: Remainder) => string | undefined;

function take(rest: Remainder, size: number): Buffer | undefined {
  if (rest.octets.length < size) return undefined;
  const taken = rest.octets.subarray(0, size);
  rest.octets = rest.octets.subarray(size);
  return taken;
}

const readers: Readonly<Record<string, FormReader>> = {
  u8: (rest) => take(rest, 1)?.readUInt8().toString(),
  u16: (rest) => take(rest, 2)?.readUInt16BE().toString(),
  ipv4: (rest) => take(rest, 4)?.join("."),
  ipv6: (rest) => groupsOf(take(rest, 16)),
  hex: (rest) => take(rest, rest.octets.length)?.toString("hex"),
  base64: (rest) => take(rest, rest.octets.length)?.toString("base64"),
  quoted: (rest) => quote(take(rest, rest.octets.length)),
  string: (rest) => quote(takeCounted(rest)),
  strings(rest) {
    const strings: (string | undefined)[] = [];
    do strings.push(quote(takeCounted(rest)));
    while (rest.octets.length > 0 && !strings.includes(undefined));
    return strings.includes(undefined) ? undefined : strings.join(" ");
  },
  label: (rest) => escapeAll(takeCounted(rest), /[^A-Za-z0-9]/g),
  name: readName,
  parameters: (rest) => writeParameters(take(rest, rest.octets.length) ?? Buffer.alloc(0)),
  length(rest) {
    const octet = take(rest, 1)?.[0] ?? 0xff;
    const [digit, zeros] = [Math.floor(octet / 16), octet % 16];
    return digit > 9 || zeros > 9 ? undefined : metres(digit * 10 ** zeros);
  },
  latitude: (rest) => writeAngle(take(rest, 4)?.readUInt32BE(), "N", "S"),
  longitude: (rest) => writeAngle(take(rest, 4)?.readUInt32BE(), "E", "W"),
  altitude(rest) {
    const centimetres = take(rest, 4)?.readUInt32BE();
    return centimetres === undefined ? undefined : metres(centimetres - 10_000_000);
  },
};

function takeCounted(rest: Remainder): Buffer | undefined {
  const length = take(rest, 1)?.[0];
  return length === undefined ? undefined : take(rest, length);
}

/** Labels up to the root; lengths from 64 on would be pointers, which opaque data cannot hold. */
function readName(rest: Remainder): string | undefined {
  const before = rest.octets.length;
  let name = "";
  for (;;) {
    const label = (rest.octets[0] ?? 0xff) < 64 ? takeCounted(rest) : undefined;
    if (label === undefined || before - rest.octets.length > 255) return undefined;
    if (label.length === 0) return name === "" ? "." : name;
    name += `${escapeAll(label, /[^A-Za-z0-9_/+*=%!#&'?^`{|}~$-]/g)}.`;
  }
}

const quote = (octets: Buffer | undefined): string | undefined =>
  octets && `"${escapeAll(octets, /[^ !#-[\]-~]/g) ?? ""}"`;

const metres = (centimetres: number) => `${centimetres / 100}m`;

function writeAngle(value: number | undefined, positive: string, negative: string): string | undefined {
  if (value === undefined) return undefined;
  const distance = value - 0x8000_0000;
  const seconds = Math.floor(Math.abs(distance) / 1000);
  const thousandths = (Math.abs(distance) % 1000).toString().padStart(3, "0");
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, `${seconds % 60}.${thousandths}`];
  return `${parts.join(" ")} ${distance < 0 ? negative : positive}`;
}

/** On the wire a version of 0 and the sizes come first (RFC 1876 section 2); in text they come last, without the version. */
function orderLocation([version, size, horizontal, vertical, latitude, longitude, altitude]: readonly string[]) {
  if (version !== "0") return undefined;
  return [latitude, longitude, altitude, size, horizontal, vertical].join(" ");
}
