/**
 * The blanks of a zone file are space and tab (RFC 1035 section 5.1), and the line breaks of a YAML block. Other blanks of Unicode are
 * characters like any other, so JavaScript's \s and trim() do not fit.
 */
const blanks = String.raw` \t\r\n`;

const edges = new RegExp(`^[${blanks}]+|[${blanks}]+$`, "gu");
const runs = new RegExp(`[${blanks}]+`, "gu");

const isBlank = (char: string | undefined) => char === " " || char === "\t" || char === "\r" || char === "\n";

/** Returns a text without the blanks at its ends. Nearly no content has any, and each is looked at often. */
export const trimBlanks = (text: string): string =>
  isBlank(text[0]) || isBlank(text.at(-1)) ? text.replaceAll(edges, "") : text;

export const replaceBlanks = (text: string, replacement: string): string => text.replaceAll(runs, replacement);
