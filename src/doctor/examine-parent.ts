import { textAt } from "../contract/decode-record.ts";
import { entryOf } from "../contract/entry.ts";
import { parametersIn, textsOf } from "../contract/operations-in.ts";
import type { Address } from "../model/address.ts";
import type { KindContract, Pointer } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import type { AskedList, ListRef } from "./ask-list.ts";
import { type Examination, type ExaminedObject, pathKey, nested, type EntryPath } from "./examination.ts";
import { idPlaces } from "./judge/id-places.ts";

/** A value of a parent's objects by which the requests for a list are filled. */
interface ParentValue {
  readonly kind: string;
  /** The entry that says where the value stands. */
  readonly path: EntryPath;
  readonly at: Pointer;
}

/** Another place of a parent's id, and the state by which a list is asked for then. */
export interface OtherId extends ParentValue {
  readonly near: Pointer;
  readonly write: JsonObject;
  readonly ref: ListRef;
  readonly found: Map<Address, ExaminedObject>;
}

/** Returns the likeliest other place of the first id in the request for a list that no answer has confirmed. */
export function otherId(exam: Examination, { ref }: AskedList): OtherId | undefined {
  const [parent] = parentsOf(exam, ref);
  const [near] = parent ? placesOf(exam, parent) : [];
  if (!parent || near === undefined) return undefined;
  const isItsId = parent.path.length === 3;
  const found = new Map(exam.found);
  const ids = new Map<string, string>();
  for (const [address, object] of exam.found) {
    if (object.kind.name !== parent.kind || !isItsId) continue;
    const id = textAt(object.remote.raw, near);
    ids.set(object.remote.id, id);
    found.set(address, { ...object, remote: { ...object.remote, id } });
  }
  const each = ref.each && mapValues(ref.each, (id) => ids.get(id) ?? id);
  return { ...parent, near, write: nested(parent.path, near), ref: { ...ref, ...(each && { each }) }, found };
}

const mapValues = (texts: Readonly<Record<string, string>>, change: (text: string) => string) =>
  Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, change(text)]));

/** Names the places of the parent's objects that may hold the id by which a list is asked for. */
export function hintOfParent(exam: Examination, { ref }: AskedList): string | undefined {
  const [parent] = parentsOf(exam, ref);
  if (!parent) return undefined;
  const places = placesOf(exam, parent).slice(0, 3);
  const others = places.length === 0 ? "no other place of its objects looks like an id" : `see ${places.join(", ")}`;
  return `if the path is right, ${parent.path.join(".")} is wrong: the path is filled from ${parent.at} of the ${parent.kind}; ${others}`;
}

/** Returns the values of parents in the request for a list, without those by which an object was read. */
function parentsOf({ contract, findings }: Examination, { kind }: ListRef): ParentValue[] {
  const { params = {}, operations } = entryOf(contract, kind);
  const { for_each: each = {} } = operations.list;
  const used = new Set(parametersIn(textsOf(operations.list)));
  const ofParams = Object.entries(params).flatMap(([param, source]): ParentValue[] => {
    if (!("id_of" in source) || !used.has(param)) return [];
    const own = ["kinds", kind.name, "params", param, "at"];
    return source.at === undefined
      ? idOf(contract.kinds, source.id_of)
      : [{ kind: source.id_of, path: own, at: source.at }];
  });
  const ofEach = Object.entries(each).flatMap(([param, name]) => (used.has(param) ? idOf(contract.kinds, name) : []));
  return [...ofParams, ...ofEach].filter((parent) => {
    const { is } = findings.get(pathKey(parent.path)) ?? {};
    // Without a read, an id is confirmed by its form alone.
    return is === undefined || (is === "confirmed" && contract.kinds[parent.kind]?.operations.read === undefined);
  });
}

function idOf(kinds: Readonly<Record<string, KindContract | null>>, name: string): ParentValue[] {
  const { id } = kinds[name] ?? {};
  return id === undefined ? [] : [{ kind: name, path: ["kinds", name, "id"], at: id }];
}

/** Returns the places of a parent's objects that are named like ids, the likeliest first. */
function placesOf({ contract, found }: Examination, { kind, at }: ParentValue): Pointer[] {
  const entry = contract.kinds[kind];
  const records = [...found.values()].flatMap((each) => (each.kind.name === kind ? [each.remote.raw] : []));
  return entry && records.length > 0 ? idPlaces({ ...entry, id: at }, records) : [];
}
