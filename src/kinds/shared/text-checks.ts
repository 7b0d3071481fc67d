import type { Json } from "../../model/json.ts";

/** Whether a text is a name that databases and their users take. */
export const isIdentifier = (name: string) => /^[a-z][\w-]{0,62}$/iu.test(name);

export const identifierForm = "at most 63 letters, digits, _ and -, which begins with a letter";

export const checkNotEmpty = (value: Json) => (value === "" ? "text that is not empty" : undefined);

/** Counts code points, as a schema of the API does. */
export const countCharacters = (text: string): number => Array.from(text).length;
