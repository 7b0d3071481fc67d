import { isDeepStrictEqual } from "node:util";
import { collectionOf } from "../kinds/derived/collection.ts";
import { decodeList } from "../contract/decode-record.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import type { SetCall } from "../model/http-call.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, layAt, omitPointer, setPointer } from "../model/json-pointer.ts";
import type { Fields, Remote } from "../model/resource.ts";
import { layOverRecord, resolveValue, withParams } from "./build-body.ts";
import type { FoundObjects } from "./find-objects.ts";
import { namesIn } from "./object-identity.ts";
import type { RunContext } from "./run-context.ts";

/** Returns the body of a request that writes a set; undefined where it has none. */
export function buildSetBody(
  context: RunContext,
  bound: BoundAddress,
  call: SetCall,
  seen: FoundObjects,
): Json | undefined {
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
  const now = takeEach(
    call.members,
    remotes,
    (stays, { fields }) => stays !== undefined && agrees(call.compared, fields, stays),
  );
  const members = call.members.map((_, index) =>
    layOverRecord(
      context,
      bound,
      now[index]?.raw ?? {},
      values.filter(({ member }) => member === index),
    ),
  );
  const items = explode === undefined ? members : members.map((each) => getPointer(each, explode) ?? null);
  // Without a place in a set the list is the body; in the list of a zone, members stand side by side.
  if (list === "") return items;
  if (explode === undefined && list !== undefined) return call.zone ? members : [setPointer({}, list, items)];
  const raw = whole ? (remotes[0]?.raw ?? {}) : {};
  const rest = [...omit, ...(explode === undefined ? [] : [explode])].reduce(omitPointer, raw);
  const set = layOverRecord(
    context,
    bound,
    rest,
    values.filter(({ member }) => member === undefined),
  );
  return [list === undefined ? set : setPointer(set, list, items)];
}

/** Returns the list with other sets in the place of those of an address; a new set comes last. */
function replaceSet(
  context: RunContext,
  bound: BoundAddress,
  items: readonly JsonObject[],
  sets: readonly Json[],
): Json[] {
  const { address, kind, key } = bound;
  const listed = decodeList(collectionOf(kind, key), items, namesIn(context));
  const first = listed.findIndex((each) => each.address === address);
  const all = items.flatMap((item, index) =>
    listed[index]?.address !== address ? [item] : index === first ? sets : [],
  );
  return first === -1 ? [...all, ...sets] : all;
}

const agrees = (names: readonly string[], some: Fields, others: Fields) =>
  names.every((name) => isDeepStrictEqual(some[name] ?? null, others[name] ?? null));

/** Returns for each wanted item one of the others that it agrees with, none of them twice. */
function takeEach<W, T>(
  wanted: readonly W[],
  others: readonly T[],
  isOne: (each: W, other: T) => boolean,
): (T | undefined)[] {
  const free = [...others];
  return wanted.map((each) => {
    const index = free.findIndex((other) => isOne(each, other));
    return index === -1 ? undefined : free.splice(index, 1)[0];
  });
}

const isSameCount = <W, T>(
  wanted: readonly W[],
  others: readonly T[],
  isOne: (each: W, other: T) => boolean,
): boolean => wanted.length === others.length && !takeEach(wanted, others, isOne).includes(undefined);

/** Whether some members are the same as others, in the fields that a request overwrites. */
export function isSameSet(
  { compared, list, form }: SetCall,
  some: readonly Fields[],
  others: readonly Fields[],
): boolean {
  const isOne = (each: Fields, other: Fields) => agrees(compared, each, other);
  if (list !== undefined || form === "delete") return isSameCount(some, others, isOne);
  const isIn = (all: readonly Fields[]) => (each: Fields) => all.some((other) => isOne(each, other));
  return some.every(isIn(others)) && others.every(isIn(some));
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
  const holds = (wanted: Fields, { fields }: Remote) =>
    agrees(Object.keys(wanted), { ...kind.members?.always, ...fields }, wanted);
  if (call.list === undefined && call.form !== "delete")
    return remotes.length > 0 && remotes.every((remote) => holds(shared, remote));
  const wanted = call.members.map((stays, index) => ({ ...stays, ...shared, ...valuesOf(index) }));
  return isSameCount(wanted, remotes, holds);
}
