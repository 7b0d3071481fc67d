import type { Json } from "../../model/json.ts";

/** Whether a text is a name that databases and their users take. */
export const isIdentifier = (name: string) => /^[a-z][\w-]{0,62}$/iu.test(name);

export const identifierForm = "at most 63 letters, digits, _ and -, which begins with a letter";

/** Returns a check for text of at least and at most so many characters; null is left to the schema. */
export const checkLength = (least: number, most: number) => (value: Json) => {
  if (typeof value !== "string") return undefined;
  const count = countCharacters(value);
  if (count >= least && count <= most) return undefined;
  return least === 0 ? `text of at most ${most} characters` : `text of ${least} to ${most} characters`;
};

/** Counts code points, as a schema of the API does. */
export const countCharacters = (text: string): number => Array.from(text).length;
