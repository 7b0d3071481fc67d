import { Composer, CST, Lexer, Parser, type YAMLParseError } from "yaml";
import { type ParsedSource, buildTree } from "./build-tree.ts";
import { parseEverydayYaml } from "./parse-everyday-yaml.ts";
import { type SourceText, type Span, positionOf } from "./written.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt, type Mistake } from "./diagnostic-at.ts";
import { explainError, syntax } from "../../lib/yaml-words.ts";

/**
 * Reads one text: YAML 1.2 (core schema) with one document, whose root is a map. Without tags, merge keys, directives
 * and complex keys; aliases are copied. Every mistake is a diagnostic; nothing is thrown. Two readers make the same tree: one is six times
 * as fast and knows the everyday forms only, the other knows all forms and where each mistake stands.
 */
export function parseSource(source: SourceText): ParsedSource {
  const root = parseEverydayYaml(source);
  return root ? { root, diagnostics: [] } : parseAnyYaml(source);
}

const maxDepth = 64;
// About 200,000 records. One text is held as tokens, nodes and tree at once, some 500 bytes a token.
const maxTokens = 3_000_000;
const maxSyntaxErrors = 50;
// A binary file in disguise breaks at every character: enough is enough.
const maxErrorTokens = 1000;

/** Reads a text as `parseSource` does, in all its forms. */
export function parseAnyYaml(source: SourceText): ParsedSource {
  const scanned = scan(source);
  if ("refused" in scanned) return { root: undefined, diagnostics: [scanned.refused] };
  const composer = new Composer({ schema: "core", uniqueKeys: false, resolveKnownTags: false });
  const documents = [...composer.compose(scanned.tokens, true, 0)];
  const errors = documents.flatMap((document) => document.errors);
  const diagnostics = [
    ...unsupported(source, scanned.tokens),
    ...syntaxDiagnostics(source, errors, scanned.openQuotes),
  ];
  const [document] = documents;
  if (!document || diagnostics.length > 0) return { root: undefined, diagnostics };
  return buildTree(source, document);
}

interface Scanned {
  readonly tokens: readonly CST.Token[];
  /** From the end of a text whose quote is not closed to the quote. */
  readonly openQuotes: ReadonlyMap<number, number>;
}

/** The syntax tree of the text. Bounds are watched token by token, before anything that recurses sees the nesting. */
function scan(source: SourceText): Scanned | { readonly refused: Diagnostic } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  const openQuotes = new Map<number, number>();
  let count = 0;
  let errors = 0;
  for (const lexeme of new Lexer().lex(source.text)) {
    const start = parser.offset;
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      if (token.type === "error") errors += 1;
    }
    if (isOpenQuote(lexeme)) openQuotes.set(parser.offset, start);
    if (errors > maxErrorTokens) break;
    count += 1;
    const refused = refusal(source, parser, count);
    if (refused) return { refused };
  }
  for (const token of parser.end()) tokens.push(token);
  return { tokens, openQuotes };
}

function refusal(source: SourceText, { stack, offset }: Parser, count: number): Diagnostic | undefined {
  if (count > maxTokens) return diagnosticAt(spanAt(source, offset), tooManyTokens());
  const tooDeep = stack.length > maxDepth ? stack.filter(CST.isCollection)[maxDepth] : undefined;
  return tooDeep && diagnosticAt(spanAt(source, tooDeep.offset), deepNesting);
}

function isOpenQuote(lexeme: string): boolean {
  const quote = lexeme[0];
  if (quote !== '"' && quote !== "'") return false;
  return lexeme.length === 1 || !lexeme.endsWith(quote) || lexeme.endsWith('\\"');
}

function unsupported(source: SourceText, tokens: readonly CST.Token[]): Diagnostic[] {
  const directives = tokens.filter((token) => token.type === "directive" && !/^%YAML\s+1\.2\b/u.test(token.source));
  const [, second] = tokens.filter((token) => token.type === "document");
  return [
    ...directives.map(({ offset }) => diagnosticAt(spanAt(source, offset), unsupportedDirective)),
    ...(second ? [diagnosticAt(spanAt(source, second.offset), severalDocuments)] : []),
  ];
}

const spanAt = (source: SourceText, offset: number): Span => ({ source, start: offset, end: offset + 1 });

const deepNesting: Mistake = {
  code: "too_deep",
  summary: `The nesting is deeper than ${maxDepth} levels`,
  detail: `at most ${maxDepth} levels; a manifest needs 10`,
  hint: "look for brackets that are never closed, or indentation that grows by mistake",
};

// Writing a number with commas loads the tables of a language, which takes as long as a small manifest.
const tooManyTokens = (): Mistake => ({
  code: "too_large",
  summary: `The file holds more than ${maxTokens.toLocaleString("en")} tokens`,
  detail: "at most about 200,000 records in one file",
  hint: "split it into several files in one folder; they are merged key by key",
});

const unsupportedDirective: Mistake = {
  code: "unsupported_directive",
  summary: "YAML directives are not supported",
  detail: "YAML 1.2 without directives",
  hint: "leave out the line that begins with %",
};

const severalDocuments: Mistake = {
  code: "several_documents",
  summary: "A second YAML document begins here",
  detail: "one document in a file",
  hint: "leave out the line ---, or move what follows to a file of its own; files are merged key by key",
};

/**
 * The parser's errors as diagnostics: one a line, at most `maxSyntaxErrors`, and a note of the rest.
 * @param openQuotes from the end of a text whose quote is not closed to the quote, which is what to look at.
 */
function syntaxDiagnostics(
  source: SourceText,
  errors: readonly YAMLParseError[],
  openQuotes: ReadonlyMap<number, number>,
): Diagnostic[] {
  const byLine = new Map<number, Diagnostic>();
  const looked = new Set<number>();
  for (const [nth, error] of errors.entries()) {
    const [start, end] = error.pos;
    // To look for what is behind a mistake takes the whole line, which may be the whole file, with a mistake at each character.
    const own = positionOf({ source, start, end }).line;
    if (looked.has(own) || byLine.size > maxSyntaxErrors) continue;
    looked.add(own);
    const { words = unexpected, ...place } = explainError(source.text, error, errors[nth + 1]);
    const quote = error.message.startsWith("Missing closing") ? openQuotes.get(start) : undefined;
    const span: Span = { source, ...(quote === undefined ? place : { start: quote, end: quote + 1 }) };
    const { line } = positionOf(span);
    if (!byLine.has(line)) byLine.set(line, diagnosticAt(span, { ...words }));
  }
  const found = [...byLine.values()];
  if (found.length <= maxSyntaxErrors) return found;
  const summary = `More lines of ${source.file} do not parse`;
  return [
    ...found.slice(0, maxSyntaxErrors),
    { severity: "error", code: "yaml_syntax", summary, hint: "fix the first errors, and validate again" },
  ];
}

const unexpected = syntax("Unexpected text", "look for a missing quote, colon, comma or bracket before it");
