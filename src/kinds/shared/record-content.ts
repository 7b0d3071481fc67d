import { isIPv4, isIPv6 } from "node:net";
import { normaliseText, quoteOne } from "./character-strings.ts";
import { checkTarget, normaliseTarget } from "./domain-name.ts";

/** How the content of one record type reads (RFC 1035 presentation form; the priority of MX and SRV stands apart, API.md section 2). */
interface RecordType {
  /** The normal form; text that cannot be read stays as it is. */
  readonly normalise: (content: string, zone: string) => string;
  /** What was expected, where the content is not acceptable. */
  readonly check: (content: string, zone: string) => string | undefined;
  /** Content that still has its priority before it, as zone files and some servers write it: the priority, and the rest. */
  readonly withPriority?: RegExp;
}

const address = (
  isAddress: (text: string) => boolean,
  normalise: (text: string) => string,
  expected: string,
): RecordType => ({
  normalise: (content) => (isAddress(content.trim()) ? normalise(content.trim()) : content),
  check: (content) => (isAddress(content.trim()) ? undefined : expected),
});

const target: RecordType = {
  normalise: (content, zone) => normaliseTarget(content, zone),
  check: checkTarget,
};

type Normalise = (field: string, zone: string) => string;
const integer: Normalise = (field) => (/^\d+$/u.test(field) ? String(Number(field)) : field);
// A single label is a whole name here: what stands in a record is absolute.
const name: Normalise = (field, zone) =>
  checkTarget(field.replace(/(?<=[^.@])$/u, ".")) === undefined ? normaliseTarget(field, zone) : field;
const hex: Normalise = (field) => field.toLowerCase();

/** Content of blank-separated fields, each with its own normal form. The last field takes the rest. */
function fields(pattern: RegExp, expected: string, normalisers: readonly Normalise[]): RecordType {
  return {
    normalise: (content, zone) => {
      if (!pattern.test(content.trim())) return content;
      const parts = splitFields(content.trim(), normalisers.length);
      return parts.map((part, index) => normalisers[index]?.(part, zone) ?? part).join(" ");
    },
    check: (content) => (pattern.test(content.trim()) ? undefined : expected),
  };
}

/** The same type where the priority may still stand before the content: it is a field of its own. */
function prioritised(type: RecordType, withPriority: RegExp): RecordType {
  const normalise: RecordType["normalise"] = (content, zone) =>
    type.normalise(withPriority.exec(content.trim())?.[2] ?? content, zone);
  return { ...type, normalise, withPriority };
}

/** The priority that stands before the content of an MX or SRV record; undefined where none does. */
export function inlinePriority(type: string, content: string): number | undefined {
  const [, priority] = recordTypes[type]?.withPriority?.exec(content.trim()) ?? [];
  return priority === undefined ? undefined : Number(priority);
}

/** Splits at blanks outside quotes into at most `count` parts. */
function splitFields(content: string, count: number): string[] {
  const parts = content.match(/"(?:[^"\\]|\\.)*"|\S+/gsu) ?? [];
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(" ")];
}

