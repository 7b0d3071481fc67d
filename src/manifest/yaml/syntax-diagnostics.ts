import type { YAMLParseError } from "yaml";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { syntax, wordsFor, type SyntaxErrorSentences } from "../../lib/yaml-words.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { positionOf, type SourceText, type Span } from "./written.ts";

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
  const looked = new Set<number>();
  for (const error of errors) {
    const [start, end] = error.pos;
    // To look for what is behind a mistake takes the whole line, which may be the whole file, with a mistake at each character.
    const own = positionOf({ source, start, end }).line;
    if (looked.has(own) || byLine.size > limit) continue;
    looked.add(own);
    const slip = missingQuotes(source.text, start);
    const quote = isOpenQuote(error) ? openQuotes.get(start) : slip?.start;
    const span: Span = { source, start: quote ?? start, end: quote === undefined ? end : quote + 1 };
    const { line } = positionOf(span);
    if (!byLine.has(line)) byLine.set(line, diagnosticAt(span, { ...(slip?.words ?? wordsFor(error) ?? unexpected) }));
  }
  const found = [...byLine.values()];
  if (found.length <= limit) return found;
  const summary = `More lines of ${source.file} do not parse`;
  return [
    ...found.slice(0, limit),
    { severity: "error", code: "yaml_syntax", summary, hint: "fix the first errors, and validate again" },
  ];
}

const unexpected = syntax("Unexpected text", "look for a missing quote, colon, comma or bracket before it");
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

const isOpenQuote = ({ message }: YAMLParseError) => message.startsWith("Missing closing");
