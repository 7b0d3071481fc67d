import { isIPv4 } from "node:net";
import { trimBlanks } from "../shared/blanks.ts";
import { checkString, normaliseQuoted, parseQuotedStrings } from "./character-strings.ts";
import {
  base64,
  checkDigest,
  hex,
  host,
  hostOrNone,
  ipv4,
  ipv6,
  makeType,
  number,
  type RecordType,
  splitWords,
  text,
} from "./content-fields.ts";
import { location } from "./location.ts";
import { isNumberedType, isOpaque, numberedType, readOpaque } from "./numbered-type.ts";
import { algorithm, flagsText, mailboxName, regexp, serviceText, tag, uri } from "./special-fields.ts";
import { serviceParameters } from "./service-parameters.ts";
import { hasWireFormat, readWireData } from "./wire-data.ts";
import { withArticle } from "../../model/with-article.ts";

/** The same type where the priority may still stand before the content: it is a field of its own. */
function prioritised(type: RecordType, withPriority: RegExp): RecordType {
  const normalise: RecordType["normalise"] = (content, zone) =>
    type.normalise(withPriority.exec(trimBlanks(content))?.[2] ?? content, zone);
  return { ...type, normalise, withPriority };
}

/** The priority that stands before the content of an MX or SRV record; undefined where none does. */
export function inlinePriority(type: string, content: string): number | undefined {
  const { withPriority } = recordTypes[type] ?? {};
  const read = withPriority && readOwnForm(type, content);
  const [, priority] = (typeof read === "string" && withPriority?.exec(trimBlanks(read))) || [];
  return priority === undefined ? undefined : Number(priority);
}

/** Returns the content of an MX or SRV record without the priority that stands before it. */
export const withoutPriority = (type: string, content: string): string =>
  recordTypes[type]?.withPriority?.exec(trimBlanks(content))?.[2] ?? content;

/** Whether records of a type have a priority that is a field of its own. */
export const isPrioritised = (type: string): boolean => recordTypes[type]?.withPriority !== undefined;

const target = makeType("a host name", [host]);

const texts: RecordType = {
  normalise: normaliseQuoted,
  check: (content) => {
    if (/[^\P{Cc}\t]/u.test(content))
      return String.raw`a text without line breaks and other control characters (in YAML, >- folds lines; a quoted string has \010)`;
    const bytes = parseQuotedStrings(content);
    if ((bytes?.length ?? Buffer.byteLength(content)) > 4096) return "a text of at most 4096 bytes";
    return bytes && splitWords(content).flatMap((word) => checkString(word, 4096) ?? [])[0];
  },
};

/** A certificate association (RFC 6698 section 2.2, RFC 8162 section 2): a hash has the length of its matching type. */
const association = makeType(
  "usage, selector, matching type and data",
  [number("usage", 255), number("selector", 255), number("matching type", 255), hex("data")],
  { rest: true, rule: ([, , type, data]) => checkDigest({ "1": 32, "2": 64 }, type, data) },
);

const serviceBinding = (example: string): RecordType => {
  const head = [number("priority", 65_535), hostOrNone];
  const expected = `priority, target and parameters, such as ${example}`;
  const [alone, whole] = [
    makeType(expected, head),
    makeType(expected, [...head, serviceParameters], {
      rest: true,
      rule: ([priority]) => (priority === "0" ? "no parameters after priority 0, which makes an alias" : undefined),
    }),
  ];
  const form = (content: string) => (splitWords(content).length > 2 ? whole : alone);
  return {
    normalise: (content, zone) => form(content).normalise(content, zone),
    check: (content) => form(content).check(content),
  };
};

/** Every record type that Hostform reads, in its own form. */
export const recordTypes: Readonly<Record<string, RecordType>> = {
  A: makeType("an IPv4 address, such as 192.0.2.10", [ipv4]),
  AAAA: makeType("an IPv6 address, such as 2001:db8::10", [ipv6]),
  ALIAS: target,
  CAA: makeType('flags, tag and value, such as 0 issue "letsencrypt.org"', [number("flags", 255), tag, text(65_535)]),
  CNAME: target,
  DHCID: makeType("an identifier in base64", [base64("identifier")], {
    rest: true,
    rule: ([data = ""]) => {
      const bytes = Buffer.from(data, "base64");
      return bytes.length < 4 || (bytes[2] === 1 && bytes.length !== 35)
        ? "two bytes of type, one of digest type, and the digest (of 32 bytes for type 1)"
        : undefined;
    },
  }),
  DNAME: target,
  DS: makeType(
    "key tag, algorithm, digest type and digest",
    [number("key tag", 65_535), algorithm, number("digest type", 255), hex("digest")],
    {
      rest: true,
      rule: ([, , type, digest]) => checkDigest({ "1": 20, "2": 32, "3": 32, "4": 48, "5": 32, "6": 32 }, type, digest),
    },
  ),
  HTTPS: serviceBinding("1 . alpn=h2"),
  LOC: location,
  MX: prioritised(makeType("a host name, or . for none", [hostOrNone]), /^(\d{1,5})[ \t\r\n]+([^ \t\r\n]+)$/u),
  NAPTR: makeType(
    'order, preference, "flags", "service", "regexp" and replacement',
    [number("order", 65_535), number("preference", 65_535), flagsText, serviceText, regexp, hostOrNone],
    {
      rule: ([, , , , expression, replacement]) =>
        expression !== '""' && replacement !== "."
          ? 'either a regexp or a replacement; the other is empty ("" or .)'
          : undefined,
    },
  ),
  NS: target,
  OPENPGPKEY: makeType("a key in base64", [base64("key")], { rest: true }),
  PTR: target,
  RP: makeType("mailbox and the name of a TXT record, such as info.example.com. text.example.com.", [
    mailboxName,
    hostOrNone,
  ]),
  SMIMEA: association,
  SPF: texts,
  SRV: prioritised(
    makeType("weight, port and target", [number("weight", 65_535), number("port", 65_535), hostOrNone]),
    /^(\d{1,5})[ \t\r\n]+(\d{1,5}[ \t\r\n]+\d{1,5}[ \t\r\n]+[^ \t\r\n]+)$/u,
  ),
  SSHFP: makeType(
    "algorithm, fingerprint type and fingerprint",
    [number("algorithm", 255), number("fingerprint type", 255), hex("fingerprint")],
    { rest: true, rule: ([, type, fingerprint]) => checkDigest({ "1": 20, "2": 32 }, type, fingerprint) },
  ),
  SVCB: serviceBinding("1 svc.example.com. alpn=h2"),
  TLSA: association,
  TXT: texts,
  URI: makeType('priority, weight and "target"', [number("priority", 65_535), number("weight", 65_535), uri]),
};

