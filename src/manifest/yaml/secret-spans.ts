import { CST, Lexer } from "yaml";
import leven from "leven";
import { isHarmless, isSecretKey, shownKey } from "./secret-keys.ts";
import type { SourceText, Span } from "./written.ts";

/** Start and end offset of a text that must not be shown. */
export type SecretSpan = readonly [start: number, end: number];

interface Scan {
  readonly spans: SecretSpan[];
  readonly rest: Iterator<Reached>;
  reached: number;
}

/** The place of the lexeme that was just read, and whether it is to be hidden. */
interface Reached {
  readonly start: number;
  readonly end: number;
  readonly hidden: boolean;
}

// A cache only, as in written.ts.
const scans = new WeakMap<SourceText, Scan>();

// These lexemes say nothing of a value. All else under a secret key is hidden, comments and mistaken syntax too.
const structure = new Set([
  "space",
  "newline",
  "doc-mode",
  "flow-error-end",
  "map-value-ind",
  "seq-item-ind",
  "explicit-key-ind",
  "comma",
  "flow-map-start",
  "flow-map-end",
  "flow-seq-start",
  "flow-seq-end",
]);

/**
 * Finds the places of the values under secret keys in a text up to an offset at least, in order. It reads lexemes and not the tree,
 * because the place of a mistake must be shown, and its secrets hidden, in a text that does not parse as well; and no further
 * than it must, because that text may be 50 MiB.
 */
export function secretSpans(source: SourceText, until: number): readonly SecretSpan[] {
  const scan = scans.get(source) ?? { spans: [], rest: read(source.text, secretKeysFor(source)), reached: 0 };
  scans.set(source, scan);
  while (scan.reached < until) {
    const { done, value } = scan.rest.next();
    scan.reached = done ? Infinity : value.end;
    if (!done && value.hidden) scan.spans.push([value.start, value.end]);
  }
  return scan.spans;
}

const misplaced = new WeakMap<SourceText, SecretSpan[]>();

/** Notes a value that may be a secret by its place, and not by its key. */
export function hideValue({ source, start, end }: Span): void {
  misplaced.set(source, [...misplacedIn(source), [start, end]]);
}

/** Returns the values of a text that are noted so, in the order of the notes. */
export const misplacedIn = (source: SourceText): readonly SecretSpan[] => misplaced.get(source) ?? [];

type KeyTest = (key: string) => boolean;

const joined = new WeakMap<SourceText, readonly SourceText[]>();

/** Notes which texts make one manifest: a template of one may put a value into a password that a use in another gives. */
export function joinSources(sources: readonly SourceText[]): void {
  for (const source of sources) joined.set(source, sources);
}

/** A key may be misspelled, and the less so the shorter it is. */
const isNear = (key: string, name: string) =>
  leven(key, name, { maxDistance: 3 }) <= Math.min(2, Math.floor((name.length + 1) / 3));

// A cache, too.
const keyTests = new WeakMap<SourceText, KeyTest>();

/** Templates nest at most 10 levels deep, and each round goes one level further. A round compares each key with each name. */
const mostRounds = 16;
const mostNames = 500;

/**
 * Whether what stands under a key of a manifest must never be shown: see isSecretKey, and what its templates put under such a key. Where
 * that would be too much work to find out, nothing is shown.
 */
export function secretKeysFor(source: SourceText): KeyTest {
  const known = keyTests.get(source);
  if (known) return known;
  const sources = joined.get(source) ?? [source];
  const names = new Set<string>();
  let isSettled = true;
  const isSecret = (key: string) => !isSettled || isSecretKey(key) || [...names].some((name) => isNear(key, name));
  // Templates give their parameters to others.
  for (let [size, rounds] = [-1, 0]; isSettled && size < names.size; rounds += 1) {
    size = names.size;
    for (const { text } of sources)
      for (const name of namesHidden(text, isSecret)) if (names.size <= mostNames) names.add(name);
    isSettled = names.size <= mostNames && rounds <= mostRounds;
  }
  for (const each of sources) keyTests.set(each, isSecret);
  return isSecret;
}

