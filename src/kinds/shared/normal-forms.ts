import { type Json, jsonText } from "../../model/json.ts";

/** A word whose case means nothing (MariaDB), in lower case; what is no text stays as it is. */
export const normaliseWord = (value: Json): Json => (typeof value === "string" ? value.trim().toLowerCase() : value);

/** A number that some servers write as a text; what is none stays as it is. */
export function normaliseNumber(value: Json): Json {
  return typeof value === "string" && /^-?\d+$/u.test(value.trim()) ? Number(value) : value;
}

const words: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["off", false],
  ["0", false],
]);

/** A truth value that some servers write as a word or as 0 and 1; what is none stays as it is. */
export function normaliseBoolean(value: Json): Json {
  if (typeof value !== "string" && typeof value !== "number") return value;
  return words.get(String(value).trim().toLowerCase()) ?? value;
}

/** A list whose order and repetitions mean nothing, each item in its normal form: sorted, each once. */
export function nameSet(normalise: (item: string) => string): (value: Json) => Json {
  return (value) =>
    Array.isArray(value) ? [...new Set(value.map((item) => normalise(jsonText(item))))].sort() : value;
}
