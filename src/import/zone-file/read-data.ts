import { quoteBytes, readString } from "../../kinds/dns/character-strings.ts";
import { base64, hex, ipv4, ipv6, number } from "../../kinds/dns/content-fields.ts";
import { isNumberedType, isOpaque, readOpaque } from "../../kinds/dns/numbered-type.ts";
import { inlinePriority, isPrioritised, recordTypeOf, withoutPriority } from "../../kinds/dns/record-content.ts";
import { hasWireFormat, readWireData } from "../../kinds/dns/wire-data.ts";
import { type WholeName, readName } from "./names.ts";
import { readSeconds } from "./seconds.ts";
import type { Token } from "./lex.ts";
import { withArticle } from "../../model/with-article.ts";

/** The data of a record as a manifest has it. */
export interface RecordData {
  readonly content: string;
  readonly priority?: number;
}

/** A mistake at a token; without a token, at the record as a whole. */
export interface DataFault {
  readonly token?: Token;
  readonly expected: string;
}

/** Reads one field; returns its text, or the form that was expected. */
type FieldReader = (token: Token, origin: WholeName | undefined) => string | { readonly expected: string };

interface DataLayout {
  readonly fields: readonly FieldReader[];
  /** Reads all tokens behind the fields, of which there is at least one. */
  readonly rest?: FieldReader;
  /** Whether there may be nothing behind the fields. */
  readonly isRestOptional?: boolean;
}

const writeToken = ({ text, isQuoted }: Token) => (isQuoted ? `"${text}"` : text);

const checked =
  (check: (text: string) => string | undefined): FieldReader =>
  ({ text, isQuoted }) => {
    const expected = isQuoted ? "a word without quotes" : check(text);
    return expected === undefined ? text : { expected };
  };
const name: FieldReader = ({ text, isQuoted }, origin) => {
  if (isQuoted) return { expected: "a name without quotes" };
  const read = readName(text, origin);
  return "name" in read ? read.name : read;
};
const ttl = checked((text) => (readSeconds(text) === undefined ? "seconds, such as 3600 or 1h" : undefined));
const string: FieldReader = (token) => {
  const bytes = readString(writeToken(token));
  return bytes.length > 255 ? { expected: "a text of at most 255 bytes" } : quoteBytes(bytes);
};
const longString: FieldReader = (token) => quoteBytes(readString(writeToken(token)));
const parameter: FieldReader = (token) => (token.isQuoted ? { expected: "KEY=VALUE" } : token.text);
const u8 = (what: string) => checked(number(what, 255).check);
const u16 = (what: string) => checked(number(what, 65_535).check);
const part = checked(() => undefined);

const host: DataLayout = { fields: [name] };
const strings: DataLayout = { fields: [], rest: string };
const association: DataLayout = { fields: [u8("usage"), u8("selector"), u8("matching type")], rest: part };
const binding: DataLayout = { fields: [u16("priority"), name], rest: parameter, isRestOptional: true };

const layouts: Readonly<Record<string, DataLayout>> = {
  A: { fields: [checked(ipv4.check)] },
  AAAA: { fields: [checked(ipv6.check)] },
  ALIAS: host,
  CAA: { fields: [u8("flags"), part, longString] },
  CNAME: host,
  DHCID: { fields: [], rest: part },
  DNAME: host,
  DS: { fields: [u16("key tag"), part, u8("digest type")], rest: part },
  HTTPS: binding,
  LOC: { fields: [], rest: part },
  MX: { fields: [u16("priority"), name] },
  NAPTR: { fields: [u16("order"), u16("preference"), string, string, string, name] },
  NS: host,
  OPENPGPKEY: { fields: [], rest: part },
  PTR: host,
  RP: { fields: [name, name] },
  SMIMEA: association,
  SOA: { fields: [name, name, checked(number("serial", 2 ** 32 - 1).check), ttl, ttl, ttl, ttl] },
  SPF: strings,
  SRV: { fields: [u16("priority"), u16("weight"), u16("port"), name] },
  SSHFP: { fields: [u8("algorithm"), u8("fingerprint type")], rest: part },
  SVCB: binding,
  TLSA: association,
  TXT: strings,
  URI: { fields: [u16("priority"), u16("weight"), longString] },
};

/** Rules for the data of a type beyond its fields, as any reader of zone files has them. */
const wholeChecks: Readonly<Record<string, (content: string) => string | undefined>> = {
  DHCID: base64("identifier").check,
  DS: ofLast(3, hex("digest").check),
  LOC: recordTypeOf("LOC").check,
  OPENPGPKEY: base64("key").check,
  SMIMEA: ofLast(3, hex("data").check),
  SSHFP: ofLast(2, hex("fingerprint").check),
  TLSA: ofLast(3, hex("data").check),
};

function ofLast(count: number, check: (text: string) => string | undefined) {
  return (content: string) => check(content.split(" ").slice(count).join(" "));
}

/**
 * Reads the data of a record: its names become whole, and its texts quoted. The data of a type that Hostform does not know stays as
 * it is written.
 */
export function readData(
  type: string,
  tokens: readonly Token[],
  origin: WholeName | undefined,
): RecordData | { readonly faults: readonly DataFault[] } {
  const [first] = tokens;
  if (!first) return { faults: [{ expected: `the data of the ${type} record` }] };
  const written = tokens.map(writeToken).join(" ");
  if (!first.isQuoted && isOpaque(written)) return readOpaqueData(type, written, first);
  if (isNumberedType(type))
    return { faults: [{ token: first, expected: String.raw`\#, a length and bytes (RFC 3597)` }] };
  const layout = layouts[type];
  if (!layout) return { content: written };
  const words = readFields(layout, layout === binding ? joinParameters(tokens) : tokens, origin);
  if ("faults" in words) return words;
  const content = words.join(" ");
  const expected = wholeChecks[type]?.(content);
  if (expected !== undefined) return { faults: [{ token: first, expected }] };
  return splitPriority(type, content);
}

/** The value of a service parameter may stand in quotes behind its =. */
function joinParameters(tokens: readonly Token[]): readonly Token[] {
  const joined: Token[] = [];
  for (const token of tokens) {
    const before = joined.at(-1);
    if (before && token.isQuoted && token.isGlued && before.text.endsWith("="))
      joined[joined.length - 1] = { ...before, text: `${before.text}"${token.text}"`, endCol: token.endCol };
    else joined.push(token);
  }
  return joined;
}

function readFields(
  { fields, rest, isRestOptional = false }: DataLayout,
  tokens: readonly Token[],
  origin: WholeName | undefined,
): string[] | { readonly faults: readonly DataFault[] } {
  const least = fields.length + (rest && !isRestOptional ? 1 : 0);
  if (tokens.length < least)
    return { faults: [{ expected: `${rest ? "at least " : ""}${least} fields; there are ${tokens.length}` }] };
  const extra = rest ? undefined : tokens[fields.length];
  if (extra) return { faults: [{ token: extra, expected: "the end of the record" }] };
  const words: string[] = [];
  const faults: DataFault[] = [];
  for (const [index, token] of tokens.entries()) {
    const read = (fields[index] ?? rest)?.(token, origin) ?? token.text;
    if (typeof read === "string") words.push(read);
    else faults.push({ token, ...read });
  }
  return faults.length > 0 ? { faults } : words;
}

function readOpaqueData(
  type: string,
  written: string,
  token: Token,
): RecordData | { readonly faults: readonly DataFault[] } {
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
