import type { YAMLParseError } from "yaml";

/** A mistake in YAML in plain words: a code for scripts, what is wrong, what was expected, what to do. */
export interface SyntaxErrorSentences {
  readonly code: string;
  readonly summary: string;
  readonly detail?: string;
  readonly hint?: string;
}

export const syntax = (summary: string, hint: string): SyntaxErrorSentences => ({ code: "yaml_syntax", summary, hint });

const tab: SyntaxErrorSentences = {
  code: "tab_indentation",
  summary: "The indentation contains a tab",
  detail: "spaces only",
  hint: "replace the tab with spaces, and let the editor insert spaces in .yaml files",
};
export const indentation = syntax(
  "The indentation does not fit the lines above",
  "keys of one map, and items of one list, begin in the same column",
);
const noColon = syntax(
  "A key without a value",
  "write a colon and a space after the key, and mind the indentation of its line",
);
const openQuote = syntax(
  "A quote is opened here and never closed",
  "close the quote, or write a quote inside the text twice ('') or with a backslash (\\\")",
);
const special = syntax(
  "A key or value begins with a character that has a meaning in YAML",
  'put the key or value in quotes, such as "@":',
);
const blockInFlow = syntax(
  "An indented list or map, or a second colon, is inside { } or [ ]",
  "write the inner one with brackets too, or look for a missing comma or quote",
);
const listOnKeyLine = syntax(
  "A list begins on the line of its key",
  "begin the list on the next line, or write it as [a, b]",
);
const badComma = syntax(
  "An item, a comma or a bracket is missing here",
  "separate the items of { } and [ ] with commas, and close every bracket",
);

/** The parser's own words quote the text, which may be a secret, so every text is ours. The first pattern that fits is taken. */
const known: readonly (readonly [pattern: RegExp, words: SyntaxErrorSentences])[] = [
  [/^TAB_AS_INDENT/u, tab],
  [/Missing closing ['"]/u, openQuote],
  [/map keys need to be followed|^MULTILINE_IMPLICIT_KEY/u, noColon],
  [/ end with a |^MISSING_CHAR.* items/u, badComma],
  [/^BLOCK_IN_FLOW/u, blockInFlow],
  [/block-seq-ind on same line/u, listOnKeyLine],
  [/^BAD_INDENT|without - indicator/u, indentation],
  [/^BAD_SCALAR_START|^BAD_ALIAS|^ALIAS_PROPS|^MULTIPLE_(ANCHORS|TAGS)|^TAG_RESOLVE_FAILED|^BAD_PROP_ORDER/u, special],
  [
    /^BAD_DQ_ESCAPE/u,
    syntax(
      "A text in double quotes contains a backslash that begins no escape",
      "double the backslash, or use single quotes",
    ),
  ],
  [
    /^BLOCK_AS_IMPLICIT_KEY/u,
    syntax("A second colon on one line", "put the value in quotes, or begin the inner map on a line of its own"),
  ],
  [
    /^KEY_OVER_1024_CHARS/u,
    syntax("The key is longer than 1,024 characters", "look for a missing quote or line break"),
  ],
  [
    /Comments must be separated/u,
    syntax("A comment without a space before it", "write a space before #, or put the value in quotes"),
  ],
  [/Missing space after :/u, syntax("A colon without a space after it", "write a space after the colon")],
];

/** Returns the words for an error of the parser; undefined for one that is rare. */
export const wordsFor = ({ code, message }: YAMLParseError): SyntaxErrorSentences | undefined =>
  known.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];
