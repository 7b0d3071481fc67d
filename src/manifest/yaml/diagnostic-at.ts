import type { Diagnostic } from "../../model/diagnostic.ts";
import { positionOf, type Span, endOfLine, lastBefore, lineStarts, type SourceText } from "./written.ts";
import { standIns } from "../../lib/escape.ts";
import { widthOf } from "../../lib/shorten.ts";
import { isHarmless } from "./secret-keys.ts";
import { misplacedIn, secretKeysFor, secretSpans, type SecretSpan } from "./secret-spans.ts";

/** A diagnostic without its place. */
export type Mistake = Omit<Diagnostic, "severity" | "at" | "frame">;

/** @param severity default: an error. */
type Fields = Mistake & Partial<Pick<Diagnostic, "severity">>;

/**
 * Returns a diagnostic with the place and the source line of a span. The line is cut out when it is asked for: of 100,000 mistakes only
 * the first are printed.
 */
export const diagnosticAt = (span: Span, { severity = "error", ...fields }: Fields): Diagnostic =>
  withFrame({ ...fields, severity, at: positionOf(span) }, span);

/** Adds the source line of a span to a diagnostic. */
export const withFrame = (diagnostic: Diagnostic, span: Span): Diagnostic => ({
  ...diagnostic,
  get frame() {
    return frameOf(span);
  },
});

const before = 60;
const after = 90;
// Secrets are looked for by the line alone no further from the carets than this, since a line may be the whole file.
const reach = 2000;
const mask = "(sensitive)";

/**
 * The one source line at which a span begins, with carets under the span, as two lines of text. Secrets are masked, control
 * characters have a visible stand-in, long lines are cut around the carets.
 */
export function frameOf(span: Span): string {
  const { source } = span;
  const index = positionOf(span).line - 1;
  const lineStart = lineStarts(source)[index] ?? 0;
  const lineEnd = endOfLine(source, index);
  const hidden = hiddenIn(source, Math.max(lineStart, span.start - reach), Math.min(lineEnd, span.start + reach));
  const caret = snap([Math.min(span.start, lineEnd), Math.min(Math.max(span.end, span.start), lineEnd)], hidden);
  const from = Math.max(lineStart, caret[0] - before);
  const to = Math.min(lineEnd, Math.max(caret[1], caret[0] + after), caret[0] + 2 * after);
  const caretEnd = Math.min(caret[1], to);
  const shown = (start: number, end: number) => standIns(masked(source.text, start, end, hidden));
  const lead = (from > lineStart ? "…" : "") + shown(from, caret[0]);
  const under = shown(caret[0], caretEnd);
  const tail = shown(caretEnd, to) + (to < lineEnd ? "…" : "");
  return `${lead}${under}${tail}\n${" ".repeat(widthOf(lead))}${"^".repeat(Math.max(1, widthOf(under)))}`;
}

function hiddenIn(source: SourceText, start: number, end: number): SecretSpan[] {
  const inLine = spansInLine(source, start, end);
  const noted = misplacedIn(source).map(([from, to]): SecretSpan => [Math.max(from, start), Math.min(to, end)]);
  const spans = [...overlapping(secretSpans(source, end), start, end), ...inLine, ...noted];
  const hidden = joined(spans.filter(([start, end]) => start < end));
  return hidden.length === 0 ? hidden : withoutReferences(hidden, source.text.slice(start, end), start);
}

// A name tells nothing of the value that it stands for, and without it a person cannot tell which of ten variables is meant.
const reference = /\$\{(?:(?:env|exec):[A-Za-z_]\w*|file:[\w./-]+|ref:[\w./@+*-]+|(?:var|param):\w+|each)\}/gu;

/** Cuts `${env:NAME}`, `${param:NAME}` and others that only name a value out of secret spans, with the quotes around a value of nothing else. */
function withoutReferences(spans: readonly SecretSpan[], text: string, offset: number): SecretSpan[] {
  let shown = [...spans];
  for (const { index, 0: found } of text.matchAll(reference)) {
    const [start, end] = [offset + index, offset + index + found.length];
    shown = shown.flatMap(([from, to]): SecretSpan[] =>
      to <= start || end <= from
        ? [[from, to]]
        : [[from, start] as const, [end, to] as const].filter(([first, last]) => first < last),
    );
  }
  return shown.filter(([from, to]) => !/^["']$/u.test(text.slice(from - offset, to - offset)));
}

/** The spans that touch a stretch of the text. Spans are in order, so the first is found by halving. */
function overlapping(spans: readonly SecretSpan[], start: number, end: number): SecretSpan[] {
  const found: SecretSpan[] = [];
  let index = lastBefore(spans, ([, spanEnd]) => spanEnd, start) + 1;
  for (let span = spans[index]; span && span[0] < end; span = spans[(index += 1)]) {
    found.push([Math.max(span[0], start), Math.min(span[1], end)]);
  }
  return found;
}

const keyInLine = /([\w-]{1,40})["']?[ \t]*:[ \t]*/gu;
// Up to what ends a value for certain: a comma before a blank or a quote, or closing brackets before a comma or the end.
const flowValue = /^(?:"(?:[^"\\]|\\.)*"?|'[^']*'?)?.*?(?=,(?:[\s"'{[]|$)|[}\]][\s}\]]*(?:,|$|(?<=\s)#)|$)/u;

/** Secret values as the line alone tells them: inside comments, and after an unclosed quote that swallows the structure. */
function* spansInLine(source: SourceText, offset: number, stop: number): Generator<SecretSpan> {
  const text = source.text.slice(offset, stop);
  const isSecretKey = secretKeysFor(source);
  for (const match of text.matchAll(keyInLine)) {
    if (!isSecretKey(match[1] ?? "")) continue;
    const start = match.index + match[0].length;
    const rest = text.slice(start);
    const value = /[{[]/u.test(text.slice(0, match.index)) ? (flowValue.exec(rest)?.[0] ?? rest) : rest;
    if (!isHarmless(value.trimEnd())) yield [offset + start, offset + start + value.trimEnd().length];
  }
}

function joined(spans: readonly SecretSpan[]): SecretSpan[] {
  const result: SecretSpan[] = [];
  for (const [start, end] of [...spans].sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && start <= last[1]) result[result.length - 1] = [last[0], Math.max(last[1], end)];
    else result.push([start, end]);
  }
  return result;
}

/** The caret, widened so that no secret is shown half under it. */
function snap([start, end]: SecretSpan, hidden: readonly SecretSpan[]): SecretSpan {
  const first = hidden.find((span) => span[0] < start && start < span[1]);
  const last = hidden.find((span) => span[0] < end && end < span[1]);
  return [first?.[0] ?? start, last?.[1] ?? end];
}

function masked(text: string, start: number, end: number, hidden: readonly SecretSpan[]): string {
  let result = "";
  let at = start;
  for (const [from, to] of hidden) {
    if (to <= start || from >= end) continue;
    result += text.slice(at, Math.max(at, from)) + mask;
    at = Math.min(to, end);
  }
  return result + text.slice(at, end);
}
