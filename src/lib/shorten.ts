import { stripVTControlCharacters } from "node:util";
import { escapeControls } from "./escape.ts";

/** The most characters of a text in a message that others have written: more than a person reads. */
const longest = 4000;
const atTheEnd = 500;

/** The most characters of a hint: our own words, which may hold a recipe of many flags. */
export const longestHint = 100_000;

/** Returns the beginning of a text that is longer than a number of characters. A character of two halves is not cut in two. */
export const shorten = (text: string, limit: number): string =>
  text.length > limit ? `${whole(text.slice(0, limit))}…` : text;

/** Returns a text as a message shows it: of one that is too long, its beginning and its end, and how many characters stand between them. */
export function boundText(text: string, limit = longest): string {
  if (text.length <= limit) return text;
  const end = Math.min(atTheEnd, Math.floor(limit / 4));
  const [head, tail] = [whole(text.slice(0, limit - end)), text.slice(-end)];
  return `${head}… (${(text.length - limit).toLocaleString("en")} characters are left out) …${tail}`;
}

/** Returns foreign text as it may be printed where it holds no secret: control characters escaped, cut if it is too long. */
export const harmless = (text: string): string => boundText(escapeControls(text));

const whole = (text: string) => text.replace(/[\ud800-\udbff]$/u, "");

/** Returns a number with its noun: `1 step`, `2 steps`. */
export const counted = (count: number, word: string) => `${count} ${plural(count, word)}`;

export const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

/** Returns the first names, and how many others there are: `a, b and 3 more`. */
export function nameSome(names: readonly string[], most: number): string {
  const others = names.length - most;
  return `${names.slice(0, most).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}

/** Returns the first texts of a list, with a sign if there are more. */
export const someOf = (texts: readonly string[], count: number) =>
  texts.slice(0, count).join(", ") + (texts.length > count ? ", …" : "");

/** Returns how many columns of a terminal a text takes: what colours it takes none, and neither do marks above and below letters. */
export function widthOf(text: string): number {
  const seen = text.includes("\u001b") || text.includes("\u009b") ? stripVTControlCharacters(text) : text;
  if (!/[\u0300-\u{10ffff}]/u.test(seen)) return seen.length;
  return seen
    .replaceAll(mark, "")
    .replaceAll(wide, "xx")
    .replaceAll(/[\u{10000}-\u{10ffff}]/gu, "x").length;
}

/** Returns the part of a text that takes the columns of a terminal from one to another. A blank stands for half of a wide character. */
export function columnsOf(text: string, from: number, to: number): string {
  let shown = "";
  let at = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const end = at + widthOf(segment);
    shown += from <= at && end <= to ? segment : " ".repeat(Math.max(0, Math.min(end, to) - Math.max(at, from)));
    at = end;
  }
  return shown;
}

// Vowels and final consonants of Hangul stand in the column of the consonant before them.
const mark = /[\p{Mn}\p{Me}\u1160-\u11ff\ud7b0-\ud7ff]/gu;
const wide =
  /\p{RI}{2}|\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/gu;
