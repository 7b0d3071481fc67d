import { decodeText, formatQuotedStrings, parseQuotedStrings, quoteText } from "../../kinds/dns/character-strings.ts";
import { splitWords } from "../../kinds/dns/content-fields.ts";
import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import type { Pointer } from "../../model/contract.ts";

/** The sort of a part: a number, a word as it is, a quoted text, or all strings of a TXT as one text. */
type PartSort = "number" | "word" | "text" | "strings";

/** The parts of a type's content, in their order. The last one takes the rest. */
type ContentLayout = readonly (readonly [name: string, sort: PartSort])[];

const target: ContentLayout = [["target", "word"]];
const address: ContentLayout = [["address", "word"]];
const text: ContentLayout = [["text", "strings"]];
const binding: ContentLayout = [
  ["priority", "number"],
  ["target", "word"],
  ["value", "word"],
];
const association: ContentLayout = [
  ["usage", "number"],
  ["selector", "number"],
  ["matching_type", "number"],
  ["certificate", "word"],
];

/** Types whose contents an API may take in parts. The priority of MX and SRV is a field of its own. */
const partsByType: ReadonlyMap<string, ContentLayout> = new Map<string, ContentLayout>([
  ["A", address],
  ["AAAA", address],
  ["ALIAS", target],
  [
    "CAA",
    [
      ["flags", "number"],
      ["tag", "word"],
      ["value", "text"],
    ],
  ],
  ["CNAME", target],
  ["DNAME", target],
  [
    "DS",
    [
      ["key_tag", "number"],
      ["algorithm", "number"],
      ["digest_type", "number"],
      ["digest", "word"],
    ],
  ],
  ["HTTPS", binding],
  ["MX", target],
  [
    "NAPTR",
    [
      ["order", "number"],
      ["preference", "number"],
      ["flags", "text"],
      ["service", "text"],
      ["regexp", "text"],
      ["replacement", "word"],
    ],
  ],
  ["NS", target],
  ["PTR", target],
  ["SMIMEA", association],
  ["SPF", text],
  [
    "SRV",
    [
      ["weight", "number"],
      ["port", "number"],
      ["target", "word"],
    ],
  ],
  [
    "SSHFP",
    [
      ["algorithm", "number"],
      ["type", "number"],
      ["fingerprint", "word"],
    ],
  ],
  ["SVCB", binding],
  ["TLSA", association],
  ["TXT", text],
  [
    "URI",
    [
      ["priority", "number"],
      ["weight", "number"],
      ["target", "text"],
    ],
  ],
]);

export const typesInParts: readonly string[] = [...partsByType.keys()];

/** Returns the names of the parts of a type's content. */
export const partsOfType = (type: string): readonly string[] => (partsByType.get(type) ?? []).map(([name]) => name);

/** Places of the parts of a content, by their names. Several names, with blanks between, are one text there. */
export type PartPointers = Readonly<Record<string, Pointer>>;

/** Returns the names of the parts that stand at one place. */
export const namesOfPart = (key: string): readonly string[] => key.split(" ");

/** Whether a part has a place, by itself or in a text with others. */
export const hasPart = (pointers: PartPointers, name: string): boolean =>
  Object.keys(pointers).some((key) => namesOfPart(key).includes(name));

/** Whether a part of a type can stand in one text with others: it holds no blanks. */
export const isJoinable = (type: string, name: string): boolean =>
  (partsByType.get(type) ?? []).some(([part, sort]) => part === name && sort === "number");

/** Returns the parts in a record, by their names. */
export function readParts(pointers: PartPointers, raw: JsonObject): Readonly<Record<string, Json>> {
  const found = Object.entries(pointers).flatMap(([key, pointer]): (readonly [string, Json])[] => {
    const value = getPointer(raw, pointer);
    const names = namesOfPart(key);
    if (names.length === 1 || typeof value !== "string") return value === undefined ? [] : [[key, value]];
    const words = value.trim().split(/\s+/u);
    return words.length === names.length ? names.map((name, index) => [name, numberIn(words[index] ?? "")]) : [];
  });
  return Object.fromEntries(found);
}

const numberIn = (word: string): Json => (isWholeNumber(word) ? Number(word) : word);
const isWholeNumber = (word: string): boolean => /^(?:0|[1-9]\d*)$/u.test(word);

/** Returns the content that stands in parts in a record; undefined where one of them is missing. */
export function joinParts(type: string, pointers: PartPointers, raw: JsonObject): string | undefined {
  const parts = readParts(pointers, raw);
  const words = (partsByType.get(type) ?? []).map(([name, sort]) => {
    const value = parts[name];
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    if (sort === "strings") return formatQuotedStrings(Buffer.from(String(value), "utf8"));
    return sort === "text" ? quoteText(String(value)) : String(value);
  });
  // HTTPS and SVCB may end with their target.
  const whole = words.filter((word) => word !== undefined && word !== "");
  return whole.length === 0 || words.includes(undefined) ? undefined : whole.join(" ");
}

/**
 * Returns the parts of a content with their places; undefined for a content that does not have them.
 * @param more a part that stands beside the content, the priority.
 */
export function splitParts(
  type: string,
  pointers: PartPointers,
  content: string,
  more: Readonly<Record<string, Json>> = {},
): (readonly [Pointer, Json])[] | undefined {
  const parts = partsByType.get(type) ?? [];
  const words = parts[0]?.[1] === "strings" ? [content] : splitWords(content, parts.length);
  if (words.length !== parts.length && !(parts === binding && words.length === 2)) return undefined;
  const own = parts.map(([name, sort], index) => [name, readPart(sort, words[index] ?? "")] as const);
  if (own.some(([name, value]) => value === undefined || !hasPart(pointers, name))) return undefined;
  const all: Readonly<Record<string, Json | undefined>> = { ...Object.fromEntries(own), ...more };
  const placed = Object.entries(pointers).flatMap(([key, pointer]): (readonly [Pointer, Json | undefined])[] => {
    const values = namesOfPart(key).map((name) => all[name] ?? undefined);
    // A priority alone may have no value.
    if (values.length === 1) return values[0] === undefined ? [] : [[pointer, values[0]]];
    return [[pointer, values.includes(undefined) ? undefined : values.map((value) => jsonText(value)).join(" ")]];
  });
  const whole = placed.flatMap(([pointer, value]) => (value === undefined ? [] : [[pointer, value] as const]));
  return whole.length === placed.length ? whole : undefined;
}

function readPart(sort: PartSort, word: string): Json | undefined {
  if (sort === "number") return isWholeNumber(word) ? Number(word) : undefined;
  if (sort === "word") return word;
  const held = parseQuotedStrings(word);
  return held && decodeText(held);
}
