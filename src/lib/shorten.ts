/** The most characters of a text in a message that others have written: more than a person reads. */
const longest = 4000;
const atTheEnd = 500;

/** Returns the beginning of a text that is longer than a number of characters. A character of two halves is not cut in two. */
export const shorten = (text: string, limit: number): string =>
  text.length > limit ? `${whole(text.slice(0, limit))}…` : text;

/** Returns a text as a message shows it: of one that is too long, its beginning and its end, and how many characters stand between them. */
export function boundText(text: string): string {
  if (text.length <= longest) return text;
  const [head, tail] = [whole(text.slice(0, longest - atTheEnd)), text.slice(-atTheEnd)];
  return `${head}… (${(text.length - longest).toLocaleString("en")} characters are left out) …${tail}`;
}

const whole = (text: string) => text.replace(/[\ud800-\udbff]$/u, "");
