import { notFound } from "../refusal.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { StoredObject } from "../store/objects.ts";
import { allOf, keyPartsOf, serviceOfZone, type KeyParts } from "./account.ts";
import type { LookupEntry, ParamEntry, Pointer } from "./contract.ts";
import { encodedValueAt } from "./encode-field.ts";
import { readValue } from "./spell.ts";
import { entryOf, publicIdOf, objectOfId, type Visit } from "./visit.ts";

/** The values of the parameters of a request. */
export interface Known {
  readonly parts: KeyParts;
  /** Of the object, if the request names it so. */
  readonly id?: string;
  /** The object whose list this is (`for_each`). */
  readonly each?: StoredObject;
}

export const placeholdersIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);

/** Reads the parameters of a request. Throws 404 for an id of nothing. */
export function readParams(visit: Visit, kind: KindName, raw: Readonly<Record<string, string>>): Known {
  const { params = {}, operations } = entryOf(visit, kind);
  const { for_each: forEach = {} } = operations.list;
  let known: Known = { parts: {} };
  // The value of a field depends on the zone or domain that other parameters name.
  const inOrder = Object.entries(raw).sort(
    ([a], [b]) => Number(params[a]?.field !== undefined) - Number(params[b]?.field !== undefined),
  );
  for (const [name, value] of inOrder) {
    const { parts } = known;
    const parent = forEach[name];
    const source = params[name];
    if (name === "id") known = { ...known, id: value };
    else if (parent !== undefined) known = { ...known, each: objectOfId(visit, parent as KindName, value) };
    else if (source?.lookup !== undefined) known = { ...known, parts: { ...parts, ...readToken(name, value) } };
    else if (source !== undefined)
      known = { ...known, parts: { ...parts, ...partsIn(visit, kind, source, value, parts) } };
  }
  return known;
}

function partsIn(visit: Visit, kind: KindName, source: ParamEntry, value: string, parts: KeyParts): KeyParts {
  if (source.field !== undefined) {
    const spelling = entryOf(visit, kind).fields[source.field] ?? { at: "" };
    const place = { kind, field: source.field, parts, type: parts["type"] ?? "" };
    return { [source.field]: String(readValue(spelling, place, value)) };
  }
  if (typeof source.key === "string") return { [source.key]: value };
  const { id_of: owner, at, key = {} } = source;
  if (owner === undefined) return {};
  const object = at === undefined ? objectOfId(visit, owner, value) : objectWith(visit, owner, at, value);
  const theirs = keyPartsOf(object, visit.objects);
  return Object.fromEntries(Object.entries(key).map(([there, here]) => [here, theirs[there] ?? ""]));
}

function objectWith(visit: Visit, kind: KindName, at: Pointer, value: string): StoredObject {
  const found = allOf(kind, undefined, visit.objects).find(
    (object) => String(encodedValueAt(visit, object, at)) === value,
  );
  if (found === undefined) throw notFound(`${kind} with "${value}" at ${at}`);
  return found;
}

/** Returns the value of a parameter for an object. */
export function paramOf(visit: Visit, object: StoredObject, name: string): unknown {
  const { kind } = object;
  const { params = {}, operations } = entryOf(visit, kind);
  const parts = keyPartsOf(object, visit.objects);
  if (name === "id") return publicIdOf(visit, object);
  if (operations.list.for_each?.[name] !== undefined) {
    const parent = serviceOfZone(object, visit.objects);
    return parent === undefined ? "" : publicIdOf(visit, parent);
  }
  const source = params[name] ?? {};
  if (source.lookup !== undefined) return tokenOf(name, params, source.lookup, parts);
  if (source.field !== undefined) return parts[source.field] ?? "";
  return typeof source.key === "string" ? (parts[source.key] ?? "") : parentValue(visit, source, parts);
}

function parentValue(visit: Visit, { id_of: owner, key = {}, at }: ParamEntry, parts: KeyParts): unknown {
  if (owner === undefined || typeof key === "string") return "";
  const parent = allOf(owner, undefined, visit.objects).find((object) => {
    const theirs = keyPartsOf(object, visit.objects);
    return Object.entries(key).every(([there, here]) => theirs[there] === parts[here]);
  });
  if (parent === undefined) return "";
  return at === undefined ? publicIdOf(visit, parent) : encodedValueAt(visit, parent, at);
}

/** Returns the parts of the key that the places of a lookup are filled with. */
export function partsOfLookup(
  params: Readonly<Record<string, ParamEntry>>,
  lookup: LookupEntry,
): [param: string, part: string][] {
  const { path, query = {}, where = [] } = lookup;
  const texts = [
    path,
    ...Object.values(query),
    ...where.flatMap(({ equals }) => equals.filter((each) => typeof each === "string")),
  ];
  return [...new Set(texts.flatMap(placeholdersIn))].flatMap((name): [string, string][] => {
    const part = params[name]?.key;
    return typeof part === "string" ? [[name, part]] : [];
  });
}

/** Returns what a lookup finds: a text that tells the parts it was looked up for. */
export function tokenOf(
  name: string,
  params: Readonly<Record<string, ParamEntry>>,
  lookup: LookupEntry,
  parts: KeyParts,
): string {
  const own = partsOfLookup(params, lookup).map(([, part]) => [part, parts[part] ?? ""] as const);
  return `${name}-${Buffer.from(JSON.stringify(Object.fromEntries(own))).toString("base64url")}`;
}

function readToken(name: string, value: string): KeyParts {
  try {
    if (!value.startsWith(`${name}-`)) throw new Error("another lookup");
    return JSON.parse(Buffer.from(value.slice(name.length + 1), "base64url").toString()) as KeyParts;
  } catch {
    throw notFound(`${name} "${value}"`);
  }
}
