import { crc32 } from "node:zlib";

/** Adds its number and a checksum to a line of JSON, which is an object, so that a line that is lost, doubled or altered is noticed. */
export function sealLine(text: string, number: number): string {
  return `${text.slice(0, -1)},"line":${number},"sum":"${checksum(text, number)}"}`;
}

/** Returns the text that was sealed under this number; undefined if the line is not as it was written. */
export function unsealLine(line: string, number: number): string | undefined {
  const end = `,"line":${number},"sum":"`;
  const at = line.lastIndexOf(end);
  if (at < 0) return undefined;
  const text = `${line.slice(0, at)}}`;
  return line.slice(at + end.length) === `${checksum(text, number)}"}` ? text : undefined;
}

const checksum = (text: string, number: number) => crc32(`${number} ${text}`).toString(16).padStart(8, "0");
