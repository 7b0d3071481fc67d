import { isUtf8 } from "node:buffer";

/** The headers of an answer; a name may be given as the contract spells it. */
export type Header = (name: string | undefined) => string | undefined;

/** Larger answers are refused: 16 MiB holds dozens of full pages. */
const maxBytes = 16 * 1024 * 1024;
/** So are those with more of these: each object and list takes many times its two characters in memory. */
const maxBrackets = 100_000;

/** The text of an answer, and whether its bytes are UTF-8; or why it was not read to its end. */
export type AnswerText = { readonly text: string; readonly isUtf8: boolean } | { readonly tooLarge: string };

// Without the mark that some servers begin with (U+FEFF), which does not belong to the text.
const decoder = new TextDecoder();

/**
 * Collects the pieces of an answer.
 * @param length the header `Content-Length`.
 */
export function collectText(length: string | undefined) {
  const chunks: Uint8Array[] = [];
  let bytes = Number(length) > maxBytes ? Number(length) : 0;
  let brackets = 0;
  let counted = 0;
  return {
    /** Returns whether more may come. */
    add: (chunk: Uint8Array): boolean => {
      chunks.push(chunk);
      bytes += chunk.length;
      // Fewer bytes hold fewer brackets.
      if (bytes > maxBrackets) {
        for (const each of chunks.slice(counted)) brackets += countBrackets(each);
        counted = chunks.length;
      }
      return bytes <= maxBytes && brackets <= maxBrackets;
    },
    end: (): AnswerText => {
      if (bytes > maxBytes) return { tooLarge: `the answer is larger than ${maxBytes / 1024 / 1024} MiB` };
      if (brackets > maxBrackets) return { tooLarge: `the answer holds more than ${maxBrackets} objects and lists` };
      const [first] = chunks;
      const whole = first && chunks.length === 1 ? first : Buffer.concat(chunks);
      return { text: decoder.decode(whole), isUtf8: isUtf8(whole) };
    },
  };
}

/** `[` and `{`, those within texts too: there are few. */
function countBrackets(chunk: Uint8Array): number {
  let count = 0;
  for (const byte of chunk) if (byte === 0x5b || byte === 0x7b) count += 1;
  return count;
}

const shownChars = 80;

/** Describes a text in place of JSON: often the page of a proxy, or of a login. `text` is without secrets: half a secret could not be recognised any more. */
export function describePage(text: string): string {
  const title = /<title[^>]*>([^<]*)/iu.exec(text.slice(0, 10_000))?.[1]?.trim() ?? "";
  const start = text.trim().slice(0, shownChars).replaceAll(/\s+/gu, " ");
  if (/^\s*<(!doctype html|html)/iu.test(text)) {
    const named = title === "" ? "" : ` titled "${title.slice(0, shownChars)}"`;
    return `the response is an HTML page${named} instead of JSON: a proxy may be in between, or the base URL is wrong`;
  }
  return `the answer is not JSON, and begins: ${start}`;
}
