import { createHmac, timingSafeEqual } from "node:crypto";

/** Begins each entry; another form of entries gets another number. */
const mark = Buffer.from("hostform cache 1\n");
const sumBytes = 32;

/** Returns the name of an entry: parts that are secret, such as an API key, cannot be read out of it. */
export const entryName = (salt: Uint8Array, sort: string, parts: readonly string[]): string =>
  `${sort}-${createHmac("sha256", salt)
    .update(JSON.stringify([sort, ...parts]))
    .digest("hex")}`;

/** Returns an entry: its mark, its checksum, its content. */
export const packEntry = (salt: Uint8Array, name: string, content: Uint8Array): Buffer =>
  Buffer.concat([mark, checksum(salt, name, content), content]);

/** Returns the content of an entry; undefined where any byte is not as it was written, or it was written under another name or salt. */
export function unpackEntry(salt: Uint8Array, name: string, bytes: Buffer): Buffer | undefined {
  const start = mark.length + sumBytes;
  if (bytes.length < start || !bytes.subarray(0, mark.length).equals(mark)) return undefined;
  const content = bytes.subarray(start);
  return timingSafeEqual(checksum(salt, name, content), bytes.subarray(mark.length, start)) ? content : undefined;
}

const checksum = (salt: Uint8Array, name: string, content: Uint8Array): Buffer =>
  createHmac("sha256", salt).update(`${name}\n`).update(content).digest();
