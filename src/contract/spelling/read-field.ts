import { normalValue } from "../../kinds/derived/normal-value.ts";
import { inlinePriority, isPrioritised } from "../../kinds/dns/record-content.ts";
import type { BoundKind } from "../bound-kind.ts";
import type { FieldContract, KindContract, MappedWord, Pointer } from "../../model/contract.ts";
import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { getPointer, isObject, pointerReader, setPointer } from "../../model/json-pointer.ts";
import { codecs, sortCodecs } from "./codecs.ts";
import { hasPart, joinParts, type PartPointers, readParts, joinName } from "./content-parts.ts";
import { isContent, isRecordName, priorityField, type SpellingContext } from "./special-fields.ts";
import type { Key } from "../../model/resource.ts";

/** The entry of a kind in a contract, and the key of an object or the scope of its list: all that reading a field depends on. */
export interface FieldScope {
  readonly kind: BoundKind;
  readonly key: Key;
}

/** Returns a field of a contract; also the priority that has no place of its own, because it stands in the content. */
export function fieldOf({ fields }: KindContract, name: string): FieldContract | undefined {
  const own = fields[name];
  if (own && own.absent !== true) return own;
  if (name !== priorityField) return undefined;
  return Object.values(fields).find(
    ({ as = [], parts = {} }) =>
      as.includes("priority_inside") ||
      Object.entries(parts).some(([type, places]) => isPrioritised(type) && hasPart(places, priorityField)),
  );
}

/** Returns the names of the fields that the API has. */
export function fieldNames(entry: KindContract): string[] {
  const names = Object.keys(entry.fields).filter((name) => entry.fields[name]?.absent !== true);
  return names.includes(priorityField) || !fieldOf(entry, priorityField) ? names : [...names, priorityField];
}

/** Returns every place in a record where a field may stand. */
export const placesOf = ({ at, absent, parts = {} }: FieldContract): string[] => [
  ...new Set([
    ...(absent === true ? [] : [at]),
    ...Object.values(parts).flatMap((pointers) => Object.values(pointers)),
  ]),
];

/** Whether the API spells a field otherwise than in its normal form. */
export const hasEncoding = ({ as, map, sentinel, parts, keys, item }: FieldContract): boolean =>
  as !== undefined || sentinel !== undefined || (map ?? parts ?? keys ?? item) !== undefined;

/**
 * Returns the value of a field in a record, without the API's spelling; undefined where the record has none. A value that cannot be
 * decoded stays as it is. The normal form is the caller's.
 * @param pointer where the value stands, if that is not its place in a record.
 */
export function readField(fieldScope: FieldScope, name: string, raw: JsonObject, pointer?: string): Json | undefined {
  const { kind } = fieldScope;
  const field = fieldOf(kind.entry, name);
  if (!field) return undefined;
  if (kind.members && name === priorityField) return readPriority(fieldScope, field, raw, pointer);
  const place = spellingContextOf(fieldScope, name, raw);
  const pointers = field.parts?.[place.type];
  const joined = pointers && joinParts(place.type, within(pointers, field, pointer), raw);
  if (joined !== undefined) return joined;
  const value = getPointer(raw, pointer ?? field.at);
  const decoded = value === undefined || !hasEncoding(field) ? value : decodeValue(field, place, value);
  const labels = partsOfName(fieldScope, name, raw);
  return labels ? joinName(within(labels, field, pointer), raw, decoded) : decoded;
}

/** Returns the places of the first labels of a record's name, where they stand apart from the rest of it. */
export function partsOfName(fieldScope: FieldScope, name: string, raw: JsonObject = {}): PartPointers | undefined {
  const { parts } = fieldScope.kind.entry.fields[name] ?? {};
  return parts && isRecordName(fieldScope.kind, name) ? parts[typeOf(fieldScope, raw).type] : undefined;
}

/** Returns what reads a field of records: where the API spells it as it is, what stands at its place. */
export const fieldReader = (fieldScope: FieldScope, name: string): ((raw: JsonObject) => Json | undefined) =>
  plainReader(fieldScope.kind, name) ?? ((raw) => readField(fieldScope, name, raw));

/** Returns what reads a field that the API spells as it is; undefined for another one. */
export function plainReader(kind: BoundKind, name: string): ((raw: JsonObject) => Json | undefined) | undefined {
  const field = fieldOf(kind.entry, name);
  const isInContent = kind.members !== undefined && name === priorityField && mayBeInContent(kind);
  return field && !isInContent && !hasEncoding(field) && field === kind.entry.fields[name]
    ? pointerReader(field.at)
    : undefined;
}

/** Whether a content may hold the priority of its record. */
function mayBeInContent({ entry, members }: BoundKind): boolean {
  const { parts, as = [] } = entry.fields[members?.identity ?? ""] ?? {};
  return parts !== undefined || as.includes("priority_inside");
}

/** Returns where the object stands in a body, from the place of one of its fields there. */
export const aboveField = (pointer: Pointer, at: Pointer): Pointer =>
  pointer.endsWith(at) ? pointer.slice(0, pointer.length - at.length) : "";

/** Returns the places of parts in a body, whose content stands at a pointer: the object may stand within it. */
export function within(pointers: PartPointers, { at }: FieldContract, pointer = at): PartPointers {
  const above = aboveField(pointer, at);
  return Object.fromEntries(Object.entries(pointers).map(([part, place]) => [part, above + place]));
}

