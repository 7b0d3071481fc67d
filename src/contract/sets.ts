import { hash } from "node:crypto";
import type { BoundKind } from "./bound-kind.ts";
import type { KindContract, Pointer } from "../model/contract.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject, omitPointer, setPointer } from "../model/json-pointer.ts";
import type { Key, Remote, RemoteId } from "../model/resource.ts";
import { placesOf } from "./spelling/read-field.ts";

/** Whether a kind's members are written as whole sets, or with all of their zone. */
export const writesSets = ({ operations }: Pick<KindContract, "operations">): boolean =>
  operations.set !== undefined || operations.zone !== undefined;

/** Whether a field stands in each member of a set, not beside their list. Without such a list all fields do. */
export const isInMember = ({ operations: { list } }: KindContract, at: Pointer): boolean =>
  list.explode === undefined || at === list.explode || at.startsWith(`${list.explode}/`);

/** Returns a record for each member of each set: the set with that member in place of the list. A set without a list keeps none. */
export function explodeSets({ operations }: KindContract, items: readonly JsonObject[]): readonly JsonObject[] {
  const { explode } = operations.list;
  if (explode === undefined) return items;
  return items.flatMap((item) => {
    const members = getPointer(item, explode);
    if (members === null) return [];
    return Array.isArray(members)
      ? members.map((member: Json) => setPointer(item, explode, member))
      : [omitPointer(item, explode)];
  });
}

/** Whether the members of a kind have no ids of their own. */
export const lacksIds = ({ entry, members }: BoundKind): boolean =>
  members !== undefined && (entry.id === undefined || !isInMember(entry, entry.id));

/** Returns an identity for a member without an id, from its set and what the API says of it; empty for a set without a list. */
export function idOfMember(entry: KindContract, key: Key, raw: JsonObject): RemoteId {
  const { explode } = entry.operations.list;
  const member = explode === undefined ? raw : getPointer(raw, explode);
  if (member === undefined) return "" as RemoteId;
  const text = JSON.stringify([Object.values(key), member]);
  return hash("sha256", text).slice(0, 24) as RemoteId;
}

/** Returns the record of a whole set, from those of its members; undefined without any. Members side by side have no set of their own. */
export function recordOfSet({ operations }: KindContract, remotes: readonly Remote[]): JsonObject | undefined {
  const { explode } = operations.list;
  const [first] = remotes;
  if (!first) return undefined;
  if (explode === undefined) return { members: remotes.map(({ raw }) => raw) };
  return setPointer(
    first.raw,
    explode,
    remotes.map(({ raw }) => getPointer(raw, explode) ?? null),
  );
}

/** Returns the records of the members of a set from its record; of any other object its record. */
export function membersOfRecord(entry: KindContract, record: JsonObject): readonly JsonObject[] {
  if (!writesSets(entry)) return [record];
  if (entry.operations.list.explode !== undefined) return explodeSets(entry, [record]);
  const { members } = record;
  return Array.isArray(members) ? (members as readonly Json[]).filter(isObject) : [];
}

/** Returns the text by which one set of a list differs from another. */
export const idOfSet = ({ entry: { fields, id }, naming }: BoundKind, item: JsonObject): string =>
  JSON.stringify(
    [id, ...Object.keys(naming.toFields({})).flatMap((name) => (fields[name] ? placesOf(fields[name]) : []))].map(
      (at) => (at === undefined ? null : (getPointer(item, at) ?? null)),
    ),
  );
