import { isIPv4, isIPv6 } from "node:net";
import {
  fromBase64,
  fromHex,
  isDigest,
  name,
  row,
  rowAndData,
  string,
  uint16,
  uint8,
  type ReadWord,
  type ReadWords,
} from "./fields.ts";
import { readHostName, readHostNameOrRoot, readMailboxName } from "./host-name.ts";
import { readLocation } from "./location.ts";
import { isUri, isSubstitution } from "./octets.ts";
import { readOpaque, writeRdata } from "./opaque-data.ts";
import { scan } from "./scan.ts";
import { readServiceBinding } from "./service-binding.ts";

interface Form {
  /** Completes "must be …". */
  readonly expected: string;
  /** The words as they are stored, or undefined when they are not of this form. */
  readonly read: ReadWords;
}

const hostName = name(readHostName);
const hostNameOrRoot = name(readHostNameOrRoot);

const oneHostName: Form = { expected: "an absolute host name, such as www.example.com.", read: row(hostName) };

const serviceBinding: Form = {
  expected: "`priority target [key=value …]`, each key once, without keys when the priority is 0, such as 1 . alpn=h2",
  read: readServiceBinding,
};

const association: Form = {
  expected: "`usage selector matching_type data`, the data hexadecimal and as long as its matching type",
  read: rowAndData([uint8, uint8, uint8], fromHex, isDigest({ "1": 32, "2": 64 }, 2)),
};

const ipv6: ReadWord = ({ raw }) =>
  isIPv6(raw) && !raw.includes("%") ? new URL(`http://[${raw}]`).hostname.slice(1, -1) : undefined;

/** Mnemonics of DNSSEC algorithms, which stand for their numbers. */
const mnemonics = new Set(
  `RSAMD5 DH DSA RSASHA1 DSA-NSEC3-SHA1 RSASHA1-NSEC3-SHA1 RSASHA256 RSASHA512 ECC-GOST ECDSAP256SHA256 ECDSAP384SHA384
  ED25519 ED448 INDIRECT PRIVATEDNS PRIVATEOID`.split(/\s+/),
);
const algorithm: ReadWord = (word) => (mnemonics.has(word.raw.toUpperCase()) ? word.raw.toUpperCase() : uint8(word));

const tag: ReadWord = ({ raw }) => (/^[a-z0-9]{1,255}$/i.test(raw) ? raw.toLowerCase() : undefined);

const readNaptr: ReadWords = (words) => {
  const flags = string(255, (octets) => /^[a-z0-9]*$/i.test(octets.toString("latin1")));
  const regexp = string(255, (octets) => octets.length === 0 || isSubstitution(octets));
  const read = row(uint16, uint16, flags, string(255), regexp, hostNameOrRoot)(words);
  // The two exclude each other (RFC 3403 section 4.1).
  return (words[4]?.octets.length ?? 0) > 0 && words[5]?.raw !== "." ? undefined : read;
};

const readDhcid = rowAndData([], fromBase64, (octets) =>
  octets[2] === 1 ? octets.length === 2 + 1 + 32 : octets.length > 3,
);

/** RFC 1035 presentation forms by type; the priority of MX and SRV stands apart. TXT and SPF are kept as sent. */
const forms: Readonly<Record<string, Form>> = {
  A: { expected: "an IPv4 address, such as 192.0.2.1", read: row(({ raw }) => (isIPv4(raw) ? raw : undefined)) },
  AAAA: { expected: "an IPv6 address without a zone index, such as 2001:db8::1", read: row(ipv6) },
  ALIAS: oneHostName,
  CAA: { expected: '`flags tag "value"`, such as 0 issue "ca.example"', read: row(uint8, tag, string(65_535)) },
  CNAME: oneHostName,
  DHCID: { expected: "base64 of an identifier type, a digest type and a digest", read: readDhcid },
  DNAME: oneHostName,
  DS: {
    expected: "`key_tag algorithm digest_type digest`, the digest hexadecimal and as long as its type",
    read: rowAndData(
      [uint16, algorithm, uint8],
      fromHex,
      isDigest({ "1": 20, "2": 32, "3": 32, "4": 48, "5": 32, "6": 32 }, 2),
    ),
  },
  HTTPS: serviceBinding,
  LOC: { expected: "a position (RFC 1876), such as 52 22 23.000 N 4 53 32.000 E -2.00m", read: readLocation },
  MX: {
    expected: "an absolute host name, or . for none; its priority is a field of its own",
    read: row(hostNameOrRoot),
  },
  NAPTR: {
    expected: '`order preference "flags" "service" "regexp" replacement`, either the regexp or the replacement empty',
    read: readNaptr,
  },
  NS: oneHostName,
  OPENPGPKEY: { expected: "a key in base64", read: rowAndData([], fromBase64) },
  PTR: oneHostName,
  RP: {
    expected: "`mailbox text`, two names, such as info.example.com. .",
    read: row(name(readMailboxName), hostNameOrRoot),
  },
  SMIMEA: association,
  SRV: {
    expected: "`weight port target`, such as 5 5060 sip.example.com.; its priority is a field of its own",
    read: row(uint16, uint16, hostNameOrRoot),
  },
  SSHFP: {
    expected: "`algorithm type fingerprint`, the fingerprint hexadecimal and as long as its type",
    read: rowAndData([uint8, uint8], fromHex, isDigest({ "1": 20, "2": 32 }, 1)),
  },
  SVCB: serviceBinding,
  TLSA: association,
  URI: {
    expected: '`priority weight "target"`, such as 10 1 "https://example.com/"',
    read: row(uint16, uint16, string(65_535, isUri)),
  },
};

