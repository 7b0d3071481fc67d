import type { YAMLParseError } from "yaml";
import type { Diagnostic } from "../model/diagnostic.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { positionOf, type SourceText } from "./written.ts";

type Words = Pick<Diagnostic, "code" | "summary"> & Partial<Pick<Diagnostic, "detail" | "hint">>;

const syntax = (summary: string, hint: string): Words => ({ code: "yaml_syntax", summary, hint });

const tab: Words = {
  code: "tab_indentation",
  summary: "A tab stands in the indentation",
  detail: "YAML is indented with spaces only",
  hint: "replace the tab with spaces, and let the editor insert spaces in .yaml files",
};
const indentation = syntax(
  "The indentation does not fit what stands above",
  "keys of one map, and items of one list, begin in the same column",
);
const noColon = syntax(
  "A key without a value",
  "write a colon and a blank after the key, and mind the indentation of its line",
);
const openQuote = syntax(
  "A quote is opened here and never closed",
  "close the quote, or write a quote inside the text twice ('') or with a backslash (\\\")",
);
const special = syntax("A value begins with a character that means something to YAML", "put the value in quotes");
const badComma = syntax(
  "An item, a comma or a bracket is missing here",
  "separate the items of { } and [ ] with commas, and close every bracket",
);
const unexpected = syntax("This does not belong here", "look for a missing quote, colon, comma or bracket before it");

/** The parser's own words quote the text, which may be a secret, so every text is ours. The first pattern that fits is taken. */
const known: readonly (readonly [pattern: RegExp, words: Words])[] = [
  [/^TAB_AS_INDENT/u, tab],
  [/Missing closing ['"]/u, openQuote],
  [/map keys need to be followed|^MULTILINE_IMPLICIT_KEY/u, noColon],
  [/^BAD_INDENT|^BLOCK_IN_FLOW/u, indentation],
  [/^BAD_SCALAR_START|^BAD_ALIAS|^ALIAS_PROPS|^MULTIPLE_(ANCHORS|TAGS)|^TAG_RESOLVE_FAILED|^BAD_PROP_ORDER/u, special],
  [
    /^BAD_DQ_ESCAPE/u,
    syntax("A backslash that begins no escape stands in double quotes", "double the backslash, or use single quotes"),
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
    syntax("A comment without a blank before it", "write a blank before #, or put the value in quotes"),
  ],
  [/Missing space after :/u, syntax("A colon without a blank after it", "write a blank after the colon")],
  [/^MISSING_CHAR.*(,|end with|and end)/u, badComma],
];

/** The parser's errors as diagnostics: one a line, at most `limit`, and a note of the rest. */
export function syntaxDiagnostics(source: SourceText, errors: readonly YAMLParseError[], limit: number): Diagnostic[] {
  const byLine = new Map<number, YAMLParseError>();
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const { line } = positionOf(spanOf(source, error));
    if (!byLine.has(line)) byLine.set(line, error);
  }
  const shown = [...byLine.values()].slice(0, limit).map((error) => describe(source, error));
  const more = byLine.size - shown.length;
  if (more <= 0) return shown;
  const summary = `${more} more lines of ${source.file} do not parse`;
  return [...shown, { severity: "error", code: "yaml_syntax", summary, hint: "mend the first ones, and look again" }];
}

function describe(source: SourceText, error: YAMLParseError): Diagnostic {
  const text = `${error.code} ${error.message}`;
  const words = known.find(([pattern]) => pattern.test(text))?.[1] ?? unexpected;
  return diagnosticAt(spanOf(source, error), { severity: "error", ...words });
}

const spanOf = (source: SourceText, { pos: [start, end] }: YAMLParseError) => ({ source, start, end });
