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