/** The parameters of an SVCB record in the order of their names, values without needless quotes (RFC 9460 section 2.1). */
const serviceParameters: Normalise = (field) => {
  const parameters = field.match(/[^\s="]+(?:=(?:"(?:[^"\\]|\\.)*"|[^\s"]*))?/gsu) ?? [];
  return parameters.map(serviceParameter).sort().join(" ");
};

function serviceParameter(text: string): string {
  const bare = text.replace(/="([^"\\\s]*)"$/u, "=$1").replace(/=$/u, "");
  const [, key = bare, value] = /^([^=]+)=(.*)$/su.exec(bare) ?? [];
  if (value === undefined) return key.toLowerCase();
  const addresses = () => value.split(",").map((item) => (isIPv6(item) ? compressIPv6(item) : item));
  return `${key.toLowerCase()}=${/^ipv6hint$/iu.test(key) ? addresses().join(",") : value}`;
}

/** Flags and services of NAPTR do not mind case (RFC 3403 section 4.1). */
const quotedWord: Normalise = (field) => quoteOne(field).toLowerCase();

const joinedHex: Normalise = (field) => hex(field.replaceAll(/\s+/gu, ""), "");

/** Every record type of API.md section 2. */
export const recordTypes: Readonly<Record<string, RecordType>> = {
  A: address(isIPv4, (text) => text, "an IPv4 address, such as 192.0.2.10"),
  AAAA: address(isIPv6, compressIPv6, "an IPv6 address, such as 2001:db8::10"),
  ALIAS: target,
  CAA: fields(
    /^\d{1,3}\s+[a-z0-9]+\s+("(?:[^"\\]|\\.)*"|[^\s"]+)$/iu,
    'flags, tag and value, such as 0 issue "letsencrypt.org"',
    [integer, (tag) => tag.toLowerCase(), quoteOne],
  ),
  CNAME: target,
  DS: fields(/^\d{1,5}\s+\d{1,3}\s+\d{1,3}\s+[0-9a-f\s]+$/iu, "key tag, algorithm, digest type and digest", [
    integer,
    integer,
    integer,
    joinedHex,
  ]),
  HTTPS: fields(/^\d{1,5}\s+\S+(\s+\S.*)?$/su, "priority, target and parameters, such as 1 . alpn=h2", [
    integer,
    name,
    serviceParameters,
  ]),
  MX: prioritised(target, /^(\d{1,5})\s+(\S+)$/u),
  NAPTR: fields(
    /^\d{1,5}\s+\d{1,5}\s+("[^"]*"|\S+)\s+("[^"]*"|\S+)\s+("(?:[^"\\]|\\.)*"|\S+)\s+\S+$/u,
    'order, preference, "flags", "service", "regexp" and replacement',
    [integer, integer, quotedWord, quotedWord, quoteOne, name],
  ),
  NS: target,
  PTR: target,
  SRV: prioritised(
    fields(/^\d{1,5}\s+\d{1,5}\s+\S+$/u, "weight, port and target", [integer, integer, name]),
    /^(\d{1,5})\s+(\d{1,5}\s+\d{1,5}\s+\S+)$/u,
  ),
  SSHFP: fields(/^\d{1,3}\s+\d{1,3}\s+[0-9a-f\s]+$/iu, "algorithm, fingerprint type and fingerprint", [
    integer,
    integer,
    joinedHex,
  ]),
  SVCB: fields(/^\d{1,5}\s+\S+(\s+\S.*)?$/su, "priority, target and parameters, such as 1 svc.example.com. alpn=h2", [
    integer,
    name,
    serviceParameters,
  ]),
  TLSA: fields(/^0*[0-3]\s+0*[01]\s+0*[0-2]\s+[0-9a-f\s]+$/iu, "usage, selector, matching type and data", [
    integer,
    integer,
    integer,
    joinedHex,
  ]),
  TXT: {
    normalise: (content) => normaliseText(content),
    check: (content) => (Buffer.byteLength(content) <= 4096 ? undefined : "a text of at most 4096 bytes"),
  },
  URI: fields(/^\d{1,5}\s+\d{1,5}\s+("(?:[^"\\]|\\.)*"|\S+)$/u, 'priority, weight and "target"', [
    integer,
    integer,
    quoteOne,
  ]),
};

// The URL parser writes IPv6 as RFC 5952 has it.
function compressIPv6(text: string): string {
  return new URL(`http://[${text.replace(/%.*$/u, "")}]/`).hostname.slice(1, -1);
}

/** Where the host name of a type's content stands among its blank-separated fields. */
const hostPlaces: Readonly<Record<string, number>> = {
  ALIAS: 0,
  CNAME: 0,
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
  const place = hostPlaces[type];
  const host = place === undefined ? undefined : splitFields(content, place + 2)[place];
  return host === undefined || !/[^.]\.$/u.test(host) ? [] : [host.slice(0, -1)];
}

function uriHost(content: string): string[] {
  const [, host] = /"[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#"]*@)?([^:/?#"[\]]+)/iu.exec(content) ?? [];
  return host === undefined || isIPv4(host) ? [] : [host.toLowerCase().replace(/\.$/u, "")];
}