const opaque: RecordType = { normalise: (content) => trimBlanks(content), check: () => undefined };

/** Returns a content in the form of its type, also if it is written as opaque bytes; or the form that was expected. */
function readOwnForm(type: string, content: string): string | { readonly expected: string } {
  if (!isOpaque(content) || !hasWireFormat(type)) return content;
  const data = readOpaque(content);
  const text = Buffer.isBuffer(data) ? readWireData(type, data) : undefined;
  if (text !== undefined) return text;
  const expected = Buffer.isBuffer(data)
    ? `data of ${withArticle(type)} record behind the length (RFC 3597)`
    : data.expected;
  const own =
    recordTypes[type] === texts ? String.raw`in quotes, if the text itself begins with \#` : "in its own form";
  return { expected: `${expected}; or write the ${type} record ${own}` };
}

/** Characters that the data of one record may take: 65,535 bytes, each written as `\\DDD`, with quotes around every 255. */
export const longestContent = 4 * 65_535 + 3 * 258;

/** A type whose content may be written as opaque bytes, which then mean the same as its own form (RFC 3597 section 5). */
function orOpaque(name: string, type: RecordType): RecordType {
  return {
    ...type,
    normalise: (content, zone) => {
      if (content.length > longestContent) return content;
      const own = readOwnForm(name, content);
      return type.normalise(typeof own === "string" ? own : content, zone);
    },
    check: (content) => {
      if (content.length > longestContent) return "at most 65,535 bytes of data";
      const own = readOwnForm(name, content);
      if (typeof own !== "string") return own.expected;
      if (own === content) return type.check(content);
      return type.check(type.withPriority?.exec(own)?.[2] ?? own);
    },
  };
}

const writtenTypes: ReadonlyMap<string, RecordType> = new Map(
  Object.entries(recordTypes).map(([name, type]) => [name, orOpaque(name, type)]),
);

/** Returns the form of a type's content. The text of a type that Hostform does not know is opaque. */
export const recordTypeOf = (type: string): RecordType =>
  writtenTypes.get(type) ?? (isNumberedType(type) ? numberedType(type) : opaque);

/** The place of the host name among the blank-separated fields of a type's content. */
const hostPlaces: Readonly<Record<string, number>> = {
  ALIAS: 0,
  CNAME: 0,
  DNAME: 0,
  HTTPS: 1,
  MX: 0,
  NAPTR: 5,
  NS: 0,
  PTR: 0,
  SRV: 2,
  SVCB: 1,
};

/**
 * Returns the host names that a record's content points to, from its normal form: lower case, without the final dot.
 * The root (`.`, which says "none") is left out.
 */
export function hostsIn(type: string, content: string): string[] {
  if (type === "URI") return uriHost(content);
  if (type === "TXT" || type === "SPF") return spfHosts(content);
  const place = hostPlaces[type];
  const name = place === undefined ? undefined : splitWords(content)[place];
  return name === undefined || !/[^.]\.$/u.test(name) ? [] : [name.slice(0, -1)];
}

/** Returns the names whose text an SPF record needs, which is an error for its readers without them (RFC 7208 section 5.2, 6.1). */
function spfHosts(content: string): string[] {
  if (!/^"v=spf1 /iu.test(content)) return [];
  const text = content.slice(1, -1).replaceAll('" "', "").toLowerCase();
  return [...text.matchAll(/ (?:[+?~-]?include:|redirect=)([^ %]+?)\.?(?= |$)/gu)].map(([, host = ""]) => host);
}

/** Types whose content ends with a host name, by the number of their words. */
const endsWithHost: ReadonlyMap<string, number> = new Map([
  ["ALIAS", 1],
  ["CNAME", 1],
  ["DNAME", 1],
  ["MX", 1],
  ["NS", 1],
  ["PTR", 1],
  ["SRV", 3],
]);

/** Returns a content with another spelling of the host name at its end, also if the priority still stands before it. */
export function respellHost(type: string, content: string, respell: (host: string) => string): string {
  const words = splitWords(content);
  const count = endsWithHost.get(type);
  const isWhole = count === words.length || (isPrioritised(type) && count === words.length - 1);
  return isWhole ? [...words.slice(0, -1), respell(words.at(-1) ?? "")].join(" ") : content;
}

function uriHost(content: string): string[] {
  const [, name] = /"[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^@/?#"]*@)?([^:/?#"[\]]+)/u.exec(content) ?? [];
  return name === undefined || isIPv4(name) ? [] : [name.toLowerCase().replace(/\.$/u, "")];
}
