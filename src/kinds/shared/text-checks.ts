import type { Json } from "../../model/json.ts";

/** Whether a text is a name that databases and their users take. */
export const isIdentifier = (name: string) => /^[a-z][\w-]{0,62}$/iu.test(name);

export const identifierForm = "at most 63 letters, digits, _ and -, which begins with a letter";

export const checkNotEmpty = (value: Json) => (value === "" ? "text that is not empty" : undefined);

/**
 * The blanks of a zone file are space and tab (RFC 1035 section 5.1), and the line breaks of a YAML block. Other blanks of Unicode are
 * characters like any other, so JavaScript's \s and trim() do not fit.
 */
const blanks = String.raw` \t\r\n`;

const edges = new RegExp(`^[${blanks}]+|[${blanks}]+$`, "gu");
const runs = new RegExp(`[${blanks}]+`, "gu");

const isBlank = (char: string | undefined) => char === " " || char === "\t" || char === "\r" || char === "\n";

/** Returns a text without the blanks at its ends. Few contents have blanks there, and each is looked at often. */
export const trimBlanks = (text: string): string =>
  isBlank(text[0]) || isBlank(text.at(-1)) ? text.replaceAll(edges, "") : text;

export const replaceBlanks = (text: string, replacement: string): string => text.replaceAll(runs, replacement);
