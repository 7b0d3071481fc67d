import { type ParsedSource, buildTree } from "./build-tree.ts";
import { parseEverydayYaml } from "./parse-everyday-yaml.ts";
import type { SourceText, Span } from "./written.ts";
import { Composer, CST, Lexer, Parser } from "yaml";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { diagnosticAt } from "./diagnostic-at.ts";
import { syntaxDiagnostics } from "./syntax-diagnostics.ts";

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
  const refused = unsupported(source, scanned.tokens);
  if (errors.length > 0) {
    return {
      root: undefined,
      diagnostics: [...refused, ...syntaxDiagnostics(source, errors, scanned.openQuotes, maxSyntaxErrors)],
    };
  }
  const [document] = documents;
  if (!document || refused.length > 0) return { root: undefined, diagnostics: refused };
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
  if (count > maxTokens) return tooManyTokens(spanAt(source, offset));
  const tooDeep = stack.length > maxDepth ? stack.filter(CST.isCollection)[maxDepth] : undefined;
  return tooDeep && deepNesting(spanAt(source, tooDeep.offset));
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
    ...directives.map((token) => unsupportedDirective(spanAt(source, token.offset))),
    ...(second ? [severalDocuments(spanAt(source, second.offset))] : []),
  ];
}

const spanAt = (source: SourceText, offset: number): Span => ({ source, start: offset, end: offset + 1 });

const deepNesting = (span: Span): Diagnostic =>
  diagnosticAt(span, {
    code: "too_deep",
    summary: `The nesting is deeper than ${maxDepth} levels`,
    detail: `at most ${maxDepth} levels; a manifest needs 10`,
    hint: "look for brackets that are never closed, or indentation that grows by mistake",
  });

const tooManyTokens = (span: Span): Diagnostic =>
  diagnosticAt(span, {
    code: "too_large",
    summary: `The file holds more than ${maxTokens.toLocaleString("en")} tokens`,
    detail: "at most about 200,000 records in one file",
    hint: "split it into several files in one folder; they are merged key by key",
  });

const unsupportedDirective = (span: Span): Diagnostic =>
  diagnosticAt(span, {
    code: "unsupported_directive",
    summary: "YAML directives are not supported",
    detail: "YAML 1.2 without directives",
    hint: "leave out the line that begins with %",
  });

const severalDocuments = (span: Span): Diagnostic =>
  diagnosticAt(span, {
    code: "several_documents",
    summary: "A second YAML document begins here",
    detail: "one document in a file",
    hint: "leave out the line ---, or move what follows to a file of its own; files are merged key by key",
  });
