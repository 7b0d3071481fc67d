import type { BoundKind, BoundList } from "./bound-kind.ts";
import type { Kind } from "../kinds/kind.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { KindContract, Pointer } from "../model/contract.ts";
import { jsonText, type Json, type JsonObject } from "../model/json.ts";
import { getPointer, pointerReader } from "../model/json-pointer.ts";
import type { Fields, Key, Remote, RemoteId } from "../model/resource.ts";
import { idOfMember, lacksIds } from "./sets.ts";
import { fieldNames, fieldReader, type FieldScope } from "./spelling/read-field.ts";
import { toAddress, type Address } from "../model/address.ts";
import { holds } from "../model/condition.ts";

/** Looks up the natural name that stands for the id of an object of a kind. */
export type NameOf = (kind: string, id: string) => string | undefined;

/** Kinds whose names and ids the fields of a kind translate between (`id_of`). */
export const translatedKinds = ({ entry }: BoundKind): string[] =>
  Object.values(entry.fields).flatMap(({ id_of }) => (id_of === undefined ? [] : [id_of]));

/** The list that a record is of, or is decoded as if it were of. Without `nameOf`, no id has a name. */
export interface Decoding {
  readonly scope: Key;
  readonly nameOf?: NameOf;
  /** Whether the names of the list are relative to its scope. */
  readonly isRelative?: boolean;
}

interface DecodedRecord {
  readonly key: Key;
  /** False where something else than a text stands in the place of a name: `null`, an object. */
  readonly isNamed: boolean;
  readonly remote: Remote;
}

/** One record of an answer as a remote object: its id, its ETag, and its fields in normal form. */
export const decodeRecord = (kind: BoundKind, raw: JsonObject, decoding: Decoding): DecodedRecord =>
  recordDecoder(kind, decoding)(raw);

/** Returns what decodes the records of a list: the contract is looked up once for all of them. */
function recordDecoder(
  kind: BoundKind,
  { scope, nameOf = () => undefined, isRelative = false }: Decoding,
): (raw: JsonObject) => DecodedRecord {
  const { entry } = kind;
  const readValues = valuesReader({ kind, key: scope }, nameOf);
  const readsRelative = isRelative && !saysWholeness(kind);
  const isWithoutId = lacksIds(kind);
  const names = nameFieldsOf(kind);
  const readId = idReader(entry);
  const readEtag = entry.etag === undefined ? () => undefined : pointerReader(entry.etag);
  return (raw) => {
    const values = readValues(raw);
    const named = entry.named_by === undefined ? values : { ...values, ...namesOf(kind, readId(raw)) };
    const isNamed = names.every(({ field, isList }) => isName(values[field], isList));
    const key = kind.naming.normalise(kind.naming.ofLive(named, scope, readsRelative));
    const fields = normalise(values, kind, key);
    const etag = etagOf(readEtag(raw));
    const id = isWithoutId ? idOfMember(entry, key, raw) : readId(raw);
    return { key, isNamed, remote: { id, etag, raw, fields } };
  };
}

/** Returns the fields that an object cannot be named without, and whether each is a list. */
function nameFieldsOf({ entry, naming: { toFields, optional = [] }, scope }: BoundKind) {
  const named = entry.named_by === undefined ? fieldNames(entry) : [];
  return Object.entries(toFields({}))
    .filter(([field]) => named.includes(field) && !scope.includes(field) && !optional.includes(field))
    .map(([field, value]) => ({ field, isList: Array.isArray(value) }));
}

const isName = (value: Json | undefined, isList: boolean): boolean =>
  isList && Array.isArray(value)
    ? value.length > 0 && value.every((item) => isName(item, false))
    : typeof value === "string" || typeof value === "number";

/** Puts the values of a record into their normal form, in place: there is an object for each record as it is. */
function normalise(values: Record<string, Json>, kind: Kind, key: Key): Fields {
  for (const name in values) values[name] = normalValue(kind, name, values[name] ?? null, key);
  return values;
}

