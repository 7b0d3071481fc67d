import type { YAMLParseError } from "yaml";
import type { Diagnostic } from "../model/diagnostic.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { positionOf, type SourceText, type Span } from "./written.ts";

type SyntaxErrorSentences = Pick<Diagnostic, "code" | "summary"> & Partial<Pick<Diagnostic, "detail" | "hint">>;

const syntax = (summary: string, hint: string): SyntaxErrorSentences => ({ code: "yaml_syntax", summary, hint });

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
const unexpected = syntax("Unexpected text", "look for a missing quote, colon, comma or bracket before it");

/** The parser's own words quote the text, which may be a secret, so every text is ours. The first pattern that fits is taken. */
const known: readonly (readonly [pattern: RegExp, words: SyntaxErrorSentences])[] = [
  [/^TAB_AS_INDENT/u, tab],
  [/Missing closing ['"]/u, openQuote],
  [/map keys need to be followed|^MULTILINE_IMPLICIT_KEY/u, noColon],
  [/ end with a |^MISSING_CHAR.* items/u, badComma],
  [/^BLOCK_IN_FLOW/u, blockInFlow],
  [/block-seq-ind on same line/u, listOnKeyLine],
  [/^BAD_INDENT/u, indentation],
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

/**
 * The parser's errors as diagnostics: one a line, at most `limit`, and a note of the rest.
 * @param openQuotes from the end of a text whose quote is not closed to the quote, which is what to look at.
 */
export function syntaxDiagnostics(
  source: SourceText,
  errors: readonly YAMLParseError[],
  openQuotes: ReadonlyMap<number, number>,
  limit: number,
): Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  for (const error of errors) {
    const [start, end] = error.pos;
    const slip = missingQuotes(source.text, start);
    const quote = isOpenQuote(error) ? openQuotes.get(start) : slip?.start;
    const span: Span = { source, start: quote ?? start, end: quote === undefined ? end : quote + 1 };
    const { line } = positionOf(span);
    if (byLine.size <= limit && !byLine.has(line))
      byLine.set(line, diagnosticAt(span, { severity: "error", ...(slip?.words ?? wordsFor(error)) }));
  }
  const found = [...byLine.values()];
  if (found.length <= limit) return found;
  const summary = `More lines of ${source.file} do not parse`;
  return [
    ...found.slice(0, limit),
    { severity: "error", code: "yaml_syntax", summary, hint: "fix the first errors, and validate again" },
  ];
}

const unquotedReference = syntax(
  "A value with ${…} is inside { } or [ ] without quotes",
  'put it in quotes, such as "${env:NAME}"',
);
const unquotedStar = syntax(
  "A text that begins with * has no quotes, so YAML takes it for an alias",
  'put it in quotes, such as "*.dev" or "*/15 * * * *"',
);

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

/** Finds a text without quotes that begins with `*`, at most at a place of its line, and is no alias that a person would write. */
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

const isOpenQuote = ({ message }: YAMLParseError) => message.startsWith("Missing closing");

function wordsFor({ code, message }: YAMLParseError): SyntaxErrorSentences {
  return known.find(([pattern]) => pattern.test(`${code} ${message}`))?.[1] ?? unexpected;
}
