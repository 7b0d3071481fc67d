import type { Json } from "../../model/json.ts";

/** A number that some servers write as a text; what is none stays as it is. */
export function normaliseNumber(value: Json): Json {
  return typeof value === "string" && /^-?\d+$/u.test(value.trim()) ? Number(value) : value;
}
