import type { YAMLParseError } from "yaml";

/** A mistake in YAML in plain words: a code for scripts, what is wrong, what was expected, what to do. */
interface SyntaxErrorSentences {
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
const indentation = syntax(
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
const wordsFor = ({ code, message }: YAMLParseError): SyntaxErrorSentences | undefined =>
  known.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1];

const unquotedReference = syntax(
  "A value with ${…} is inside { } or [ ] without quotes",
  'put it in quotes, such as "${env:NAME}"',
);
const unquotedStar = syntax(
  "A text that begins with * has no quotes, so YAML takes it for an alias",
  'put it in quotes, such as "*.dev" or "*/15 * * * *"',
);

/** Returns where a mistake in a text stands, and its words; none for one that is rare. `next`: the mistake behind it. */
export function explainError(text: string, error: YAMLParseError, next: YAMLParseError | undefined) {
  const [start, end] = error.pos;
  const slip = missingQuotes(text, start) ?? wrongIndent(text, error, next);
  return slip ? { ...slip, end: slip.start + 1 } : { start, end, words: wordsFor(error) };
}

/** One of the two commonest mistakes, and where it begins. */
interface Slip {
  readonly start: number;
  readonly words: SyntaxErrorSentences;
}

/** Finds one of the two commonest mistakes at a syntax error or before it, in its line or in the last line before that is not empty. */
function missingQuotes(text: string, at: number): Slip | undefined {
  if (text.slice(at - 1, at + 1) === "${") return { start: at - 1, words: unquotedReference };
  const lineStart = text.lastIndexOf("\n", at - 1) + 1;
  const before = text.slice(0, lineStart).trimEnd();
  return starIn(text, lineStart, at) ?? starIn(text, before.lastIndexOf("\n") + 1, before.length);
}

/**
 * Finds the key or item whose indentation is wrong. Of one that seems to go on with the value of the line before, the parser names the
 * value, and complains twice; of others it names what stands before them, such as a comment.
 */
function wrongIndent(text: string, error: YAMLParseError, next: YAMLParseError | undefined): Slip | undefined {
  const isInValue = error.code === "BLOCK_AS_IMPLICIT_KEY" && next?.code === "MULTILINE_IMPLICIT_KEY";
  if (!isInValue && wordsFor(error) !== indentation) return undefined;
  const from = isInValue ? text.lastIndexOf("\n", next.pos[1] - 1) + 1 : error.pos[0];
  return { start: from + text.slice(from).search(/[^\s#](?<=^\s*.)/mu), words: indentation };
}

/** Finds a text without quotes that begins with `*`, at most at a place of its line, and is not an alias that a person would write. */
function starIn(text: string, lineStart: number, at: number): Slip | undefined {
  const [line = ""] = text.slice(lineStart).split(/\r?\n/u, 1);
  for (const { index, 0: found } of `${line} `.matchAll(/(?:^\s*|[:,-]\s+|[{[]\s*)\*(?=[./:,\]\s])/gu)) {
    const start = index + found.length - 1;
    const isInText = /#/u.test(line.slice(0, start)) || ['"', "'"].some((quote) => isOdd(line.slice(0, start), quote));
    if (lineStart + start <= at && !isInText) return { start: lineStart + start, words: unquotedStar };
  }
  return undefined;
}

const isOdd = (text: string, character: string) => text.split(character).length % 2 === 0;
