import {
  Scalar,
  visit,
  type Document,
  type ToStringOptions,
  Composer,
  isScalar,
  Lexer,
  Parser,
  YAMLParseError,
  type CST,
  type ErrorCode,
} from "yaml";
import { escapeYaml, hasUnsafe } from "./escape.ts";

/** Far more levels than any file for people has. V8 ends the process if it compiles a pattern near the end of the call stack. */
const deepest = 200;

/**
 * Parses one YAML document that may come from anyone. Whatever is wrong is among its `errors`: also a second document, and lists or maps
 * that are nested more than 200 levels deep, of which nothing is read.
 */
export function parseYaml(text: string, options: ConstructorParameters<typeof Composer>[0] = {}): Document.Parsed {
  const { lineCounter } = options;
  lineCounter?.addNewLine(0);
  const parser = new Parser(lineCounter?.addNewLine);
  const tokens: CST.Token[] = [];
  const isDeep = () => parser.stack.length > deepest;
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (isDeep()) break;
  }
  for (const token of isDeep() ? [] : parser.end()) tokens.push(token);
  // The parser compares each key of a map with all others.
  const documents = new Composer({ ...options, uniqueKeys: false }).compose(isDeep() ? [] : tokens, true, text.length);
  const [document, second] = [...documents] as [Document.Parsed, Document.Parsed?];
  const fail = (code: ErrorCode, at: number, message: string) =>
    document.errors.push(new YAMLParseError([at, at + 1], code, message));
  if (isDeep()) fail("RESOURCE_EXHAUSTION", parser.offset, "lists or maps are nested too deeply");
  if (second) fail("MULTIPLE_DOCS", second.range[0], "a second document begins here, and only one is read");
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items)
        if (isScalar(key) && known.size === known.add(key.value).size)
          fail("DUPLICATE_KEY", key.range?.[0] ?? 0, "Map keys must be unique");
    },
  });
  return document;
}

/** Prints a document of YAML. A text with characters that nobody sees, or that a terminal obeys, stands in double quotes, escaped. */
export function writeYaml(document: Document, options: ToStringOptions = {}): string {
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === "string" && hasUnsafe(node.value)) node.type = Scalar.QUOTE_DOUBLE;
    },
  });
  return escapeYaml(document.toString({ lineWidth: 0, ...options }));
}
