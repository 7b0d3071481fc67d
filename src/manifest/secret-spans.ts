import { CST, Lexer } from "yaml";
import { isNoSecret, isSecretKey } from "./secret-keys.ts";
import type { SourceText } from "./written.ts";

/** Start and end offset of a text that must not be shown. */
export type SecretSpan = readonly [start: number, end: number];

interface Scan {
  readonly spans: SecretSpan[];
  readonly rest: Iterator<Reached>;
  reached: number;
}

/** How far the reading has come, and whether what it just read is to be hidden. */
interface Reached {
  readonly start: number;
  readonly end: number;
  readonly hidden: boolean;
}

// A cache only, as in written.ts.
const scans = new WeakMap<SourceText, Scan>();

// What says nothing of a value. All else under a secret key is hidden, comments and mistaken syntax too.
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
 * Where the values under secret keys stand in a text up to an offset at least, in order. It reads lexemes and not the tree,
 * because the place of a mistake must be shown, and its secrets hidden, in a text that does not parse as well; and no further
 * than it must, because that text may be 50 MiB.
 */
export function secretSpans(source: SourceText, until: number): readonly SecretSpan[] {
  const scan = scans.get(source) ?? { spans: [], rest: read(source.text), reached: 0 };
  scans.set(source, scan);
  while (scan.reached < until) {
    const { done, value } = scan.rest.next();
    scan.reached = done ? Infinity : value.end;
    if (!done && value.hidden) scan.spans.push([value.start, value.end]);
  }
  return scan.spans;
}

interface Lexeme {
  readonly kind: string;
  readonly text: string;
  readonly start: number;
  readonly column: number;
  readonly depth: number;
}

function* read(text: string): Generator<Reached, void> {
  let key: Lexeme | undefined;
  let secret: Lexeme | undefined;
  for (const lexeme of lexemes(text)) {
    const { kind, start } = lexeme;
    if (secret && endsValue(lexeme, secret)) secret = undefined;
    yield { start, end: start + lexeme.text.length, hidden: secret !== undefined && !isShown(lexeme) };
    if (kind === "map-value-ind" && key && isSecretKey(keyText(key))) secret ??= key;
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

const isShown = ({ kind, text }: Lexeme) => structure.has(kind) || (kind === "scalar" && isNoSecret(text));

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
