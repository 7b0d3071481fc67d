import { textIn } from "../../lib/read-file.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { positionOf, type SourceText } from "./written.ts";

/** The largest manifest file that is read, in bytes. */
export const maxSourceBytes = 50 * 1024 * 1024;

/** Stands in a text, or in the name of a file, for bytes that are not UTF-8. */
export const replacement = "\ufffd";

/** The text of a file without its byte order mark, or why the bytes are no text. */
export function decodeSource(file: string, bytes: Uint8Array): { source: SourceText } | { diagnostic: Diagnostic } {
  if (bytes.byteLength > maxSourceBytes) return { diagnostic: tooLarge(file, bytes.byteLength) };
  const zero = bytes.indexOf(0);
  if (zero >= 0) return { diagnostic: binary(file, zero, bytes) };
  const text = textIn(bytes);
  return text === undefined ? { diagnostic: notUtf8(file, bytes) } : { source: { file, text } };
}

export function tooLarge(file: string, size: number): Diagnostic {
  return {
    severity: "error",
    code: "too_large",
    summary: `${file} has ${size.toLocaleString("en")} bytes`,
    detail: `at most ${maxSourceBytes.toLocaleString("en")} bytes in one file`,
    hint: "split it into several files in one folder; they are merged key by key",
  };
}

function binary(file: string, offset: number, bytes: Uint8Array): Diagnostic {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return {
    severity: "error",
    code: "binary_file",
    summary: isUtf16 ? `${file} is text in UTF-16` : `${file} is a binary file: byte ${offset} is zero`,
    detail: "YAML text in UTF-8",
    hint: isUtf16 ? "save it as UTF-8" : "check the path given with -f",
  };
}

function notUtf8(file: string, bytes: Uint8Array): Diagnostic {
  const { offset, source, index } = firstWrongByte(file, bytes);
  const byte = (bytes[offset] ?? 0).toString(16).padStart(2, "0");
  return {
    severity: "error",
    code: "not_utf8",
    summary: `${file} is not UTF-8: byte ${offset} is 0x${byte}`,
    detail: "YAML text in UTF-8",
    hint: "save it as UTF-8; it may be Latin-1 (ISO 8859-1)",
    at: positionOf({ source, start: index, end: index + 1 }),
  };
}

/** Finds the first replacement character that decoding puts in and that does not stand in the bytes itself. */
function firstWrongByte(file: string, bytes: Uint8Array): { offset: number; source: SourceText; index: number } {
  const text = new TextDecoder("utf-8").decode(bytes);
  let offset = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let from = 0;
  for (;;) {
    const index = text.indexOf(replacement, from);
    offset += Buffer.byteLength(text.slice(from, index));
    const isWritten = bytes[offset] === 0xef && bytes[offset + 1] === 0xbf && bytes[offset + 2] === 0xbd;
    if (!isWritten || index < 0) return { offset, source: { file, text }, index };
    offset += 3;
    from = index + 1;
  }
}
