import { type Json, jsonText } from "../../model/json.ts";
import type { Key } from "../../model/resource.ts";

/** A text that some servers write as a number or a truth value; what is none of these stays as it is. */
export const normaliseScalar = (value: Json): Json =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value;

/** Returns the normal form of a field from that of its texts. */
export const ofText =
  (normalise: (text: string, key: Key) => Json) =>
  (value: Json, key: Key): Json => {
    const text = normaliseScalar(value);
    return typeof text === "string" ? normalise(text, key) : text;
  };

/** A word whose case means nothing (MariaDB), in lower case; a value that is not a text stays as it is. */
export const normaliseWord = ofText((text) => text.trim().toLowerCase());

/** A number that some servers write as a text; what is none stays as it is. */
export function normaliseNumber(value: Json): Json {
  return typeof value === "string" && /^-?\d+$/u.test(value.trim()) ? Number(value) : value;
}

const truths = ["true", "yes", "on", "1"];
const falsities = ["false", "no", "off", "0"];

/** A truth value that some servers write as a word or as 0 and 1; what is none stays as it is. */
export function normaliseBoolean(value: Json): Json {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const word = String(value).trim().toLowerCase();
  return truths.includes(word) || (falsities.includes(word) ? false : value);
}

/** A list whose order and repetitions mean nothing, each item in its normal form: sorted, each once. */
export function nameSet(normalise: (item: string) => string): (value: Json) => Json {
  return (value) =>
    Array.isArray(value) ? [...new Set(value.map((item) => normalise(jsonText(item))))].sort() : value;
}

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