/** A key of a manifest as it may be shown: see shownKey. */
export const shownKeyIn = (source: SourceText, key: string): string =>
  shownKey(key, (name) => secretKeysFor(source)(name));

// The value of a variable of the environment is secret, but not its name.
const placeholder =
  /\$\{(?:env|file|exec|ref):(?:\$\{[^{}]*\}|[^{}])*\}|\$\{(?:(?:var|param):(?<name>\w+)|(?<each>each))\}/gu;

/** The names of parameters and variables in what stands under secret keys. */
function* namesHidden(text: string, isSecret: KeyTest): Generator<string> {
  const last = Math.max(...["${param:", "${var:", "${each}"].map((each) => text.lastIndexOf(each)));
  for (const { start, end, hidden } of last < 0 ? [] : read(text, isSecret)) {
    if (start > last) return;
    if (!hidden) continue;
    for (const { groups } of text.slice(start, end).matchAll(placeholder)) {
      if (groups?.["name"] !== undefined) yield groups["name"];
      if (groups?.["each"] !== undefined) yield "for_each";
    }
  }
}

interface Lexeme {
  readonly kind: string;
  readonly text: string;
  readonly start: number;
  readonly column: number;
  readonly depth: number;
}

function* read(text: string, isSecret: KeyTest): Generator<Reached, void> {
  let key: Lexeme | undefined;
  let secret: Lexeme | undefined;
  for (const lexeme of lexemes(text)) {
    const { kind, start } = lexeme;
    if (secret && endsValue(lexeme, secret)) secret = undefined;
    yield { start, end: start + lexeme.text.length, hidden: secret !== undefined && !isShown(lexeme) };
    if (kind === "map-value-ind" && key && isSecret(keyText(key))) secret ??= key;
    if (kind.endsWith("scalar")) key = lexeme;
    else if (kind !== "space" && kind !== "newline") key = undefined;
  }
}

/** The lexemes of a text with their place; `depth` counts the flow collections around each. */
function* lexemes(text: string): Generator<Lexeme> {
  let start = 0;
  let lineStart = 0;
  let depth = 0;
  let scalarNext = false;
  let inBlock = false;
  for (const lexeme of new Lexer().lex(text)) {
    const kind = scalarNext ? "scalar" : (CST.tokenType(lexeme) ?? "unknown");
    const marker: boolean =
      !scalarNext && (lexeme === CST.SCALAR || lexeme === CST.DOCUMENT || lexeme === CST.FLOW_END);
    scalarNext = marker && lexeme === CST.SCALAR;
    if (kind === "flow-error-end") depth = 0;
    if (marker) continue;
    if (kind === "flow-map-end" || kind === "flow-seq-end") depth = Math.max(0, depth - 1);
    // The text of a block scalar begins at the start of its line, but it belongs to the key above.
    yield { kind, text: lexeme, start, column: inBlock && kind === "scalar" ? Infinity : start - lineStart, depth };
    inBlock = kind === "block-scalar-header" || (inBlock && ["space", "comment", "newline"].includes(kind));
    if (kind === "flow-map-start" || kind === "flow-seq-start") depth += 1;
    start += lexeme.length;
    const lastBreak = lexeme.lastIndexOf("\n");
    if (lastBreak >= 0) lineStart = start - lexeme.length + lastBreak + 1;
  }
}

const isShown = ({ kind, text }: Lexeme) => structure.has(kind) || (kind === "scalar" && isHarmless(text));

function endsValue({ kind, column, depth }: Lexeme, key: Lexeme): boolean {
  if (depth < key.depth) return true;
  if (key.depth > 0) return kind === "comma" && depth === key.depth;
  if (depth > 0 || kind === "space" || kind === "newline" || kind === "comment") return false;
  // A list may stand at the indentation of its key.
  return column < key.column || (column === key.column && kind !== "seq-item-ind");
}

function keyText({ kind, text }: Lexeme): string {
  return kind === "scalar" ? text : text.slice(1, -1);
}
