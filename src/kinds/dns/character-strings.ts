import { trimBlanks } from "../shared/text-checks.ts";

/**
 * Character strings of RFC 1035 section 5.1, as TXT, CAA, URI and NAPTR records hold them: quoted, at most 255 bytes each,
 * `\"`, `\\` and `\DDD` escaped.
 */

const maxBytes = 255;

/** The bytes of a sequence of quoted strings put together, or undefined where the text is not wholly such a sequence. */
export function parseQuotedStrings(text: string): Buffer | undefined {
  const rest = trimBlanks(text);
  if (!rest.startsWith('"')) return undefined;
  const chunks: Buffer[] = [];
  const quoted = /"((?:[^"\\]|\\\d{3}|\\.)*)"([ \t\r\n]+|$)/suy;
  while (quoted.lastIndex < rest.length) {
    const match = quoted.exec(rest);
    if (!match) return undefined;
    chunks.push(unescape(match[1] ?? ""));
  }
  return Buffer.concat(chunks);
}

/** Whether a text is wholly quoted strings of at most 255 bytes each, as a zone file has them. */
export function isInStrings(text: string): boolean {
  if (parseQuotedStrings(text) === undefined) return false;
  const strings = text.match(/"(?:[^"\\]|\\.)*"/gsu) ?? [];
  return strings.every((each) => (parseQuotedStrings(each)?.length ?? 0) <= maxBytes);
}

/** Bytes as quoted strings of at most 255 bytes. UTF-8 stays readable; bytes that are not UTF-8, and control characters, become `\DDD`. */
export function formatQuotedStrings(bytes: Buffer): string {
  const chunks: string[] = [];
  for (let start = 0; start < bytes.length || start === 0;) {
    const end = chunkEnd(bytes, start);
    chunks.push(`"${escape(bytes.subarray(start, end))}"`);
    start = end;
    if (end === 0) break;
  }
  return chunks.join(" ");
}

// A short way for nearly all texts: to read each and write it again takes a fiftieth of a plan.
const plain = /^(?:[ !#-[\]-~]{0,255}|"[ !#-[\]-~]{0,255}")$/u;

/** The normal form of a text that may or may not be quoted already. */
export function normaliseQuoted(text: string): string {
  if (plain.test(text)) return text.startsWith('"') ? text : `"${text}"`;
  return formatQuotedStrings(parseQuotedStrings(text) ?? Buffer.from(text, "utf8"));
}

/** One quoted string, or a bare word, as a normal quoted string. */
export const quoteOne = (text: string): string => `"${escape(readString(text))}"`;

/** Returns bytes as a text; undefined where they are not UTF-8. */
export function decodeText(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

/** One quoted string of a text, whose quotes and backslashes are characters like others. */
export const quoteText = (text: string): string => `"${escape(Buffer.from(text, "utf8"))}"`;

export const quoteBytes = (bytes: Buffer): string => `"${escapeText(bytes.toString("latin1"), /[^\u0020-\u007e]/gu)}"`;

/** Returns the bytes of a label as part of a name in ASCII. */
export const escapeLabel = (bytes: Buffer): string =>
  bytes
    .toString("latin1")
    .replaceAll(/["().;@\\]/gu, String.raw`\$&`)
    .replaceAll(/[^!-~]/gu, escapeChar);

/** Returns the expected form, if a quoted string or a bare word is not well formed; `limit`: the most bytes that it may hold. */
export function checkString(word: string, limit = maxBytes): string | undefined {
  const inner = word.startsWith('"') ? /^"(.*)"$/su.exec(word)?.[1] : word;
  if (inner === undefined || /^(?:[^"\\]|\\.)*"/su.test(inner))
    return 'a text in quotes, each quote inside written \\"';
  if (/[^\P{Cc}\t]/u.test(inner)) return String.raw`a text without control characters, which are written \DDD`;
  if (!/^(?:[^\\]|\\\D|\\(?:[01]\d\d|2[0-4]\d|25[0-5]))*$/su.test(inner))
    return String.raw`escapes of the form \" or \DDD, from \000 to \255`;
  return unescape(inner).length > limit ? `a text of at most ${limit} bytes` : undefined;
}

/** The bytes of a quoted string or a bare word. */
export const readString = (word: string): Buffer => parseQuotedStrings(word) ?? unescape(word);

// A chunk does not end inside a UTF-8 sequence, so that each stays readable by itself.
function chunkEnd(bytes: Buffer, start: number): number {
  let end = Math.min(start + maxBytes, bytes.length);
  if (end === bytes.length) return end;
  for (let back = 0; back < 3 && ((bytes[end] ?? 0) & 0xc0) === 0x80; back += 1) end -= 1;
  return end;
}

function unescape(text: string): Buffer {
  const parts: Buffer[] = [];
  const token = /\\(\d{3})|\\(.)|([^\\]+)|\\/gsu;
  for (const [whole, code, char, plain] of text.matchAll(token)) {
    if (code !== undefined && Number(code) <= 255) parts.push(Buffer.from([Number(code)]));
    else parts.push(Buffer.from(plain ?? char ?? whole, "utf8"));
  }
  return Buffer.concat(parts);
}

function escape(bytes: Buffer): string {
  const text = decodeText(bytes);
  if (text === undefined) return quoteBytes(bytes).slice(1, -1);
  // Control characters of ASCII; those above it are two bytes of UTF-8, which one escape cannot hold.
  return escapeText(text, /[^\P{Cc}\u0080-\u009f]/gu);
}

function escapeText(text: string, unprintable: RegExp): string {
  return text.replaceAll(/["\\]/gu, String.raw`\$&`).replaceAll(unprintable, escapeChar);
}

const escapeChar = (char: string) => `\\${String(char.charCodeAt(0)).padStart(3, "0")}`;
