import { isDeepStrictEqual } from "node:util";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { FieldContract, KindContract, Contract } from "../model/contract.ts";
import { matchesGlob } from "../model/glob.ts";
import { jsonText, type Json } from "../model/json.ts";
import type { Fields, Key } from "../model/resource.ts";
import type { BoundKind } from "./bound-kind.ts";
import { fieldNames, fieldOf, hasEncoding, readField, type FieldScope } from "./spelling/read-field.ts";
import { encodeField, spellBody } from "./spelling/spell-body.ts";
import { getOrMake } from "../lib/collect.ts";
import type { Kind, Field } from "../kinds/kind.ts";
import type { Subject } from "./request.ts";

/**
 * Returns the value that was expected, if the API does not take the value of a field: it is beyond a limit, has no word, or would be read
 * back as another value. Undefined if the API takes it.
 * @param siblings returns the other values of the object, in normal form.
 */
export function expectedByApi(
  fieldScope: FieldScope,
  name: string,
  value: Json,
  siblings: () => Fields,
): string | undefined {
  const field = fieldOf(fieldScope.kind.entry, name);
  if (!field || field.id_of !== undefined || value === null) return undefined;
  const isListed = fieldScope.kind.fields[name]?.listed !== undefined;
  const items = Array.isArray(value) ? (value as readonly Json[]) : [value];
  const wrong = items.flatMap((item) => (isListed ? [] : (wordFor(field, item) ?? numberFor(field, item) ?? [])))[0];
  return (
    wrong ??
    lengthFor(fieldScope, name, field, items) ??
    (isHeld(fieldScope, name, value, siblings) ? undefined : unheld)
  );
}

/** Returns the fields of a kind of which the API could refuse a value. */
export const limitedFields = (kind: BoundKind): ReadonlySet<string> =>
  new Set(fieldNames(kind.entry).filter((name) => isLimited(kind, name)));

function isLimited(kind: BoundKind, name: string): boolean {
  const field = fieldOf(kind.entry, name);
  if (!field || field.id_of !== undefined) return false;
  const hasWords = kind.fields[name]?.listed === undefined && (field.map ?? field.values) !== undefined;
  return hasWords || (field.min ?? field.max ?? field.max_length) !== undefined || hasEncoding(field);
}

/** Whether the API takes a value of a field without a doubt: nearly every one of a manifest. */
export function isWithin(entry: KindContract, name: string, value: Json): boolean {
  const field = fieldOf(entry, name);
  if (!field || field.values !== undefined || hasEncoding(field)) return false;
  const { min = -Infinity, max = Infinity, max_length: most = Infinity } = field;
  return typeof value === "string" ? value.length <= most : typeof value === "number" && value >= min && value <= max;
}

const unheld = "a value that the API can hold as the contract spells it";

function wordFor({ map, values }: FieldContract, item: Json): string | undefined {
  if ((!map && !values) || typeof item === "object") return undefined;
  const text = jsonText(item);
  const words = [...Object.keys(map ?? {}), ...(values ?? [])];
  const isTaken = words.some((word) => word === text || (word.includes("*") && matchesGlob(word, text)));
  return isTaken ? undefined : `one of ${words.join(", ")}`;
}

function numberFor({ min = -Infinity, max = Infinity, also = [] }: FieldContract, item: Json): string | undefined {
  if (typeof item !== "number" || (item >= min && item <= max) || also.includes(item)) return undefined;
  const range = [
    ...(min === -Infinity ? [] : [`${min} or more`]),
    ...(max === Infinity ? [] : [`${max} or less`]),
  ].join(" and ");
  return ["a number of", range, ...(also.length > 0 ? [`(or ${also.join(", ")})`] : [])].join(" ");
}

function lengthFor(fieldScope: FieldScope, name: string, { max_length: most }: FieldContract, items: readonly Json[]) {
  if (most === undefined) return undefined;
  const isLong = (item: Json) => typeof item === "string" && item.length > most && Array.from(item).length > most;
  return items.some((item) => isLong(encodeField(fieldScope, name, item))) ? `at most ${most} characters` : undefined;
}

/** Whether a value is read back as itself after it was written. */
function isHeld(fieldScope: FieldScope, name: string, value: Json, siblings: () => Fields): boolean {
  const field = fieldOf(fieldScope.kind.entry, name);
  if (!field || !hasEncoding(field) || Object.hasOwn(fieldScope.kind.naming.toFields(fieldScope.key), name))
    return true;
  const written = Object.entries({ ...siblings(), [name]: value }).flatMap(([each, own]) => {
    const place = fieldOf(fieldScope.kind.entry, each);
    return place ? [{ pointer: place.at, field: each, value: own }] : [];
  });
  const back = readField(fieldScope, name, spellBody(fieldScope, {}, written));
  return back !== undefined && isDeepStrictEqual(normalValue(fieldScope.kind, name, back, fieldScope.key), value);
}

/** Returns the part of a key that the API does not take, with the values that the contract lists; undefined if it takes all of them. */
export function unlistedValue(contract: Contract, kind: Kind, key: Key) {
  for (const field of listedFields(kind)) {
    const values = contract.kinds[kind.name]?.fields[field]?.values;
    const value = key[field] ?? "";
    if (!values || values.includes(value)) continue;
    if (!values.some((each) => each.includes("*") && matchesGlob(each, value))) return { field, value, values };
  }
  return undefined;
}

/** Whether the contract lists every such part of a key by its full name, not by a pattern. */
export const isListedByName = (contract: Contract, kind: Kind, key: Key): boolean =>
  listedFields(kind).every(
    (field) => contract.kinds[kind.name]?.fields[field]?.values?.includes(key[field] ?? "") !== false,
  );

const listedFields = ({ fields }: Kind): readonly string[] =>
  getOrMake(listedByKind, fields, () => Object.keys(fields).filter((field) => fields[field]?.listed !== undefined));

// A cache only.
const listedByKind = new WeakMap<Kind["fields"], readonly string[]>();

/** Returns whether a manifest can write a field, and the API returns it. */
export const isComparable = ({ access, needsSecret }: Field): boolean =>
  (access === "mutable" || access === "immutable") && needsSecret !== true;

/** Returns whether a field has the value that the server gives it by itself. */
export function hasServersValue({ kind, key }: Subject, name: string, fields: Fields): boolean {
  const { default: usual, default_by: byOther = {} } = kind.entry.fields[name] ?? {};
  const [by] = Object.entries(byOther);
  const own = usual ?? by?.[1][jsonText(fields[by[0]])] ?? null;
  return isDeepStrictEqual(fields[name], normalValue(kind, name, own, key));
}
