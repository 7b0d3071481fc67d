import { isIPv4, isIPv6 } from "node:net";
import { replaceBlanks, trimBlanks } from "../shared/text-checks.ts";
import { asciiDots, checkTarget } from "../shared/domain-name.ts";
import {
  checkString,
  escapeLabel,
  isInStrings,
  normaliseQuoted,
  parseQuotedStrings,
  readString,
} from "./character-strings.ts";
import { splitWords } from "./content-form.ts";
import { location as locationForm, servedLocation } from "./location.ts";
import { host, hostOrNone, longText, type Part, text, uint8 } from "./parts.ts";
import { serviceParameters } from "./service-parameters.ts";
import * as wire from "./wire-fields.ts";

const mostTextBytes = 4096;

/** The text of a TXT record: bare, or in quoted strings of any number. */
export const strings: Part = {
  name: "text",
  normalise: normaliseQuoted,
  check: (content) => {
    if (/[^\P{Cc}\t]/u.test(content))
      return String.raw`a text without line breaks and other control characters (in YAML, >- folds lines; a quoted string has \010)`;
    const bytes = parseQuotedStrings(content);
    if ((bytes?.length ?? Buffer.byteLength(content)) > mostTextBytes)
      return `a text of at most ${mostTextBytes} bytes`;
    return bytes && splitWords(content).flatMap((word) => checkString(word, mostTextBytes) ?? [])[0];
  },
  read: wire.strings,
  token: "text",
  json: "strings",
  takes: "all",
  hosts: spfHosts,
  sent: (written, normal) => (isInStrings(written) ? trimBlanks(written) : normal),
};