/** The numbers of the types above, of SOA and of TXT and SPF: they are not written as numbers. */
const numbered = new Set([
  1, 2, 5, 6, 12, 15, 16, 17, 28, 29, 33, 35, 39, 43, 44, 49, 52, 53, 61, 64, 65, 99, 256, 257,
]);

const opaqueData: Form = {
  expected: "`\\# length data` (RFC 3597), such as \\# 4 0a000001",
  read: (words) => {
    const octets = readOpaque(words);
    return octets && [String.raw`\#`, String(octets.length), ...(octets.length > 0 ? [octets.toString("hex")] : [])];
  },
};

/** Whether a content is written as octets, which any type may be (RFC 3597 section 5). */
const isOpaque = (text: string) => /^[ \t\r\n]*\\#([ \t\r\n]|$)/.test(text);

/** The text of a content that is written as octets: the priority of MX and SRV, which stands apart, and the rest. */
function decodeOpaque(type: string, text: string): { readonly priority?: number; readonly text: string } | undefined {
  const octets = readOpaque(scan(text) ?? []);
  const whole = octets && writeRdata(type, octets);
  if (whole === undefined) return undefined;
  if (!hasPriority(type)) return { text: whole };
  const [priority = "", ...rest] = whole.split(" ");
  return { priority: Number(priority), text: rest.join(" ") };
}

/** The priority that the octets of an MX or SRV record hold. */
export const priorityIn = (type: string, text: string): number | undefined =>
  isOpaque(text) ? decodeOpaque(type, text)?.priority : undefined;

/** The content of a record as it is stored, or what it must be. The content of a type that is not known is taken as it is. */
export function readContent(type: string, text: string): { readonly content: string } | { readonly problem: string } {
  if (type === "SOA") return { problem: `cannot be set: ${type} records are made by the platform` };
  if (isOpaque(text) && (isTextType(type) || (forms[type] !== undefined && type !== "ALIAS"))) {
    const decoded = decodeOpaque(type, text);
    return decoded === undefined
      ? refuse(`octets of ${type} (RFC 3597) or its own form`, text)
      : readContent(type, decoded.text);
  }
  if (isTextType(type)) return isText(text) ? { content: text } : refuse(longText, text);
  const number = /^TYPE([0-9]+)$/.exec(type)?.[1];
  if (number !== undefined && !isDataType(Number(number)))
    return { problem: `cannot be set as ${type}: this number is not a type of its own` };
  const form = number === undefined ? forms[type] : opaqueData;
  if (form === undefined) return { content: text };
  const words = scan(text);
  const content = words && form.read(words);
  return content === undefined ? refuse(form.expected, text) : { content: content.join(" ") };
}

const refuse = (expected: string, text: string) => ({
  problem: `must be ${expected}; it was ${JSON.stringify(text)}`,
});

const longText = "text of at most 4096 bytes without control characters, quoted or not";

/** Kept exactly as sent, since it cannot be known whether a quote is part of the text. Strings in quotes are read as such. */
function isText(text: string): boolean {
  if (/\p{Cc}/u.test(text.replaceAll("\t", ""))) return false;
  if (!isQuotedText(text)) return Buffer.byteLength(text) <= 4096;
  const words = scan(text);
  return words !== undefined && words.reduce((sum, { octets }) => sum + octets.length, 0) <= 4096;
}

const isQuotedText = (text: string) => /^[ \t]*"(?:[^"\\]|\\.)*"(?:[ \t]+"(?:[^"\\]|\\.)*")*[ \t]*$/s.test(text);

export const isTextType = (type: string): boolean => type === "TXT" || type === "SPF";

/** Tells whether a priority stands beside the content. */
export const hasPriority = (type: string): boolean => type === "MX" || type === "SRV";

/** Types of questions and of messages stand in no zone (RFC 6895 section 3.1). */
const isDataType = (number: number): boolean =>
  number > 0 && number < 65_535 && number !== 41 && !(number >= 128 && number <= 255) && !numbered.has(number);

/** Returns the key that contents of a type share if they are the same record: the text of TXT, however it is quoted or split. */
export function contentKey(type: string, content: string): string {
  if (type === "SOA") return "";
  const chunks = isTextType(type)
    ? content.match(/^[ \t]*("(?:[^"\\]|\\.)*"[ \t]*)+$/) && content.match(/"(?:[^"\\]|\\.)*"/g)
    : null;
  return chunks === null ? content : chunks.map((chunk) => chunk.slice(1, -1).replaceAll(/\\(.)/g, "$1")).join("");
}
