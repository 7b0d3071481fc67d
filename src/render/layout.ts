import { styleText } from "node:util";
import { escapeControls } from "../lib/escape.ts";
import { boundText, widthOf } from "../lib/shorten.ts";

/** The page that a text is laid out on. */
export interface Page {
  /** Characters of a line. Only a word that is longer makes a line longer. */
  readonly width: number;
  readonly color: boolean;
  /** Masks the secrets in a text. A text is masked before it is laid out, because a line break would part a secret. */
  readonly mask: (text: string) => string;
}

/** Words that belong together: a line is broken between two of them only if all of them are too long for it. */
export type Cell = readonly string[];

const gap = 3;

/** Returns foreign text as it may be printed: secrets masked, control characters escaped, cut if it is too long. A secret is masked before it could be cut in two. */
export const printable = ({ mask }: Pick<Page, "mask">, text: string, limit?: number): string =>
  boundText(mask(escapeControls(text)), limit);

/** Returns the sections that have lines, with an empty line between two. */
export const joinSections = (sections: readonly (readonly string[])[]): string =>
  `${sections.flatMap((lines) => (lines.length === 0 ? [] : [lines.join("\n")])).join("\n\n")}\n`;

/** Splits a text at its single spaces, so that a line break stands for exactly one space. A command in backticks stays whole, to be copied. */
export const cellOf = (text: string): Cell =>
  text
    .replaceAll(/`[^`\n]+`/gu, (command) => command.replaceAll(" ", "\0"))
    .split(/(?<! ) (?! )/u)
    .map((word) => word.replaceAll("\0", " "));

/** Lays a sentence out as lines of the page; from the second line on they are indented. */
export const layOutText = (page: Page, text: string, indent = 2): string[] => layOut(page, [cellOf(text)], indent);

/** Lays a text of several lines out that may be printed as it is. An indented line, such as a command to copy, stays whole. */
export const layOutLines = (text: string, width: number): string => {
  const page = { width, color: false, mask: (each: string) => each };
  return text.replaceAll(/^\S.*$/gmu, (line) => layOutText(page, line).join("\n"));
};

/** Lays cells out beside each other. A cell that does not fit begins a line, which is indented; one that fits on no line is broken. */
export function layOut({ width }: Page, cells: readonly Cell[], indent: number): string[] {
  const lines: string[] = [];
  let line = "";
  let used = 0;
  const begin = (word: string) => {
    if (line !== "") lines.push(line.trimEnd());
    const length = widthOf(word);
    const space = lines.length === 0 ? 0 : Math.max(0, Math.min(indent, width - length));
    line = " ".repeat(space) + word;
    used = space + length;
  };
  const add = (word: string, space: number) => {
    const length = widthOf(word);
    if (line === "" || used + space + length > width) return begin(word);
    line += " ".repeat(space) + word;
    used += space + length;
  };
  for (const [first = "", ...rest] of cells) {
    const whole = [first, ...rest].join(" ");
    if (line === "" || used + gap + widthOf(whole) > width) begin(first);
    else add(first, gap);
    for (const word of rest) add(word, 1);
  }
  return [...lines, line.trimEnd()];
}

/** Returns a text with blanks up to a width. */
export const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

/** Returns cells on one line of the page; undefined if they do not fit there. The first is not empty. */
export function onOneLine({ width }: Page, cells: readonly Cell[]): string | undefined {
  const line = cells.map((cell) => cell.join(" ")).join(" ".repeat(gap));
  return widthOf(line) <= width ? line.trimEnd() : undefined;
}

/** Returns the largest of some numbers, 0 if there are none. `Math.max` takes no more of them than the stack. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), 0);

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "magenta" | "cyan" | "blue";

/** Colours a text, or leaves it as it is. */
export const paint = ({ color }: { readonly color: boolean }, style: Style, text: string): string =>
  color ? styleText(style, text, { validateStream: false }) : text;

/** Rows of cells as lines of aligned columns; the last column is not padded. Cells must be escaped already. */
export function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell));
  return rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
