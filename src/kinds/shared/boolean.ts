import type { Json } from "../../model/json.ts";

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
