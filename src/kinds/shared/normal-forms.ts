import { type Json, jsonText } from "../../model/json.ts";

/** A word whose case means nothing (MariaDB), in lower case; what is no text stays as it is. */
export const normaliseWord = (value: Json): Json => (typeof value === "string" ? value.trim().toLowerCase() : value);

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
