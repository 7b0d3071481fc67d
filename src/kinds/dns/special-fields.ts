import { isIPv6 } from "node:net";
import { escapeLabel, readString } from "./character-strings.ts";
import { host, hostOrNone, number, text, type ContentField } from "./content-fields.ts";
import { asciiDots, checkTarget } from "../shared/domain-name.ts";

/** A tag has letters and digits only (RFC 8659 section 4.1). */
export const tag: ContentField = {
  normalise: (word) => word.toLowerCase(),
  check: (word) => (/^[A-Za-z0-9]{1,255}$/u.test(word) ? undefined : "the tag has letters and digits only"),
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

const algorithmNumber = number("algorithm", 255);
export const algorithm: ContentField = {
  normalise: (word) => algorithms[word.toUpperCase()] ?? algorithmNumber.normalise(word, ""),
  check: (word) => (Object.hasOwn(algorithms, word.toUpperCase()) ? undefined : algorithmNumber.check(word)),
};

/** A mailbox as a domain name, its @ a dot (RFC 1183 section 2.2); a dot in its first label is written `\.`. */
export const mailboxName: ContentField = {
  normalise: (word, zone) => {
    const name = hostOrNone.normalise(word, zone);
    if (hostOrNone.check(name) === undefined) return name;
    const { local, domain } = splitMailbox(word);
    return local === "" ? word : `${normalLocal(local)}.${host.normalise(domain, zone)}`;
  },
  check: (word) => {
    if (hostOrNone.check(word) === undefined) return undefined;
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
const caseless = (field: ContentField): ContentField => ({
  ...field,
  normalise: (word, zone) => field.normalise(word, zone).toLowerCase(),
});

export const serviceText = caseless(text());

export const flagsText = caseless(
  text(255, (word) =>
    /^[A-Za-z0-9]*$/u.test(readString(word).toString("latin1")) ? undefined : "the flags are letters and digits",
  ),
);

/** A substitution between three equal delimiters, then `i` or nothing (RFC 3402 section 3.2). */
export const regexp = text(255, (word) => {
  const expression = readString(word).toString("latin1");
  return expression === "" || /^([^0-9\\i])(?:(?!\1)(?:\\.|[^\\]))+\1(?:(?!\1)(?:\\.|[^\\]))*\1i*$/su.test(expression)
    ? undefined
    : "the regexp is empty, or as !^.*$!sip:info@example.com!";
});

/** The target of a URI record: a scheme, and where a host follows, one that the grammar allows (RFC 3986 section 3.2.2). */
export const uri = text(65_535, (word) => {
  const [whole, rest = ""] = /^[A-Za-z][A-Za-z0-9+.-]*:(.*)$/su.exec(readString(word).toString()) ?? [];
  if (whole === undefined || rest === "") return "the target is a URI, such as https://www.example.com/";
  return rest.startsWith("//") ? checkAuthority(/^[^/?#]*/u.exec(rest.slice(2))?.[0] ?? "") : undefined;
});

function checkAuthority(authority: string): string | undefined {
  const [, literal, name = "", port = "0"] = /^(?:[^@[\]]*@)?(?:\[([^\]]*)\]|([^:[\]]*))(?::(\d*))?$/u.exec(
    authority,
  ) ?? [undefined, undefined, " "];
  if (literal !== undefined && !isIPv6(literal)) return "an IPv6 address between [ and ]";
  if (!/^(?:[\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/u.test(name)) return "a host name in the URI, and a port after it";
  return Number(port) > 65_535 ? "a port from 0 to 65535" : undefined;
}