/** Returns the names whose text an SPF record needs, which is an error for its readers without them (RFC 7208 section 5.2, 6.1). */
function spfHosts(content: string): string[] {
  if (!/^"v=spf1 /iu.test(content)) return [];
  const text = content.slice(1, -1).replaceAll('" "', "").toLowerCase();
  return [...text.matchAll(/ (?:[+?~-]?include:|redirect=)([^ %]+?)\.?(?= |$)/gu)].map(([, name = ""]) => name);
}

export const location: Part = {
  ...locationForm,
  name: "location",
  read: wire.location,
  served: servedLocation,
  token: "word",
  takes: "all",
  sent: (written) => replaceBlanks(trimBlanks(written), " "),
};

/** The parameters of a service binding, which may have none. */
export const parameters: Part = {
  ...serviceParameters,
  name: "value",
  read: wire.parameters,
  token: "parameter",
  json: "word",
  takes: "rest",
  isOptional: true,
};

/** A tag has letters and digits only (RFC 8659 section 4.1). */
export const tag: Part = {
  name: "tag",
  normalise: (word) => word.toLowerCase(),
  check: (word) => (/^[A-Za-z0-9]{1,255}$/u.test(word) ? undefined : "the tag has letters and digits only"),
  read: wire.word,
  token: "word",
  json: "word",
};

/** The numbers of the mnemonics of signing algorithms (RFC 4034 section 5.3; IANA, "DNS Security Algorithm Numbers"). */
const algorithms: Readonly<Record<string, string>> = {
  RSAMD5: "1",
  DH: "2",
  DSA: "3",
  RSASHA1: "5",
  "DSA-NSEC3-SHA1": "6",
  "RSASHA1-NSEC3-SHA1": "7",
  RSASHA256: "8",
  RSASHA512: "10",
  "ECC-GOST": "12",
  ECDSAP256SHA256: "13",
  ECDSAP384SHA384: "14",
  ED25519: "15",
  ED448: "16",
  INDIRECT: "252",
  PRIVATEDNS: "253",
  PRIVATEOID: "254",
};

const algorithmNumber = uint8("algorithm");
/** The algorithm of a key that signs: its number, or its mnemonic. */
export const algorithm: Part = {
  ...algorithmNumber,
  normalise: (word) => algorithms[word.toUpperCase()] ?? algorithmNumber.normalise(word, ""),
  check: (word) => (Object.hasOwn(algorithms, word.toUpperCase()) ? undefined : algorithmNumber.check(word)),
  token: "word",
};

const domainName = host("domain");
const { normalise, check } = hostOrNone("text");

/** The name of a TXT record about a mailbox, or `.` for none: it needs no answer. */
export const nameOfText: Part = { name: "text", normalise, check, read: wire.name, token: "name" };

/** A mailbox as a domain name, its @ a dot (RFC 1183 section 2.2); a dot in its first label is written `\.`. */
export const mailbox: Part = {
  ...nameOfText,
  name: "mailbox",
  normalise: (word, zone) => {
    const name = nameOfText.normalise(word, zone);
    if (nameOfText.check(name) === undefined) return name;
    const { local, domain } = splitMailbox(word);
    return local === "" ? word : `${normalLocal(local)}.${domainName.normalise(domain, zone)}`;
  },
  check: (word) => {
    if (nameOfText.check(word) === undefined) return undefined;
    const { local, domain } = splitMailbox(word);
    if (local === "") return "the mailbox is written as a name, such as info.example.com. for info@example.com";
    if (readString(local).length > 63) return "labels of at most 63 characters";
    return checkTarget(domain.replace(/(?<!\.)$/u, "."));
  },
};

const normalLocal = (local: string) => escapeLabel(readString(local)).toLowerCase();

const mailboxLabels = /^((?:\\(?:[01]\d\d|2[0-4]\d|25[0-5])|\\[!-/:-~]|[^\\.@\s\p{Cc}"();])+)\.(.+)$/u;

function splitMailbox(word: string): { readonly local: string; readonly domain: string } {
  const [, local = "", domain = ""] = mailboxLabels.exec(asciiDots(word)) ?? [];
  return { local, domain };
}

/** Flags and services of NAPTR do not mind case (RFC 3403 section 4.1). */
const caseless = (part: Part): Part => ({
  ...part,
  normalise: (word, zone) => part.normalise(word, zone).toLowerCase(),
});

export const serviceText = caseless(text("service"));

export const flagsText = caseless(
  text("flags", (word) =>
    /^[A-Za-z0-9]*$/u.test(readString(word).toString("latin1")) ? undefined : "the flags are letters and digits",
  ),
);

/** A substitution between three equal delimiters, then `i` or nothing (RFC 3402 section 3.2). */
export const regexp = text("regexp", (word) => {
  const expression = readString(word).toString("latin1");
  return expression === "" || /^([^0-9\\i])(?:(?!\1)(?:\\.|[^\\]))+\1(?:(?!\1)(?:\\.|[^\\]))*\1i*$/su.test(expression)
    ? undefined
    : "the regexp is empty, or as !^.*$!sip:info@example.com!";
});

/** The target of a URI record: a scheme, and where a host follows, one that the grammar allows (RFC 3986 section 3.2.2). */
export const uri: Part = {
  ...longText("target", checkUri),
  hosts: (quoted) => {
    const [, name] = /^"[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^@/?#"]*@)?([^:/?#"[\]]+)/u.exec(quoted) ?? [];
    return name === undefined || isIPv4(name) ? [] : [name.toLowerCase().replace(/\.$/u, "")];
  },
};

function checkUri(word: string): string | undefined {
  const [whole, rest = ""] = /^[A-Za-z][A-Za-z0-9+.-]*:(.*)$/su.exec(readString(word).toString()) ?? [];
  if (whole === undefined || rest === "") return "the target is a URI, such as https://www.example.com/";
  return rest.startsWith("//") ? checkAuthority(/^[^/?#]*/u.exec(rest.slice(2))?.[0] ?? "") : undefined;
}

function checkAuthority(authority: string): string | undefined {
  const [, literal, name = "", port = "0"] = /^(?:[^@[\]]*@)?(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/u.exec(
    authority,
  ) ?? [undefined, undefined, " "];
  if (literal !== undefined && !isIPv6(literal)) return "an IPv6 address between [ and ]";
  if (!/^(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/u.test(name)) return "a host name in the URI, and a port after it";
  return Number(port) > 65_535 ? "a port from 0 to 65535" : undefined;
}
