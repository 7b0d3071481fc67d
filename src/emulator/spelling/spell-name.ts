import { domainToASCII, domainToUnicode } from "node:url";
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
