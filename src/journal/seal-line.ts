import { crc32 } from "node:zlib";

/** Adds its number and a checksum to a line of JSON, which is an object, so that a line that is lost, doubled or altered is noticed. */
export function sealLine(text: string, number: number): string {
  const digits = String(number);
  return `${text.slice(0, -1)}${sealOf(sumOf(text, digits), digits)}`;
}

/** Returns the text that was sealed under this number; undefined if the line is not as it was written. Overwrites a byte of the line. */
export function unsealLine(line: Buffer, number: number): string | undefined {
  const digits = String(number);
  const at = line.length - sealLength - digits.length;
  if (at < 0) return undefined;
  const seal = line.toString("latin1", at);
  // The sealed text ends with the bracket again: then no copy of it has to be made.
  line[at] = endOfObject;
  const text = line.subarray(0, at + 1);
  return seal === sealOf(sumOf(text, digits), digits) ? text.toString() : undefined;
}

const sumOf = (text: string | Buffer, digits: string) => crc32(text, crc32(`${digits} `));

/** Returns the suffix of a journal line: line number and checksum. */
const sealOf = (sum: number, digits: string) => `,"line":${digits},"sum":"${hexOf(sum)}"}`;

/** Returns 32 bits as eight digits. `toString(16)` takes six times as long, which counts for a million lines. */
const hexOf = (sum: number) => `${byteOf(sum >>> 24)}${byteOf(sum >>> 16)}${byteOf(sum >>> 8)}${byteOf(sum)}`;
const byteOf = (bits: number) => hexOfByte[bits & 0xff] ?? "";
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** The bytes of a seal, without its number. */
const sealLength = sealOf(0, "").length;
const endOfObject = 0x7d;

const lineFeed = 0x0a;

/** The lines that end, without their ends. */
export function* linesOf(parts: Iterable<Buffer>): Generator<Buffer, undefined> {
  let begun: Buffer[] = [];
  for (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(lineFeed); end >= 0; end = part.indexOf(lineFeed, start)) {
      const line = part.subarray(start, end);
      yield begun.length === 0 ? line : Buffer.concat([...begun, line]);
      begun = [];
      start = end + 1;
    }
    if (start < part.length) begun.push(part.subarray(start));
  }
  return undefined;
}
