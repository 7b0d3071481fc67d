import { isDeepStrictEqual } from "node:util";
import { bindAddress, type BoundAddress } from "../contract/bound-kind.ts";
import { decodeRecord, type NameOf } from "../contract/decode-record.ts";
import { membersOfRecord } from "../contract/sets.ts";
import { isPrefixed } from "../contract/binding.ts";
import { collectionOf, locate } from "../kinds/derived/collection.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { getOrMake } from "../lib/collect.ts";
import { kindOf, splitAddress, toAddress, type Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { CreateCall } from "../model/http-call.ts";
import type { HeldRecord } from "../model/journal.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import type { Plan } from "../model/plan.ts";
import { placesOf, readField } from "../contract/spelling/read-field.ts";
import type { Fields, Key, Live, Remote, RemoteId } from "../model/resource.ts";
import type { CreatedObject, RecordIdentity, RunContext, RunInput } from "./run-context.ts";
import { isReadWrite, isWriteOnly } from "../kinds/derived/field-access.ts";

type IdentityContext = Pick<RunContext, "live" | "made" | "owners">;

/** Returns the state of a run that has sent nothing so far. */
export const newRunState = (input: RunInput): Omit<RunContext, "connection"> => ({
  ...input,
  made: new Map(),
  moved: new Map(),
  deleting: new Set(),
  owners: indexIds(input.live),
  lists: new Map(),
});

/** Maps the id of each live object to its address, at the start of a run. */
function indexIds({ resources }: Live): RunContext["owners"] {
  const owners: RunContext["owners"] = new Map();
  for (const { kind, key, address, remotes, superseded = [] } of resources.values())
    for (const { id } of [...remotes, ...superseded]) ownersIn(owners, kindNamed(kind), key).set(id, address);
  return owners;
}

/** Gives the objects without names, whose live addresses hold their ids, to the addresses for which a plan's requests name them. */
export function claimNameless(owners: RunContext["owners"], { kinds }: Contract, { steps }: Plan): void {
  for (const { address, calls } of steps) {
    if (kinds[kindOf(address)]?.named_by === undefined) continue;
    const { kind, key } = locate(address);
    for (const { params } of calls)
      if (typeof params["id"] === "string") ownersIn(owners, kind, key).set(params["id"], address);
  }
}

/** Keeps an object that this run has made or written. */
export function keep({ made, owners }: RunContext, { address, kind, key }: BoundAddress, object: CreatedObject): void {
  made.set(address, object);
  ownersIn(owners, kind, key).set(object.id, address);
}

/** Forgets the id of a deleted object, which may be given to another. */
export function forgetId({ owners }: RunContext, { kind, key }: BoundAddress, id: string): void {
  ownersIn(owners, kind, key).delete(id);
}

/** Returns the address that an id of a list belongs to, as far as this run knows. */
export const ownerOf = (
  { owners }: Pick<RunContext, "owners">,
  { kind, key }: BoundAddress,
  id: string,
): Address | undefined => ownersIn(owners, kind, key).get(id);

/** Returns whether an id may be that of a new object at an address: no other object of its list has it. */
export function isFree(context: Pick<RunContext, "owners">, bound: BoundAddress, id: RemoteId): boolean {
  const owner = ownerOf(context, bound, id);
  return owner === undefined || (owner === bound.address && !bound.kind.members);
}

/** Returns whose each id of one list is. */
const ownersIn = (owners: RunContext["owners"], kind: Kind, key: Key): Map<string, Address> =>
  getOrMake(owners, collectionOf(kind, key).id, () => new Map());

const addressesById = new WeakMap<Live, ReadonlyMap<string, Address>>();

const indexAddresses = ({ resources }: Live) =>
  new Map(
    [...resources.values()].flatMap(({ kind, address, remotes }) =>
      remotes.map(({ id }) => [`${kind}/${id}`, address] as const),
    ),
  );

/** Returns a lookup of the natural name behind an id: from what was live, or what this run has made. */
export const namesIn =
  ({ live, owners }: Pick<RunContext, "live" | "owners">): NameOf =>
  (kindName, id) => {
    const then = getOrMake(addressesById, live, () => indexAddresses(live)).get(`${kindName}/${id}`);
    const address = then ?? owners.get(collectionOf(kindNamed(kindName), {}).id)?.get(id);
    return address && splitAddress(address)?.parts[0];
  };

/** Returns the identity of a record that is expected to describe the object at an address. */
function identifyRecord(context: IdentityContext, bound: BoundAddress | SentCreation, raw: JsonObject): RecordIdentity {
  const { address: expected, kind, key } = bound;
  const { fields, named_by: namedBy } = kind.entry;
  const { scope } = collectionOf(kind, key);
  const decode = (isRelative: boolean) => decodeRecord(kind, raw, { scope, nameOf: namesIn(context), isRelative });
  const isExpected = (other: Key) => toAddress(kind.name, kind.naming.addressParts(other)) === expected;
  const whole = decode(false);
  // A single record does not show whether its name is relative.
  const relative = kind.naming.relative && !isExpected(whole.key) ? decode(true) : undefined;
  const { key: stated, remote } = relative && isExpected(relative.key) ? relative : whole;
  const isStated = (field: string) => (remote.fields[field] ?? null) !== null;
  const names = Object.keys(kind.naming.toFields(key)).filter(
    (field) => !kind.scope.includes(field) && fields[field]?.id_of === undefined,
  );
  if (!(namedBy === undefined ? names : [namedBy]).every(isStated)) return { id: remote.id, address: undefined };
  // Without a name, one with another value in place of it is not what was sent.
  if (namedBy !== undefined && "call" in bound && !isSentMember(bound, remote))
    return { id: "" as RemoteId, address: undefined };
  // A name that the API does not have stands in the manifest alone.
  const own = namedBy === undefined ? stated : key;
  // The list of a parent holds only its own records; a single record may be another parent's.
  const parents = Object.fromEntries(kind.scope.filter(isStated).map((part) => [part, jsonText(remote.fields[part])]));
  const actual = kind.naming.normalise({ ...own, ...parents });
  const { prefixed: part } = kind.naming;
  const named = part !== undefined && isPrefixed(kind, actual, key) ? { ...actual, [part]: key[part] ?? "" } : actual;
  return { id: remote.id, address: toAddress(kind.name, kind.naming.addressParts(named)) };
}

/** The object that a record describes, for a creation at an address. */
export type DescribedObject =
  /** It has the expected name, and an id that no other object has. */
  | { readonly is: "created"; readonly id: RemoteId; readonly record: JsonObject }
  /** It has an id, and no name. */
  | { readonly is: "unnamed"; readonly id: RemoteId }
  /** It has another name, and is not known as another object. */
  | { readonly is: "renamed"; readonly id: RemoteId; readonly name: Address }
  | { readonly is: "none" };

/** Returns the object that a record describes, where it should describe what a creation at an address has made. */
export function identifyCreated(
  context: IdentityContext,
  bound: BoundAddress | SentCreation,
  record: JsonObject | undefined,
): DescribedObject {
  if (!record) return { is: "none" };
  const { id, address: named } = identifyRecord(context, bound, record);
  if (id === "") return { is: "none" };
  if (named === undefined) return { is: "unnamed", id };
  if (!isFree(context, bound, id)) return { is: "none" };
  return named === bound.address ? { is: "created", id, record } : { is: "renamed", id, name: named };
}

/** Returns the identity of a record that describes another object than the one at the address, or with the id; else undefined. */
export function otherIdentity(
  context: IdentityContext,
  bound: BoundAddress,
  id: string | undefined,
  record: JsonObject,
): RecordIdentity | undefined {
  const stated = identifyRecord(context, bound, record);
  if (stated.address !== undefined && stated.address !== bound.address) return stated;
  return id === undefined || stated.id === "" || stated.id === id ? undefined : stated;
}

/** Returns whether a record describes an updated object: under the id that the request named, or under a new one. */
export const isUpdated = (
  context: IdentityContext,
  bound: BoundAddress,
  id: string | undefined,
  record: JsonObject,
): boolean =>
  otherIdentity(context, bound, id ?? "", record) === undefined ||
  (bound.kind.entry.named_by === undefined && identifyCreated(context, bound, record).is === "created");

export interface SentCreation extends BoundAddress {
  readonly call: CreateCall;
  readonly body: JsonObject;
}

/** Returns whether an object has the value that was sent and tells objects of one address apart: in a set, or where none has a name. */
export function isSentMember({ kind, key, call, body }: SentCreation, { fields }: Remote): boolean {
  const value = call.values.find(({ field }) => field === (kind.members?.identity ?? kind.entry.named_by));
  const sent = value && readField({ kind, key }, value.field, body, value.pointer);
  return (
    !value || sent === undefined || isDeepStrictEqual(fields[value.field], normalValue(kind, value.field, sent, key))
  );
}

/** Returns how an object differs from what was sent; undefined where they are the same. Write-only fields cannot be compared. */
export function differenceFrom({ kind, key, call, body }: SentCreation, there: Remote): string | undefined {
  const identity = kind.naming.toFields(key);
  for (const value of call.values) {
    const { field, pointer } = value;
    // The address holds the name; an id stands for the parent whose list this is.
    if (Object.hasOwn(identity, field) || kind.entry.fields[field]?.id_of !== undefined) continue;
    if (isWriteOnly(kind, field)) continue;
    const here = normalValue(kind, field, readField({ kind, key }, field, body, pointer) ?? null, key);
    const live = there.fields[field] ?? null;
    if (isDeepStrictEqual(live, here)) continue;
    if (!("value" in value)) return `its ${field} differs`;
    return `${field} is ${JSON.stringify(live)} there and ${JSON.stringify(here)} here`;
  }
  return undefined;
}

/** Returns a test whether an object at an address is new: neither listed when this run began nor made by another step of it. */
export function newObjectTest(context: IdentityContext, bound: BoundAddress): (remote: Remote) => boolean {
  const { resources, collections } = context.live;
  const listed = collections.get(collectionOf(bound.kind, bound.key).id)?.addresses ?? [];
  // A list may still show what the run has deleted.
  const known = new Set(listed.flatMap((each) => resources.get(each)?.remotes ?? []).map(({ id }) => id));
  return (remote) => !known.has(remote.id) && ownerOf(context, bound, remote.id) === undefined;
}

const isWithin = (pointers: readonly string[], at: string) =>
  pointers.some((pointer) => at === pointer || at.startsWith(`${pointer}/`));

/** Returns the members of a deleted set, or the one deleted object, as the journal holds them. */
export function decodeHeld({ contract }: Pick<RunContext, "contract">, { address, record }: HeldRecord) {
  const { kind, key } = bindAddress(contract, address);
  const { scope } = collectionOf(kind, key);
  const objects = membersOfRecord(kind.entry, record).map((raw) => decodeRecord(kind, raw, { scope }).remote);
  return { kind, key, objects };
}

/** Returns whether an object has all the values that a deleted one had, as far as this kind knows them. */
export function isSameObject(context: Pick<RunContext, "contract">, held: HeldRecord, remote: Remote): boolean {
  const { kind, objects } = decodeHeld(context, held);
  return objects.some(({ fields: was }) =>
    Object.keys(kind.fields).every((name) => {
      const field = kind.entry.fields[name];
      if (field?.id_of !== undefined || !isReadWrite(kind, name)) return true;
      if (field && placesOf(field).some((at) => isWithin(held.withheld, at))) return true;
      return isDeepStrictEqual(was[name] ?? null, remote.fields[name] ?? null);
    }),
  );
}

/** Returns a test whether a new object takes the place of a deleted one: any does, but in a set of several members the same member alone. */
export function takesPlace(context: Pick<RunContext, "contract">, held: HeldRecord): (fields: Fields) => boolean {
  const { kind, key, objects } = decodeHeld(context, held);
  const { identity, single } = kind.members ?? {};
  if (held.address !== held.successor || identity === undefined || single?.(key) === true) return () => true;
  return (fields) => objects.some((was) => isDeepStrictEqual(was.fields[identity], fields[identity]));
}
