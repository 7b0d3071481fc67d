import { escapeLabel, readString } from "../../kinds/dns/character-strings.ts";
import { normaliseDomain } from "../../kinds/shared/domain-name.ts";

/** A whole name in lower case with its final dot; only the characters that need an escape have one. */
export type WholeName = string;

const label = /(?:\\\d{3}|\\.|[^.\\])+/gsu;

/** Characters of a name of 255 bytes that are written as escapes. */
const longestName = 4 * 255;

/** Reads a name of a zone file; `expected` says what was expected instead. Names without a final dot are below the origin. */
export function readName(written: string, origin: WholeName | undefined): WholeName | { readonly expected: string } {
  if (written.length > longestName) return { expected: "a name of at most 255 bytes" };
  const isAscii = /^\p{ASCII}*$/u.test(written);
  const text = isAscii ? written : `${normaliseDomain(written)}${isWhole(written) ? "." : ""}`;
  if (text === "@" || !isWhole(text)) {
    if (origin === undefined) return { expected: "a whole name, because there is no $ORIGIN before it" };
    return text === "@" ? origin : check(`${text}.${origin === "." ? "" : origin}`);
  }
  return check(text);
}

/** Whether a name ends with a dot that does not belong to its last label. */
const isWhole = (text: string) => text.replaceAll(/\\./gsu, "").endsWith(".");

function check(text: string): WholeName | { readonly expected: string } {
  if (text === ".") return ".";
  const labels = text.match(label) ?? [];
  if (labels.join(".").length + 1 !== text.length) return { expected: "a name without empty labels" };
  const bytes = labels.map(readString);
  if (bytes.some(({ length }) => length > 63)) return { expected: "labels of at most 63 bytes" };
  if (bytes.reduce((sum, { length }) => sum + length + 1, 1) > 255) return { expected: "a name of at most 255 bytes" };
  return `${bytes.map((each) => escapeLabel(each).toLowerCase()).join(".")}.`;
}

/** Whether a name is another, or below it. */
export function isWithin(name: WholeName, top: WholeName): boolean {
  const [labels, above] = [name.match(label) ?? [], top.match(label) ?? []];
  return above.every((each, index) => labels[labels.length - above.length + index] === each);
}