/** Returns what reads the values of a record, without the API's spelling. */
function valuesReader(fieldScope: FieldScope, nameOf: NameOf): (raw: JsonObject) => Record<string, Json> {
  const { kind } = fieldScope;
  const { entry } = kind;
  const readers = fieldNames(entry).map((name) => ({
    name,
    read: fieldReader(fieldScope, name),
    parent: entry.fields[name]?.id_of,
  }));
  const own = kind.serverMade?.ownFlag;
  return (raw) => {
    const decoded: Record<string, Json> = {};
    for (const { name, read, parent } of readers) {
      const value = read(raw);
      if (value !== undefined) decoded[name] = parent === undefined ? value : translateId(parent, value, nameOf);
    }
    if (own !== undefined && entry.managed_when?.some((condition) => holds(condition, raw))) decoded[own] = true;
    const correct = kind.listing?.correct?.(decoded) ?? decoded;
    return correct === decoded ? decoded : { ...correct };
  };
}

/** The fields that name an object which has no name: its id stands for one, until a manifest is found to declare it. */
function namesOf(kind: Kind, id: RemoteId): Fields {
  const names = Object.keys(kind.naming.toFields({})).filter((field) => !kind.scope.includes(field));
  return Object.fromEntries(names.map((name) => [name, id]));
}

/** Whether the contract says if the names of a list are relative to its scope. */
export const saysWholeness = ({ entry, naming }: BoundKind): boolean =>
  entry.fields[naming.relative?.field ?? ""]?.as?.some(
    (codec) => codec === "whole_name" || codec === "relative_name",
  ) === true;

/** Returns the value of an ETag, which may be a number (a serial, a version). */
export const etagOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** Stands for the id of an object that is the only one of its list. */
const onlyOne = "only-one" as RemoteId;

/** Returns the id of a record; empty if it is missing or cannot stand in a path. */
export const idOfRecord = ({ entry }: BoundKind, raw: JsonObject): RemoteId => idReader(entry)(raw);

function idReader({ id }: KindContract): (raw: JsonObject) => RemoteId {
  if (id === undefined) return () => onlyOne;
  const read = pointerReader(id);
  return (raw) => usableId(read(raw));
}

/** Returns what stands in a record, as far as it can stand in a path; else an empty text. */
export const textAt = (raw: JsonObject, at: Pointer): RemoteId => usableId(getPointer(raw, at));

const plainId = /^[\w-]*$/u;

/** Empty for an id that cannot stand in a path, such as `..`, `a/../b` or half a surrogate pair: what has no usable id cannot be written. */
export function usableId(value: Json | undefined): RemoteId {
  const text = typeof value === "string" || typeof value === "number" ? String(value) : "";
  // Nearly all ids are words.
  if (plainId.test(text)) return text as RemoteId;
  return (/(^|[/\\])\.{1,2}([/\\]|$)|\p{Surrogate}/u.test(text) ? "" : text) as RemoteId;
}

function translateId(kind: string, value: Json, nameOf: NameOf): Json {
  return value === null ? null : (nameOf(kind, jsonText(value)) ?? `(id ${jsonText(value)})`);
}

export interface ListedObject {
  /** Empty where the object has no name. */
  readonly address: Address;
  readonly key: Key;
  readonly remote: Remote;
}

export function decodeList({ kind, scope }: BoundList, items: readonly JsonObject[], nameOf: NameOf): ListedObject[] {
  const isRelative = hasRelativeNames(kind, items, scope);
  const decode = recordDecoder(kind, { scope, nameOf, isRelative });
  return items.map((raw) => {
    const { key, isNamed, remote } = decode(raw);
    return { address: isNamed ? toAddress(kind.name, kind.naming.addressParts(key)) : ("" as Address), key, remote };
  });
}

/** Whether a list has its names relative to its scope: where one record alone does not tell, all of them do. */
function hasRelativeNames(kind: BoundKind, items: readonly JsonObject[], scope: Key): boolean {
  const { field = "", areListed } = kind.naming.relative ?? {};
  if (!areListed || saysWholeness(kind)) return false;
  const read = fieldReader({ kind, key: scope }, field);
  return areListed(
    items.map((raw) => jsonText(read(raw))),
    scope,
  );
}
