import { looksLikeCredentials, namesSecret } from "../../model/credentials.ts";
import type { Kind } from "../../kinds/kind.ts";
import type { Json } from "../../model/json.ts";

/** Returns the type of a value in words. */
export function jsonTypeOf(value: Json | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return { string: "a text", number: "a number", boolean: "true or false" }[typeof value as "string"];
}

/** Returns a place of an answer in words. */
export const placeText = (pointer: string): string => (pointer === "" ? "the top of the answer" : pointer);

/**
 * Returns a short word or number of an answer as it may be shown; undefined if it could be a secret or a person's: of live objects only
 * numbers and words of letters are shown.
 */
export function shownWord(kind: Kind, field: string, value: Json): string | undefined {
  const { access, mayHoldCredentials = false } = kind.fields[field] ?? {};
  if (access === "write_only" || mayHoldCredentials || namesSecret(field)) return undefined;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && /^[A-Za-z][\w -]{0,29}$/u.test(value) && !looksLikeCredentials(value)
    ? value
    : undefined;
}

export const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? "" : "s"}`;
