import { crc32 } from "node:zlib";

/** Adds its number and a checksum to a line of JSON, which is an object, so that a line that is lost, doubled or altered is noticed. */
export function sealLine(text: string, number: number): string {
  return `${text.slice(0, -1)}${sealOf(crc32(text, crc32(`${number} `)), number)}`;
}

/** Returns the text that was sealed under this number; undefined if the line is not as it was written. */
export function unsealLine(line: Buffer, number: number): string | undefined {
  const at = line.length - sealOf(0, number).length;
  if (at < 0) return undefined;
  const sum = crc32("}", crc32(line.subarray(0, at), crc32(`${number} `)));
  return line.toString("latin1", at) === sealOf(sum, number) ? `${line.toString("utf8", 0, at)}}` : undefined;
}

/** The end of a sealed line. */
const sealOf = (sum: number, number: number) => `,"line":${number},"sum":"${sum.toString(16).padStart(8, "0")}"}`;