/** Returns the place of a field in a record or, without it, in the object of a key. */
export function spellingContextOf(fieldScope: FieldScope, field: string, raw: JsonObject = {}): SpellingContext {
  const { kind, key } = fieldScope;
  const { type } =
    kind.members && isContent(kind, field) && kind.entry.fields[field] ? typeOf(fieldScope, raw) : { type: "" };
  return { kind, field, key, type };
}

function typeOf(fieldScope: FieldScope, raw: JsonObject): { readonly type: string } {
  const stated = fieldScope.key["type"] ?? readField(fieldScope, "type", raw);
  return { type: jsonText(stated ?? "").toUpperCase() };
}

/** Returns where a type's priority stands: in a part, before the content, or undefined for a field of its own. */
export function innerPriority({ entry, members }: BoundKind, type: string) {
  const content = entry.fields[members?.identity ?? ""];
  const parts = content?.parts?.[type];
  if (!isPrioritised(type)) return undefined;
  if (parts && hasPart(parts, priorityField)) return { is: "part", parts } as const;
  return !parts && content?.as?.includes("priority_inside") === true
    ? ({ is: "before", at: content.at } as const)
    : undefined;
}

function readPriority(fieldScope: FieldScope, field: FieldContract, raw: JsonObject, pointer: string | undefined) {
  const { kind } = fieldScope;
  const { type } = typeOf(fieldScope, raw);
  const inner = innerPriority(kind, type);
  const own = kind.entry.fields[priorityField] === field ? field : undefined;
  const stated =
    inner?.is === "part"
      ? readParts(inner.parts, raw)[priorityField]
      : inner && inlinePriority(type, jsonText(getPointer(raw, inner.at) ?? ""));
  const value = stated ?? (own && getPointer(raw, inner ? own.at : (pointer ?? own.at)));
  return value === undefined || !own || stated !== undefined
    ? value
    : decodeValue(own, { kind, field: priorityField, key: fieldScope.key, type }, value);
}

/** Returns a value without the API's spelling. */
function decodeValue(field: FieldContract, place: SpellingContext, value: Json): Json {
  const { as = [], map, sentinel, keys, item } = field;
  if (sentinel !== undefined && isSameWord(value, sentinel)) return null;
  if (keys !== undefined && isObject(value))
    return decodeValue({ ...field, keys: undefined }, place, listIn(keys, value));
  if (item !== undefined && Array.isArray(value))
    return decodeValue(
      { ...field, item: undefined },
      place,
      value.map((each) => getPointer(each, item) ?? each),
    );
  if (map && Array.isArray(value)) return value.map((item) => decodeValue(field, place, item));
  const word = map && Object.entries(map).find(([, theirs]) => wordsOf(theirs).some((each) => isSameWord(value, each)));
  if (word) return word[0] === "null" ? null : normalValue(place.kind, place.field, word[0], place.key);
  return sortCodecs(as).reduceRight((coded, codec) => codecs[codec].decode(coded, place), value);
}

/** Returns a value as the API spells it. A value that a codec is not made for stays as it is. */
export function encodeValue(field: FieldContract, place: SpellingContext, value: Json): Json {
  const { as = [], map, sentinel, keys, item } = field;
  if (value === null && sentinel !== undefined) return sentinel;
  if (keys !== undefined && Array.isArray(value))
    return Object.fromEntries(encodeItems(field, place, value).map((each, index) => [keyAt(keys, index), each]));
  if (item !== undefined && Array.isArray(value)) return encodeItems(field, place, value);
  if (map && Array.isArray(value)) return value.map((item) => encodeValue(field, place, item));
  const word = jsonText(value);
  if (map && Object.hasOwn(map, word)) return wordsOf(map[word])[0] ?? null;
  return sortCodecs(as).reduce((coded, codec) => codecs[codec].encode(coded, place), value);
}

/** Returns the items of a list as the API spells each. */
const encodeItems = (field: FieldContract, place: SpellingContext, list: readonly Json[]): Json[] => {
  const { item } = field;
  const alone = { ...field, keys: undefined, item: undefined };
  const encoded = list.map((each) => encodeValue(alone, place, each));
  return item === undefined ? encoded : encoded.map((each) => setPointer({}, item, each));
};

const keyAt = (keys: string, index: number) => keys.replace("{n}", String(index + 1));

/** The list that an object holds under numbered keys. What stands under others, or is none, is not of it. */
function listIn(keys: string, value: JsonObject): Json[] {
  const list: Json[] = [];
  for (let index = 0; Object.hasOwn(value, keyAt(keys, index)); index += 1)
    list.push(value[keyAt(keys, index)] ?? null);
  return list.filter((item) => item !== null);
}

const isScalar = (value: Json): value is string | number | boolean => typeof value !== "object";

const isSameWord = (a: Json, b: Json) => a === b || (isScalar(a) && isScalar(b) && String(a) === String(b));

/** Returns the API's words for a value: the first is written, all are read. */
const wordsOf = (theirs: MappedWord | readonly MappedWord[] | undefined): readonly MappedWord[] =>
  theirs === undefined || theirs === null || isScalar(theirs) ? [theirs ?? null] : theirs;
