import type { Json } from "../../model/json.ts";

/** Returns a check for text of at least and at most so many characters; null is left to the schema. */
export const checkLength = (least: number, most: number) => (value: Json) => {
  if (typeof value !== "string") return undefined;
  const count = countCharacters(value);
  if (count >= least && count <= most) return undefined;
  return least === 0 ? `text of at most ${most} characters` : `text of ${least} to ${most} characters`;
};

/** Counts code points, as a schema of the API does. */
export const countCharacters = (text: string): number => Array.from(text).length;
