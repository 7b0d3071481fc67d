import { escapeAll, groupsOf } from "./octets.ts";
import { keyName, keyNumbers } from "./service-binding.ts";

/** The octets of service parameters as words `key=value`; undefined where the keys do not ascend (RFC 9460 section 2.2). */
export function writeParameters(octets: Buffer): string | undefined {
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
