import type { Json } from "../../model/json.ts";

/**
 * Returns a normal form in the letter case in which it was written: names, digests and keywords mean the same in either, and servers
 * show what they were sent. Words that differ in more than their case, quotes around them or a final dot stay normal.
 */
export function inWrittenCase(written: string, normal: string): string {
  const words = wordsOf(written);
  const normalWords = wordsOf(normal);
  if (words.length !== normalWords.length) return normal;
  return normalWords.map((word, index) => wordInCase(words[index] ?? "", word)).join(" ");
}

/** Returns a value as it was written: the API takes every spelling of it. */
export const asWritten = (written: Json): Json => written;

export const spellInWrittenCase = (written: Json, normal: Json): Json =>
  typeof written === "string" && typeof normal === "string" ? inWrittenCase(written, normal) : normal;

/** Returns the items of a list in their written order and case, each once; of two spellings that which is first in order. */
export const itemsAsWritten =
  (normalise: (item: string) => string) =>
  (written: Json): Json => {
    if (!Array.isArray(written)) return written;
    const byNormal = new Map<string, string>();
    for (const item of written.map(String)) {
      const normal = normalise(item);
      const [inCase, known] = [inWrittenCase(item, normal), byNormal.get(normal)];
      if (known === undefined || inCase < known) byNormal.set(normal, inCase);
    }
    return [...byNormal.values()];
  };

/** Returns the items of a list in their written order, each once and in its normal form: the API takes no other. */
export const inWrittenOrder =
  (normalise: (item: string) => string) =>
  (written: Json): Json =>
    Array.isArray(written) ? [...new Set(written.map((item) => normalise(String(item))))] : written;

/** A quoted part keeps its blanks, also within a word such as `key="a  b"`. */
const wordsOf = (text: string) => text.match(/(?:\\.|"(?:[^"\\]|\\.)*"|[^ \t\r\n])+/gsu) ?? [];

function wordInCase(written: string, normal: string): string {
  const ways = [written, `"${written}"`, `${written}.`, written.replace(/\.$/u, "")];
  // Two letters of other scripts become k and i in lower case.
  const isSame = (way: string) => /^\p{ASCII}*$/u.test(way) && way.toLowerCase() === normal.toLowerCase();
  return ways.find(isSame) ?? normal;
}
