import { quoteBytes, readQuoted } from "../dns/quoted-strings.ts";
import { isTextType } from "../dns/record-content.ts";
import { getAt } from "./json.ts";
import type { Pointer } from "./contract.ts";

/** The parts of a content in their order, those in numbers with a #, those in quotes with a ". */
const layouts: Readonly<Record<string, string>> = {
  A: "address",
  AAAA: "address",
  ALIAS: "target",
  CAA: '#flags tag "value',
  CNAME: "target",
  DNAME: "target",
  DS: "#key_tag #algorithm #digest_type digest",
  HTTPS: "#priority target value",
  MX: "target",
  NAPTR: '#order #preference "flags "service "regexp replacement',
  NS: "target",
  PTR: "target",
  SMIMEA: "#usage #selector #matching_type certificate",
  SPF: "*text",
  SRV: "#weight #port target",
  SSHFP: "#algorithm #type fingerprint",
  SVCB: "#priority target value",
  TLSA: "#usage #selector #matching_type certificate",
  TXT: "*text",
  URI: '#priority #weight "target',
};

const partsOf = (type: string): string[] => layouts[type]?.split(" ") ?? [];

/** Returns a content with its host name changed; contents by number (RFC 3597) hold none. */
export function changeHost(type: string, content: string, change: (host: string) => string): string {
  if (type === "RP") return content.split(" ").map(change).join(" ");
  const index = partsOf(type).findIndex((part) => part === "target" || part === "replacement");
  if (index < 0 || content.startsWith("\\#")) return content;
  return content
    .split(" ")
    .map((word, at) => (at === index ? change(word) : word))
    .join(" ");
}

/** Returns the text of quoted strings; a text without quotes stays. */
export const plainText = (type: string, content: string): string =>
  (isTextType(type) ? readQuoted(content)?.toString("utf8") : undefined) ?? content;

/** Returns a text as quoted strings of at most 255 bytes. */
export const quotedText = (type: string, content: string): string => (isTextType(type) ? quote(content) : content);

const quote = (text: string): string => quoteBytes(Buffer.from(text));

type PartPlaces = Readonly<Record<string, Pointer>>;

/** Returns a content and its priority in parts, each with its place; undefined if it does not have them. Several parts may be one text. */
export function splitContent(
  type: string,
  places: PartPlaces,
  content: string,
  priority: unknown,
): [Pointer, unknown][] | undefined {
  const layout = partsOf(type);
  const words = isTextType(type) ? [content] : wordsOf(content, layout.length);
  if (
    layout.length === 0 ||
    words.length > layout.length ||
    words.length < layout.length - (layout.at(-1) === "value" ? 1 : 0)
  )
    return undefined;
  const values = new Map<string, unknown>(typeof priority === "number" ? [["priority", priority]] : []);
  for (const [index, name] of layout.entries()) {
    const word = words[index] ?? "";
    const isQuoted = name.startsWith('"') || name.startsWith("*");
    values.set(name.replace(/^\W/, ""), name.startsWith("#") ? Number(word) : isQuoted ? plainText("TXT", word) : word);
  }
  return Object.entries(places).flatMap(([key, place]): [Pointer, unknown][] => {
    const own = key.split(" ").map((name) => values.get(name));
    return own.includes(undefined) ? [] : [[place, own.length === 1 ? own[0] : own.join(" ")]];
  });
}

/** Returns the value of a part of a record, which may stand in a text with others. */
export function partIn(places: PartPlaces, name: string, record: unknown): unknown {
  const [key = "", place] = Object.entries(places).find(([names]) => names.split(" ").includes(name)) ?? [];
  const value = place === undefined ? undefined : getAt(record, place);
  const names = key.split(" ");
  if (names.length < 2 || typeof value !== "string") return value;
  const word = value.split(" ")[names.indexOf(name)];
  return word === undefined ? undefined : Number(word);
}

/** Returns the content that stands in parts; undefined if one is missing. */
export function joinContent(type: string, places: PartPlaces, record: unknown): string | undefined {
  const layout = partsOf(type);
  const words = layout.map((name) => {
    const value = partIn(places, name.replace(/^\W/, ""), record);
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    return /^["*]/.test(name) ? quote(String(value)) : String(value);
  });
  return words.length === 0 || words.includes(undefined) ? undefined : words.filter((word) => word !== "").join(" ");
}

/** The first labels of the name of an SRV record, with their underscores and without. */
const labels = ["service", "protocol"];

/** Returns the rest of a name, and its first labels with their places; undefined for a name without such labels. */
export function splitName(places: PartPlaces, name: string): [rest: string, labels: [Pointer, string][]] | undefined {
  const words = name.split(".");
  if (!labels.every((_label, index) => /^_[^_]/.test(words[index] ?? ""))) return undefined;
  const placed = labels.flatMap((label, index): [Pointer, string][] => {
    const word = words[index] ?? "";
    const [marked, bare] = [places[`_${label}`], places[label]];
    return [
      ...(marked === undefined ? [] : [[marked, word] as [Pointer, string]]),
      ...(bare === undefined ? [] : [[bare, word.slice(1)] as [Pointer, string]]),
    ];
  });
  return [words.slice(labels.length).join(".") || "@", placed];
}

/** Returns a name with the labels that stand apart from it in a record. */
export function joinName(places: PartPlaces, record: unknown, rest: unknown): unknown {
  const found = labels.map((label) => getAt(record, places[`_${label}`] ?? places[label] ?? "/"));
  if (!found.every((word) => typeof word === "string" && word !== "")) return rest;
  const first = found.map((word) => `_${String(word).replace(/^_/, "")}`);
  return [...first, ...(rest === "@" || rest === "" || typeof rest !== "string" ? [] : [rest])].join(".");
}

function wordsOf(content: string, most: number): string[] {
  const words = content.match(/"(?:[^"\\]|\\.)*"|\S+/g) ?? [];
  return words.length <= most ? words : [...words.slice(0, most - 1), words.slice(most - 1).join(" ")];
}
