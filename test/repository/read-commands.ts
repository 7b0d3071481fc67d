/** A fenced block of a Markdown text. */
export interface Block {
  /** The word after the fence; empty if there is none. */
  readonly language: string;
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** The fenced blocks of a Markdown text, in order. */
export function readBlocks(markdown: string): Block[] {
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gmsu)].map(({ index, 1: language = "", 2: text = "" }) => ({
    language,
    text,
    line: markdown.slice(0, index).split("\n").length,
  }));
}

/** The commands of a block of shell, without their comments. */
export const commandsOf = ({ text }: Block): string[] =>
  text
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/u, "").trim())
    .filter((line) => line !== "");
