import { readBuilt } from "../lib/read-built.ts";
import { asksForHelp, withHelpWords } from "./help-words.ts";

/** A help text before it is laid out. The build makes one for each command from the options that the parser knows. */
export interface HelpPage {
  /** The lines before the sections. */
  readonly head: readonly string[];
  readonly sections: readonly HelpSection[];
}

export interface HelpSection {
  readonly title: string;
  readonly rows: readonly HelpRow[];
}

/** `indent`: blanks before the name, beside those of every row; `extra`: its type and default, in brackets. */
export interface HelpRow {
  readonly indent: number;
  readonly name: string;
  readonly text: string;
  readonly extra: string;
}

/** The pages by the words of their commands; the page of the program has no word. */
export type HelpPages = Readonly<Record<string, HelpPage>>;

/** Characters of the longest line of a help text. */
export const widestHelp = 120;

/** Returns the page that arguments ask for which name a command, and for nothing but its help; undefined for all others. */
export function pageAskedFor(argv: readonly string[]): HelpPage | undefined {
  if (!asksForHelp(argv)) return undefined;
  const name = withHelpWords(argv).slice(0, -1).join(" ");
  const pages = readPages();
  return Object.hasOwn(pages, name) ? pages[name] : undefined;
}

/** Returns the page of the command whose words a command line begins with. Default: the page of the program. */
export function findPage(words: readonly string[]): HelpPage {
  const pages = readPages();
  const length = words.findLastIndex((_, index) => Object.hasOwn(pages, words.slice(0, index + 1).join(" "))) + 1;
  const page = pages[words.slice(0, length).join(" ")];
  if (!page) throw new Error("The package has no help text");
  return page;
}

const readPages = (): HelpPages => JSON.parse(readBuilt("help.json")) as HelpPages;

/** Lays a page out as yargs would: on lines of `width` characters, without a line break at its end. */
export function layOutPage({ head, sections }: HelpPage, width: number): string {
  const lines = head.flatMap((line) => wrap(line, width));
  for (const { title, rows } of sections) {
    const longest = Math.max(...rows.map(({ indent, name }) => indent + name.length));
    const column = Math.min(longest, Math.floor(width / 2)) + 4;
    lines.push("", title, ...rows.flatMap((row) => layOutRow(row, column, width)));
  }
  return lines.join("\n");
}

/** Lays a row out: its text begins at `column`, and its extra stands at the end of the first line that has room for it. */
function layOutRow({ indent, name, text, extra }: HelpRow, column: number, width: number): string[] {
  const names = wrap(name, column - indent - 4);
  const texts = wrap(text, width - column);
  const lines = Array.from({ length: Math.max(names.length, texts.length) }, (_, index) =>
    `${" ".repeat(indent + 2)}${names[index] ?? ""}`
      .padEnd(column)
      .concat(texts[index] ?? "")
      .trimEnd(),
  );
  if (extra === "") return lines;
  const [first = "", ...others] = wrap(extra, width - 2).map((line) => line.padStart(width));
  const last = lines.at(-1) ?? "";
  const hasRoom = first.length - first.trimStart().length >= last.length;
  return hasRoom ? [...lines.slice(0, -1), last + first.slice(last.length), ...others] : [...lines, first, ...others];
}

/** Breaks a text into lines, between words where that is possible. */
const wrap = (text: string, width: number): string[] => text.split("\n").flatMap((line) => wrapLine(line, width));

function wrapLine(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  const end = () => {
    lines.push(line.trimEnd());
    line = "";
  };
  for (const word of text.split(" ")) {
    if (line !== "") line += " ";
    const room = width - line.length;
    // A word that fits on no line is broken where that makes the fewest lines.
    if (word.length > width) {
      if (Math.floor((word.length - 1) / width) < 1 + Math.floor((word.length - room - 1) / width)) end();
      const parts = [word.slice(0, width - line.length), ...splitInto(word.slice(width - line.length), width)];
      for (const part of parts.slice(0, -1)) {
        line += part;
        end();
      }
      line += parts.at(-1) ?? "";
      continue;
    }
    if (word.length > room && line !== "") end();
    line += word;
  }
  end();
  return lines;
}

const splitInto = (text: string, width: number): string[] =>
  Array.from({ length: Math.ceil(text.length / width) }, (_, index) => text.slice(index * width, (index + 1) * width));
