import { quoteBytes, readString } from "../../kinds/dns/character-strings.ts";
import { isNumberedType, isOpaque, readOpaque } from "../../kinds/dns/numbered-type.ts";
import { isNumber } from "../../kinds/dns/content-form.ts";
import type { Part } from "../../kinds/dns/parts.ts";
import {
  hasWireFormat,
  inlinePriority,
  isPrioritised,
  partsOfData,
  readWireData,
  recordTypeOf,
  withoutPriority,
} from "../../kinds/dns/record-content.ts";
import { type RecordType, recordTypes } from "../../kinds/dns/record-types.ts";
import { type WholeName, readName } from "./names.ts";
import { readSeconds } from "./seconds.ts";
import type { Token } from "./lex.ts";
import { withArticle } from "../../model/with-article.ts";

/** The data of a record in the form of a manifest. */
export interface RecordData {
  readonly content: string;
  readonly priority?: number;
}

/** A mistake at a token; without a token, at the record as a whole. */
export interface DataFault {
  readonly token?: Token;
  readonly expected: string;
}

interface DataFaults {
  readonly faults: readonly DataFault[];
}

const writeToken = ({ text, isQuoted }: Token) => (isQuoted ? `"${text}"` : text);

type FieldSort = Pick<Part, "token" | "check">;

/** Reads one field; returns its text, or the form that was expected. A word is checked with the whole record. */
function readField(
  { token: sort, check }: FieldSort,
  token: Token,
  origin: WholeName | undefined,
): string | { readonly expected: string } {
  const { text, isQuoted } = token;
  if (sort === "name") return isQuoted ? { expected: "a name without quotes" } : readName(text, origin);
  if (sort === "parameter") return isQuoted ? { expected: "KEY=VALUE" } : text;
  if (sort === "text" || sort === "long_text") {
    const bytes = readString(writeToken(token));
    return sort === "text" && bytes.length > 255 ? { expected: "a text of at most 255 bytes" } : quoteBytes(bytes);
  }
  if (isQuoted) return { expected: "a word without quotes" };
  const expected = sort === "word" ? undefined : check(text);
  return expected === undefined ? text : { expected };
}

interface DataLayout {
  readonly fields: readonly FieldSort[];
  /** The last part, if it is all tokens behind the fields. */
  readonly rest?: Part | undefined;
}

const mostSerial = 2 ** 32 - 1;
const name: FieldSort = { token: "name", check: () => undefined };
const ttl: FieldSort = {
  token: "checked_word",
  check: (text) => (readSeconds(text) === undefined ? "seconds, such as 3600 or 1h" : undefined),
};
const serial: FieldSort = {
  token: "checked_word",
  check: (text) => (isNumber(text, mostSerial) ? undefined : `the serial is a number from 0 to ${mostSerial}`),
};

function layoutOf(row: RecordType): DataLayout {
  const parts = partsOfData(row);
  const rest = parts.find(({ takes }) => takes);
  return { fields: parts.filter((part) => part !== rest), rest };
}

const layouts: ReadonlyMap<string, DataLayout> = new Map([
  ["SOA", { fields: [name, name, serial, ttl, ttl, ttl, ttl] }],
  ...[...recordTypes].map(([type, row]) => [type, layoutOf(row)] as const),
]);

/**
 * Reads the data of a record: its names become whole, and its texts quoted. The data of a type that Hostform does not know stays as
 * it is written.
 */
export function readData(
  type: string,
  tokens: readonly Token[],
  origin: WholeName | undefined,
): RecordData | DataFaults {
  const [first] = tokens;
  if (!first) return { faults: [{ expected: `the data of the ${type} record` }] };
  const written = tokens.map(writeToken).join(" ");
  if (!first.isQuoted && isOpaque(written)) return readOpaqueData(type, written, first);
  if (isNumberedType(type))
    return { faults: [{ token: first, expected: String.raw`\#, a length and bytes (RFC 3597)` }] };
  const layout = layouts.get(type);
  if (!layout) return { content: written };
  const { fields, rest } = layout;
  const words = readFields(layout, rest?.token === "parameter" ? joinParameters(tokens) : tokens, origin);
  if ("faults" in words) return words;
  const content = words.join(" ");
  const expected = rest?.token === "word" ? rest.check(words.slice(fields.length).join(" ")) : undefined;
  if (expected !== undefined) return { faults: [{ token: first, expected }] };
  return splitPriority(type, content);
}

/** The value of a service parameter may stand in quotes behind its =. */
function joinParameters(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const before = joined.at(-1);
    if (before && token.isQuoted && token.isGlued && before.text.endsWith("="))
      joined[joined.length - 1] = {
        ...before,
        text: `${before.text}"${token.text}"`,
        at: { ...before.at, endCol: token.at.endCol },
      };
    else joined.push(token);
  }
  return joined;
}

function readFields(
  { fields, rest }: DataLayout,
  tokens: readonly Token[],
  origin: WholeName | undefined,
): string[] | DataFaults {
  const least = fields.length + (rest && rest.isOptional !== true ? 1 : 0);
  if (tokens.length < least)
    return { faults: [{ expected: `${rest ? "at least " : ""}${least} fields; there are ${tokens.length}` }] };
  const extra = rest ? undefined : tokens[fields.length];
  if (extra) return { faults: [{ token: extra, expected: "the end of the record" }] };
  const words: string[] = [];
  const faults: DataFault[] = [];
  for (const [index, token] of tokens.entries()) {
    const sort = fields[index] ?? rest;
    const read = sort ? readField(sort, token, origin) : token.text;
    if (typeof read === "string") words.push(read);
    else faults.push({ token, ...read });
  }
  return faults.length > 0 ? { faults } : words;
}

function readOpaqueData(type: string, written: string, token: Token): RecordData | DataFaults {
  const bytes = readOpaque(written);
  if (!Buffer.isBuffer(bytes)) return { faults: [{ token, expected: bytes.expected }] };
  if (!hasWireFormat(type))
    return { content: recordTypeOf(isNumberedType(type) ? type : "TYPE65280").normalise(written, "") };
  const content = readWireData(type, bytes);
  if (content === undefined)
    return { faults: [{ token, expected: `the data of ${withArticle(type)} record behind the length` }] };
  return splitPriority(type, content);
}

function splitPriority(type: string, content: string): RecordData {
  if (!isPrioritised(type)) return { content };
  const priority = inlinePriority(type, content);
  return { content: withoutPriority(type, content), ...(priority !== undefined && { priority }) };
}
