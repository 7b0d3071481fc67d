import { escapeLabel, quoteBytes } from "./character-strings.ts";
import { isRegisteredParameter, nameOfKey, readWireValue, writeParameter } from "./service-parameters.ts";

/** One field of a record's data in presentation form, and the bytes after it. */
interface WireField {
  readonly text: string;
  readonly rest: Buffer;
}

/** Reads the first field of some bytes; undefined if the bytes do not have this field. */
export type ReadField = (bytes: Buffer) => WireField | undefined;

const taken = (text: string | undefined, rest: Buffer): WireField | undefined =>
  text === undefined ? undefined : { text, rest };

const fixed =
  (size: number, write: (bytes: Buffer) => string): ReadField =>
  (bytes) =>
    bytes.length < size ? undefined : taken(write(bytes.subarray(0, size)), bytes.subarray(size));

const all =
  (write: (bytes: Buffer) => string | undefined): ReadField =>
  (bytes) =>
    taken(write(bytes), Buffer.alloc(0));

export const uint8 = fixed(1, (bytes) => String(bytes.readUInt8()));
export const uint16 = fixed(2, (bytes) => String(bytes.readUInt16BE()));
export const ipv4 = fixed(4, (bytes) => bytes.join("."));
export const ipv6 = fixed(16, (bytes) => bytes.toString("hex").replaceAll(/.{4}(?=.)/gu, "$&:"));
export const hex = all((bytes) => bytes.toString("hex"));
export const base64 = all((bytes) => bytes.toString("base64"));
export const quoted = all(quoteBytes);

/** The bytes of a string whose length stands in the byte before it. */
const prefixed =
  (write: (bytes: Buffer) => string): ReadField =>
  (bytes) => {
    const end = 1 + (bytes[0] ?? bytes.length);
    return end > bytes.length ? undefined : taken(write(bytes.subarray(1, end)), bytes.subarray(end));
  };

export const string = prefixed(quoteBytes);
export const word = prefixed(escapeLabel);

/** A whole name: names in opaque data are not compressed (RFC 3597 section 4). */
export const name: ReadField = (bytes) => {
  const labels: string[] = [];
  let rest = bytes;
  while (rest.length > 0 && rest[0] !== 0) {
    const label = (rest[0] ?? 0) > 63 ? undefined : word(rest);
    if (!label || bytes.length - label.rest.length > 254) return undefined;
    labels.push(`${label.text}.`);
    rest = label.rest;
  }
  return rest.length === 0 ? undefined : taken(labels.join("") || ".", rest.subarray(1));
};

/** At least one character string (RFC 1035 section 3.3.14). */
export const strings: ReadField = (bytes) => {
  const texts: string[] = [];
  let next = string(bytes);
  for (; next && next.rest.length > 0; next = string(next.rest)) texts.push(next.text);
  return next && taken([...texts, next.text].join(" "), next.rest);
};

/** Service parameters in strictly ascending order of their keys (RFC 9460 section 2.2). */
export const parameters: ReadField = (bytes) => {
  const texts: string[] = [];
  let last = -1;
  let rest = bytes;
  while (rest.length >= 4) {
    const [key, end] = [rest.readUInt16BE(), 4 + rest.readUInt16BE(2)];
    const value = rest.subarray(4, end);
    if (key <= last || end > rest.length) return undefined;
    texts.push(parameter(key, value));
    last = key;
    rest = rest.subarray(end);
  }
  return rest.length > 0 ? undefined : taken(texts.join(" "), rest);
};

/** A value that does not have the format of its key stays written by number, which the check of parameters refuses. */
function parameter(key: number, value: Buffer): string {
  const read = isRegisteredParameter(key) ? readWireValue(key, value) : value;
  return read === undefined ? writeParameter(`key${key}`, value) : writeParameter(nameOfKey(key), read);
}

const metres = (centimetres: number) => `${(centimetres / 100).toFixed(2)}m`;

/** Version 0; size and precisions in centimetres as digit and power of ten; then angles and altitude (RFC 1876 section 2). */
export const location: ReadField = (bytes) => {
  if (bytes.length < 16 || bytes[0] !== 0) return undefined;
  const lengths = [1, 2, 3].map((at) => [(bytes[at] ?? 0) >> 4, (bytes[at] ?? 0) & 15] as const);
  if (lengths.flat().some((digit) => digit > 9)) return undefined;
  const words = [
    writeAngle(bytes.readUInt32BE(4), "NS"),
    writeAngle(bytes.readUInt32BE(8), "EW"),
    metres(bytes.readUInt32BE(12) - 10_000_000),
    ...lengths.map(([digit, power]) => metres(digit * 10 ** power)),
  ];
  return taken(words.join(" "), bytes.subarray(16));
};

/** Thousandths of a second from the equator or the prime meridian, which are at 2^31. */
function writeAngle(value: number, hemispheres: string): string {
  const thousandths = Math.abs(value - 2 ** 31);
  const minutes = Math.floor(thousandths / 60_000);
  const seconds = ((thousandths % 60_000) / 1000).toFixed(3);
  return `${Math.floor(minutes / 60)} ${minutes % 60} ${seconds} ${hemispheres[value < 2 ** 31 ? 1 : 0]}`;
}

/** Returns the text of data that consists of some fields; undefined if the bytes are not such data. */
export function readFields(fields: readonly ReadField[], data: Buffer): string | undefined {
  const words: string[] = [];
  let rest = data;
  for (const read of fields) {
    const next = read(rest);
    if (!next) return undefined;
    words.push(next.text);
    rest = next.rest;
  }
  return rest.length > 0 ? undefined : words.join(" ").trimEnd();
}
