import { knownValues, pickValues } from "../model/body.ts";
import type { Address } from "../model/address.ts";
import type { KindContract, OperationContract, Pointer } from "../model/contract.ts";
import type { BodyValue, CallRequest, HttpCall, RestoreCall, SetCall } from "../model/http-call.ts";
import { jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import type { Body, Key, LiveResource, Remote, Values } from "../model/resource.ts";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import { createCall, deleteCall, fieldsLeftOut, restoreCall, sendsWhole, updateCalls } from "./binding.ts";
import { bodyValues, type Binding, buildRequest, constantsOf, namedPlaces, placesIn, sendsField } from "./request.ts";
import type { BoundKind } from "./bound-kind.ts";
import { isInMember, lacksIds, writesSets } from "./sets.ts";
import { fieldOf } from "./spelling/read-field.ts";

/** A desired object, and the live one that will become it. Without the first the live one goes, without the second a new one is made. */
export interface ObjectPair {
  readonly body: Body | undefined;
  readonly remote: Remote | undefined;
  /** The fields in which the live object is not as desired; of one that goes, those in which it is not as the others are to be. */
  readonly changed: readonly string[];
}

/** The objects of an address, of which there are several only in a set: as they are, and as they are to be. */
export interface ObjectsChange extends Pick<SetChange, "address" | "key" | "live"> {
  readonly pairs: readonly ObjectPair[];
  /** The values that all of them share. */
  readonly shared?: Values;
}

/** Returns the requests that write the objects of an address: one for each of them, or those that the API has for a whole set. */
export function writeCalls(binding: Binding, kind: BoundKind, change: ObjectsChange): HttpCall[] {
  if (!writesSets(kind.entry)) return change.pairs.flatMap((pair) => callsOfPair(binding, kind, change, pair));
  const asSet = changeOfSet(kind, change);
  return asSet.changed.size === 0 ? [] : setCalls(binding, kind, asSet);
}

function callsOfPair(
  binding: Binding,
  kind: BoundKind,
  { address, key }: ObjectsChange,
  { body, remote, changed }: ObjectPair,
): HttpCall[] {
  if (!body) return remote ? [deleteCall(binding, kind, key, remote)] : [];
  const owner = { address, kind, key, remote };
  if (remote) return updateCalls(binding, owner, body, changed);
  const late = kind.members ? [] : fieldsLeftOut(kind, Object.keys(body.fields));
  const rest = pickValues(body.fields, (name) => late.includes(name));
  return [createCall(binding, kind, key, body), ...updateCalls(binding, owner, { fields: rest })];
}

/** A set with its members in the order that they are listed in; the platform's own stay in it. */
function changeOfSet(kind: BoundKind, { address, key, live, pairs, shared = {} }: ObjectsChange): SetChange {
  const identity = kind.members?.identity ?? "";
  const changed = new Set(
    pairs.flatMap((pair) => (pair.body && pair.remote ? pair.changed : [identity, ...pair.changed])),
  );
  const own = pairs.flatMap(({ body, remote, changed: names }): SetMember[] => {
    if (!body) return [];
    // Another value is another member, which shares nothing with the old one.
    return remote && !names.includes(identity)
      ? [{ stays: remote, fields: pickValues(body.fields, (name) => names.includes(name)) }]
      : [{ fields: body.fields }];
  });
  const kept = live.filter((remote) => isPlatformOwned(kind, remote)).map((stays) => ({ stays, fields: {} }));
  const place = new Map(live.map((remote, index) => [remote, index]));
  const placeOf = ({ stays }: SetMember) => (stays && place.get(stays)) ?? live.length;
  const members = [...own, ...kept].toSorted((a, b) => placeOf(a) - placeOf(b));
  return { address, key, live, members, shared, changed };
}

/** A member as it is to be: a live one that stays, with the values that change, or a new one. */
export interface SetMember {
  readonly stays?: Remote;
  readonly fields: Values;
}

/** A set as it is, and as it is to be. */
export interface SetChange {
  readonly address: Address;
  readonly key: Key;
  /** All members that are live, also those of the platform. */
  readonly live: readonly Remote[];
  /** All members that are to be there; none: the set goes. */
  readonly members: readonly SetMember[];
  /** The values that all members share. */
  readonly shared: Values;
  /** The fields in which a member is another, is new or goes. */
  readonly changed: ReadonlySet<string>;
}

/** Returns the requests that write a set: one, unless the API has several for its fields. */
export function setCalls(binding: Binding, kind: BoundKind, change: SetChange): SetCall[] {
  const { set, zone } = kind.entry.operations;
  const form = change.members.length === 0 ? "delete" : change.live.length === 0 ? "create" : "update";
  if (zone || !set) return zone ? [setCall(binding, kind, change, { form, operation: zone, isZone: true })] : [];
  const updates = set.update.filter((operation) => [...change.changed].some((name) => sendsField(operation, name)));
  return (form === "update" ? updates : [set[form]]).map((operation) =>
    setCall(binding, kind, change, { form, operation, isZone: false }),
  );
}

interface SetForm {
  readonly form: SetCall["form"];
  readonly operation: OperationContract;
  readonly isZone: boolean;
}

function setCall(binding: Binding, kind: BoundKind, change: SetChange, write: SetForm): SetCall {
  const { entry } = kind;
  const { live, members } = change;
  const { form, operation, isZone } = write;
  const isListed = form !== "delete" && sendsMembers(entry, operation);
  const ids = [entry.id, entry.etag].filter((at) => at !== undefined && !isInMember(entry, at));
  return {
    operation: "set",
    form,
    ...requestOf(binding, kind, operation, change),
    base: constantsOf(operation),
    at: operation.at ?? "",
    ...(isZone && { zone: true as const }),
    ...(isWhole(write) && { whole: true as const }),
    omit: isZone ? [] : ids.map(String),
    ...(isListed && { list: listPlace(entry, operation) }),
    members: isListed ? members.map(({ stays }) => stays?.fields) : [],
    values: [
      ...valuesOfSet(binding, kind, change, write),
      ...(isListed ? members.flatMap((member, index) => valuesOfMember(binding, kind, change, { member, index })) : []),
    ],
    compared: Object.keys(kind.fields).filter((name) => form === "delete" || sendsField(operation, name)),
    etag: isZone ? undefined : live[0]?.etag,
    read: readOf(binding, kind, change),
  };
}

/** Returns the values that a request writes beside the list of members. */
function valuesOfSet(
  binding: Binding,
  kind: BoundKind,
  { key, shared, changed }: SetChange,
  write: SetForm,
): BodyValue[] {
  const { form, operation } = write;
  const named = form === "create" || typeof operation.send === "object";
  const values = {
    ...(named && knownValues(kind.naming.toFields(key))),
    ...(form !== "delete" && pickValues(shared, (name) => named || !isWhole(write) || changed.has(name))),
  };
  const placeOf = placesIn({ ...operation, at: "" });
  return bodyValues(binding, { kind, key }, values, (field, name) =>
    isInMember(kind.entry, field.at) ? undefined : placeOf(field, name),
  );
}

/** Returns the values of a member that change, or all of a new one, in the places that they are read from. */
function valuesOfMember(
  binding: Binding,
  kind: BoundKind,
  { key, shared }: SetChange,
  { member, index }: { readonly member: SetMember; readonly index: number },
): SetCall["values"] {
  const { stays, fields } = member;
  const values = stays ? fields : { ...knownValues(kind.naming.toFields(key)), ...shared, ...fields };
  const written = bodyValues(binding, { kind, key }, values, ({ at }) => (isInMember(kind.entry, at) ? at : undefined));
  return written.map((value) => ({ ...value, member: index }));
}

/** Whether a request sends the set as it is, with what changes laid over it. */
const isWhole = ({ isZone, form, operation }: SetForm): boolean =>
  isZone || (form === "update" && sendsWhole(operation));

/** Whether the API takes a set as it has given it. */
export const takesWholeSets = ({ set, zone }: KindContract["operations"]): boolean =>
  zone !== undefined || set?.update.some(sendsWhole) === true;

/** Returns the requests that make again what a step deletes: a whole set, which is read just before the deletion, or each of some objects. */
export function restoreCalls(
  binding: Binding,
  kind: BoundKind,
  { address, key, remotes }: LiveResource,
  isDeleted: (remote: Remote) => boolean,
): RestoreCall[] {
  if (!writesSets(kind.entry))
    return remotes.filter(isDeleted).map((remote) => restoreCall(binding, kind, key, remote));
  const members = remotes.map((stays) => ({ stays, fields: {} }));
  const made = setCalls(binding, kind, { address, key, live: [], members, shared: {}, changed: new Set() });
  const rest = { id: address, omit: [], values: [], read: readOf(binding, kind, { key, live: remotes }) };
  return made.map(({ method, path, params, query }) => ({ method, path, params, query, ...rest }));
}

/** Whether a field that has its place in the list of members is sent. */
const sendsMembers = (entry: KindContract, operation: OperationContract): boolean =>
  Object.keys(entry.fields).some((name) => {
    // A file may have left its place out.
    const { at }: { at?: Pointer } = fieldOf(entry, name) ?? {};
    return at !== undefined && isInMember(entry, at) && sendsField(operation, name);
  });

/** Returns where the list of members stands in a set as it is sent. */
function listPlace(entry: KindContract, operation: OperationContract): Pointer {
  const { set, list } = entry.operations;
  const own = Object.entries(namedPlaces(operation) ?? {}).find(([name]) =>
    isInMember(entry, entry.fields[name]?.at ?? ""),
  );
  return own?.[1] ?? set?.members ?? list.explode ?? "";
}

/** Whether a request that writes sets sends a list by itself: of sets, or of the members of one. */
export function sendsList(entry: KindContract, operation: OperationContract): boolean {
  return operation === entry.operations.zone || (sendsMembers(entry, operation) && listPlace(entry, operation) === "");
}

/** The request with its path; `{id}` in it is the id of the set. */
function requestOf(
  binding: Binding,
  kind: BoundKind,
  operation: OperationContract,
  { key, live }: Pick<SetChange, "key" | "live">,
): CallRequest {
  const { entry } = kind;
  const id = entry.id !== undefined && lacksIds(kind) ? getPointer(live[0]?.raw ?? {}, entry.id) : undefined;
  return buildRequest(binding, { kind, key, id: jsonText(id ?? "") }, operation);
}

function readOf(binding: Binding, kind: BoundKind, change: Pick<SetChange, "key" | "live">): CallRequest | undefined {
  const { set, zone } = kind.entry.operations;
  if (!set?.read || zone) return undefined;
  const read = requestOf(binding, kind, set.read, change);
  // A set that does not exist yet has no id to be read by: the list is read.
  return Object.values(read.params).includes("") ? undefined : read;
}
