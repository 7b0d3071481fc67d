import { isDeepStrictEqual } from "node:util";
import { collectionOf } from "../kinds/derived/collection.ts";
import { decodeList } from "../contract/decode-list.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import type { SetCall } from "../model/http-call.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, layAt, omitPointer, setPointer } from "../model/json-pointer.ts";
import type { Fields, Remote } from "../model/resource.ts";
import { layOverRecord, resolveValue, withParams } from "./build-body.ts";
import { nameOf } from "./object-identity.ts";
import type { RunContext } from "./run-context.ts";

/** A set as it is: its members, and the list that it stands in, where that is written with it. */
export interface SeenSet {
  readonly remotes: readonly Remote[];
  readonly items: readonly JsonObject[];
}

/** Returns the body of a request that writes a set; undefined where it has none. */
export function buildSetBody(context: RunContext, bound: BoundAddress, call: SetCall, seen: SeenSet): Json | undefined {
  const { form, base, list, values, zone } = call;
  const sets = form === "delete" && zone ? [] : setsToSend(context, bound, call, seen.remotes);
  if (zone) return placed(context, call, replaceSet(context, bound, seen.items, sets));
  const hasBody = form !== "delete" || values.length > 0 || call.inBody !== undefined || Object.keys(base).length > 0;
  if (!hasBody) return undefined;
  return placed(context, call, list === "" ? sets : (sets[0] ?? {}));
}

function placed(context: RunContext, call: SetCall, content: Json): Json {
  const { base, at } = call;
  // A list by itself is the whole body.
  return Array.isArray(content) && at === "" ? content : withParams(context, call, layAt(base, at, content));
}

/** Returns the set with its members in their list; the members by themselves where the API has them side by side. */
function setsToSend(context: RunContext, bound: BoundAddress, call: SetCall, remotes: readonly Remote[]): Json[] {
  const { whole, omit, list, values } = call;
  const { explode } = bound.kind.entry.operations.list;
  const take = takeFrom(call, remotes);
  const members = call.members.map((stays, index) =>
    layOverRecord(
      context,
      bound,
      stays ? (take(stays)?.raw ?? {}) : {},
      values.filter(({ member }) => member === index),
    ),
  );
  const items = explode === undefined ? members : members.map((each) => getPointer(each, explode) ?? null);
  // Without a place in a set the list is the body; in the list of a zone, members stand side by side.
  if (list === "") return items;
  if (explode === undefined && list !== undefined) return call.zone ? members : [setPointer({}, list, items)];
  const raw = whole ? (remotes[0]?.raw ?? {}) : {};
  const left = [...omit, ...(explode === undefined ? [] : [explode])].reduce(omitPointer, raw);
  const set = layOverRecord(
    context,
    bound,
    left,
    values.filter(({ member }) => member === undefined),
  );
  return [list === undefined ? set : setPointer(set, list, items)];
}

/** Returns a function that finds, once each, the member that is as the plan saw it. */
function takeFrom({ compared }: SetCall, remotes: readonly Remote[]): (stays: Fields) => Remote | undefined {
  const left = [...remotes];
  return (stays) => {
    const index = left.findIndex(({ fields }) => agrees(compared, fields, stays));
    return index === -1 ? undefined : left.splice(index, 1)[0];
  };
}

/** Returns the list with other sets in the place of those of an address; a new set comes last. */
function replaceSet(
  context: RunContext,
  bound: BoundAddress,
  items: readonly JsonObject[],
  sets: readonly Json[],
): Json[] {
  const { address, kind, key } = bound;
  const listed = decodeList(collectionOf(kind, key), items, (name, id) => nameOf(context, name, id));
  const first = listed.findIndex((each) => each.address === address);
  const all = items.flatMap((item, index) =>
    listed[index]?.address !== address ? [item] : index === first ? sets : [],
  );
  return first === -1 ? [...all, ...sets] : all;
}

const agrees = (names: readonly string[], some: Fields, others: Fields) =>
  names.every((name) => isDeepStrictEqual(some[name] ?? null, others[name] ?? null));

/** Whether some members are the same as others, in the fields that a request overwrites. */
export function isSameSet(
  { compared, list, form }: SetCall,
  some: readonly Fields[],
  others: readonly Fields[],
): boolean {
  const isIn = (all: readonly Fields[]) => (each: Fields) => all.some((other) => agrees(compared, each, other));
  if (list === undefined && form !== "delete") return some.every(isIn(others)) && others.every(isIn(some));
  const left = [...others];
  const takesOne = (each: Fields) => {
    const index = left.findIndex((other) => agrees(compared, each, other));
    return index !== -1 && left.splice(index, 1).length === 1;
  };
  return some.length === others.length && some.every(takesOne);
}

/** Whether a set holds exactly what a request writes. */
export function holdsSet(context: RunContext, bound: BoundAddress, call: SetCall, remotes: readonly Remote[]): boolean {
  const { kind, key } = bound;
  const valuesOf = (member: number | undefined) =>
    Object.fromEntries(
      call.values.flatMap((value) =>
        value.member === member && !(value.field in kind.naming.toFields(key))
          ? [[value.field, normalValue(kind, value.field, resolveValue(context, bound, value), key)] as const]
          : [],
      ),
    );
  const shared = valuesOf(undefined);
  const holds = (wanted: Fields) => (remote: Remote) =>
    agrees(Object.keys(wanted), { ...kind.members?.always, ...remote.fields }, wanted);
  if (call.list === undefined && call.form !== "delete") return remotes.length > 0 && remotes.every(holds(shared));
  const left = [...remotes];
  const wanted = call.members.map((stays, index) => ({ ...stays, ...shared, ...valuesOf(index) }));
  const takesOne = (each: Fields) => {
    const index = left.findIndex(holds(each));
    return index !== -1 && left.splice(index, 1).length === 1;
  };
  return remotes.length === wanted.length && wanted.every(takesOne);
}
