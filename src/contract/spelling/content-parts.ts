import { decodeText, formatQuotedStrings, parseQuotedStrings, quoteText } from "../../kinds/dns/character-strings.ts";
import { splitWords } from "../../kinds/dns/content-form.ts";
import type { Part } from "../../kinds/dns/parts.ts";
import { holdsText, recordTypes } from "../../kinds/dns/record-types.ts";
import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { getPointer } from "../../model/json-pointer.ts";
import type { Pointer } from "../../model/contract.ts";

/** Types whose contents an API may take in parts. The priority of MX and SRV is a field of its own. */
export const typesInParts: readonly string[] = [...recordTypes].flatMap(([type, { parts }]) =>
  parts.every(({ json }) => json) ? type : [],
);

/** Returns the parts of a type's content; none if it does not stand in parts. */
const partsOf = (type: string): readonly Part[] =>
  typesInParts.includes(type) ? (recordTypes.get(type)?.parts ?? []) : [];

/** Returns the names of the parts of a type's content. */
export const partsOfType = (type: string): readonly string[] => partsOf(type).map(({ name }) => name);

/** Places of the parts of a content, by their names. Several names, with blanks between, are one text there. */
export type PartPointers = Readonly<Record<string, Pointer>>;

/** Returns the names of the parts that stand at one place. */
export const namesOfPart = (key: string): readonly string[] => key.split(" ");

/** Whether a part has a place, by itself or in a text with others. */
export const hasPart = (pointers: PartPointers, name: string): boolean =>
  Object.keys(pointers).some((key) => namesOfPart(key).includes(name));

/** Whether a part of a type can stand in one text with others: it holds no blanks. */
export const isJoinable = (type: string, name: string): boolean =>
  partsOf(type).some((part) => part.name === name && part.json === "number");

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
  const words = partsOf(type).map(({ name, json }) => {
    const value = parts[name];
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    if (json === "strings") return formatQuotedStrings(Buffer.from(String(value), "utf8"));
    return json === "text" ? quoteText(String(value)) : String(value);
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
  const parts = partsOf(type);
  const words = holdsText(type) ? [content] : splitWords(content, parts.length);
  const least = parts.at(-1)?.isOptional === true ? parts.length - 1 : parts.length;
  if (words.length < least || words.length > parts.length) return undefined;
  const own = parts.map((part, index) => [part.name, readPart(part, words[index] ?? "")] as const);
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

function readPart({ json }: Part, word: string): Json | undefined {
  if (json === "number") return isWholeNumber(word) ? Number(word) : undefined;
  if (json === "word") return word;
  const held = parseQuotedStrings(word);
  return held && decodeText(held);
}

/** The parts of the name of an SRV record (RFC 2782), each by two names: with its underscore, and without. */
export const labelsOfName: readonly (readonly [withUnderscore: string, bare: string])[] = [
  ["_service", "service"],
  ["_protocol", "protocol"],
];

/** The types whose names begin with these parts. */
export const typesWithLabels: readonly string[] = ["SRV"];

const apex = "@";

/** Returns a name with the labels that stand at other places of its record. */
export function joinName(pointers: PartPointers, raw: JsonObject, rest: Json | undefined): Json | undefined {
  const labels = labelsOfName.map(([withUnderscore, bare]) => {
    const value = textAt(raw, pointers[withUnderscore]) ?? textAt(raw, pointers[bare]);
    return value === undefined || value.startsWith("_") ? value : `_${value}`;
  });
  if (labels.includes(undefined) || (typeof rest === "object" && rest !== null)) return rest;
  const below = jsonText(rest ?? "");
  return [...labels, ...(below === "" || below === apex ? [] : [below])].join(".");
}

function textAt(raw: JsonObject, pointer: Pointer | undefined): string | undefined {
  const value = pointer === undefined ? undefined : getPointer(raw, pointer);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Returns the rest of a name without its first labels, and these with their places; undefined for a name that has none. */
export function splitName(
  pointers: PartPointers,
  name: Json,
): { readonly rest: string; readonly labels: readonly (readonly [Pointer, string])[] } | undefined {
  const [, service, protocol, rest = apex] =
    (typeof name === "string" && /^_([^._][^.]*)\._([^._][^.]*)(?:\.(.+))?$/u.exec(name)) || [];
  if (service === undefined || protocol === undefined) return undefined;
  const labels = labelsOfName.flatMap(([withUnderscore, bare], index): (readonly [Pointer, string])[] => {
    const text = [service, protocol][index] ?? "";
    const [marked, plain] = [pointers[withUnderscore], pointers[bare]];
    return [
      ...(marked === undefined ? [] : [[marked, `_${text}`] as const]),
      ...(plain === undefined ? [] : [[plain, text] as const]),
    ];
  });
  return { rest, labels };
}
