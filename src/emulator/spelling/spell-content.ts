import { domainToASCII, domainToUnicode } from "node:url";
import { expandIpv6 } from "../dns/octets.ts";
import { quoteBytes, readQuoted } from "../dns/quoted-strings.ts";
import type { Spelling } from "./words.ts";

/** An absolute host or domain name, with or without its final dot. */
export function spellName(name: string, spelling: ReadonlySet<Spelling>): string {
  if (name === "." || name === "") return name;
  const formatted = spellLabels(name.replace(/\.$/, ""), spelling);
  const dotted = spelling.has("dots") || (name.endsWith(".") && !spelling.has("no-dots"));
  return dotted ? `${formatted}.` : formatted;
}

/** The name of a record: relative, unless names are whole. */
export function spellRecordName(name: string, zone: string, spelling: ReadonlySet<Spelling>): string {
  if (spelling.has("fqdn")) return spellName(name === "@" ? zone : `${name}.${zone}`, spelling);
  if (name !== "@") return spellLabels(name, spelling);
  return spelling.has("apex-empty") ? "" : spelling.has("apex-dot") ? "." : "@";
}

export function spellMailAddress(address: string, spelling: ReadonlySet<Spelling>): string {
  const at = address.lastIndexOf("@");
  const host = spellLabels(address.slice(at + 1), spelling);
  return `${upper(address.slice(0, at), spelling)}@${host}`;
}

/** Only ASCII: the upper case of others may be another name, as that of ß is. */
export const upper = (text: string, spelling: ReadonlySet<Spelling>): string =>
  spelling.has("upper") ? text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()) : text;

function spellLabels(name: string, spelling: ReadonlySet<Spelling>): string {
  const labels = name.split(".").map((label) => (spelling.has("idn") ? toUnicode(label) : label));
  return upper(labels.join("."), spelling);
}

function toUnicode(label: string): string {
  const unicode = domainToUnicode(label);
  return domainToASCII(unicode) === label ? unicode : label;
}

type SpellWord = (word: string, spelling: ReadonlySet<Spelling>) => string;

const asIs: SpellWord = (word) => word;

const digits: SpellWord = (word, spelling) =>
  upper(spelling.has("spaced") ? (word.match(/.{1,8}/g) ?? []).join(" ") : word, spelling);

/** A quoted string: bare where that is asked for and can be read. */
const quotedString: SpellWord = (word, spelling) =>
  spelling.has("unquoted") ? word.replace(/^"([^"\\\s]+)"$/, "$1") : word;

const quotedWord: SpellWord = (word, spelling) => upper(quotedString(word, spelling), spelling);

const parameter: SpellWord = (word, spelling) => {
  const [key = "", ...rest] = word.split("=");
  if (rest.length === 0) return upper(key, spelling);
  const value = rest.join("=").replace(/^"(.*)"$/s, "$1");
  const formatted = key === "ipv6hint" ? value.split(",").map((item) => ipv6(item, spelling)) : [value];
  const quotes =
    /\s/.test(value) || spelling.has("quoted") || (/"/.test(value) && !spelling.has("unquoted")) ? '"' : "";
  return `${upper(key, spelling)}=${quotes}${formatted.join(",")}${quotes}`;
};

const ipv6: SpellWord = (word, spelling) => {
  if (!spelling.has("ipv6-long")) return upper(word, spelling);
  return upper(expandIpv6(word).join(":"), spelling);
};

/** The spellers of the blank-separated words of a type's content; the last serves all that follow. */
const words: Readonly<Record<string, readonly SpellWord[]>> = {
  AAAA: [ipv6],
  ALIAS: [spellName],
  CAA: [asIs, upper, quotedString],
  CNAME: [spellName],
  DS: [asIs, asIs, asIs, digits],
  HTTPS: [asIs, spellName, parameter],
  MX: [spellName],
  NAPTR: [asIs, asIs, quotedWord, quotedWord, quotedString, spellName],
  NS: [spellName],
  PTR: [spellName],
  SRV: [asIs, asIs, spellName],
  SSHFP: [asIs, asIs, digits],
  SVCB: [asIs, spellName, parameter],
  TLSA: [asIs, asIs, asIs, digits],
  URI: [asIs, asIs, quotedString],
};

/** The content of a record as it is answered. */
export function spellContent(type: string, content: string, spelling: ReadonlySet<Spelling>): string {
  if (type === "TXT") return spellText(content, spelling);
  const spells = words[type];
  if (spells === undefined) return content;
  const parts = content.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g) ?? [];
  const formatted = parts.map((part, index) => (spells[index] ?? spells.at(-1) ?? asIs)(part, spelling));
  const fixed = spells.at(-1) === parameter && spelling.has("shuffled") ? spells.length - 1 : formatted.length;
  return [...formatted.slice(0, fixed), ...formatted.slice(fixed).reverse()].join(" ");
}

const octetsInHex = /^\s*\\#(?:\s|$)/;

/** A text in quoted strings, or bare: if it would then read as quoted or as octets itself, or is not UTF-8, it stays as it is. */
export function spellText(content: string, spelling: ReadonlySet<Spelling>): string {
  if (!spelling.has("quoted") && !spelling.has("unquoted")) return content;
  const bytes = readQuoted(content) ?? Buffer.from(content);
  if (spelling.has("quoted")) return quoteBytes(bytes);
  const bare = bytes.toString("utf8");
  const isRead = readQuoted(bare) !== undefined || octetsInHex.test(bare);
  return Buffer.from(bare).equals(bytes) && !isRead && !/\p{Cc}/u.test(bare) ? bare : content;
}
