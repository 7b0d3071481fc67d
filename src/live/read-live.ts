import type { Reader } from "../api/connection.ts";
import {
  listedFor,
  listReading,
  listText,
  lookupReadings,
  lookupsOf,
  missingLookups,
  requestText,
} from "../contract/list-reading.ts";
import type { Binding } from "../contract/request.ts";
import type { ListReading } from "../model/list-reading.ts";
import { locate, collectionOf, type CollectionRef } from "../kinds/derived/collection.ts";
import { readList } from "../api/read-list.ts";
import { joinLists, type Listing } from "../api/read-page.ts";
import {
  emptyCollection,
  fatalFailure,
  idsOf,
  indexOf,
  objectAt,
  withoutParent,
  type ReadCollection,
} from "./collection-as-read.ts";
import { contradiction, groupRecords } from "./group-records.ts";
import { hasUsableName, severalAt } from "../kinds/derived/listed-object.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { listParents } from "../contract/binding.ts";
import { explodeSets } from "../contract/sets.ts";
import { bindKind, type BoundKind, type BoundList } from "../contract/bound-kind.ts";
import { hasKind } from "../contract/entry.ts";
import { textAt, translatedKinds } from "../contract/decode-record.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Address } from "../model/address.ts";
import type { Contract, Pointer } from "../model/contract.ts";
import type { JsonObject } from "../model/json.ts";
import { mayRefuseKey, type Result } from "../model/failure.ts";
import type { CollectionId, Live, LiveCollection, LiveResource } from "../model/resource.ts";

/** A list as it was given; `redacted` holds, by its object, what a snapshot does not tell of it. */
export interface CollectionListing extends Listing {
  readonly redacted?: ReadonlyMap<JsonObject, readonly string[]>;
  readonly isMissing?: true;
}

/** The source of lists: the API, or a record of it. */
export type ListSource = (Reader | { readonly listOf: (ref: CollectionRef) => CollectionListing }) & {
  /** Called when a list was read, with the number of lists known so far and of those that are read. */
  readonly onLists?: (progress: { readonly total: number; readonly done: number }) => void;
  /** Called with each list that was asked for, as it was read. */
  readonly onListing?: (list: BoundList & CollectionListing) => void;
};

/** A list, with the values that were looked up for it, and the parents below which its objects were found. */
interface Listed extends Pick<LiveCollection, "lookups" | "parents"> {
  readonly listing: CollectionListing;
}

/** One reading of collections: each list is read once, and so is one that several parents have in common. */
interface Reading {
  readonly source: ListSource;
  readonly contract: Contract;
  readonly read: (ref: CollectionRef) => Promise<ReadCollection>;
  /** By what they ask for. */
  readonly listings: Map<string, Promise<Listing>>;
}

/**
 * Reads whole collections, and those that they need for ids and names: never one object at a time. What a snapshot holds goes the
 * same way as what the API answers, so that both come to the same.
 * @param known what was read before, and is not read again.
 * A list that fails or is short is marked incomplete; a server that cannot be reached, or refuses the key, fails the whole.
 */
export async function readLive(
  source: ListSource,
  contract: Contract,
  wanted: readonly CollectionRef[],
  known?: Live,
): Promise<Result<Live>> {
  const started = new Map<CollectionId, Promise<ReadCollection>>();
  for (const [id, collection] of known?.collections ?? []) {
    const resources = collection.addresses.flatMap((address) => known?.resources.get(address) ?? []);
    started.set(id, Promise.resolve({ collection, resources, reads: 0 }));
  }
  let done = started.size;
  const report = () => source.onLists?.({ total: started.size, done });
  const read = (ref: CollectionRef): Promise<ReadCollection> => {
    const known = started.get(ref.id);
    if (known) return known;
    const promise = readCollection(reading, ref).finally(() => {
      done += 1;
      report();
    });
    started.set(ref.id, promise);
    return promise;
  };
  const reading: Reading = { source, contract, read, listings: new Map() };
  const begun = wanted.filter(({ kind }) => hasKind(contract, kind)).map(read);
  report();
  await Promise.all(begun);
  const all = await Promise.all(started.values());
  const fatal = fatalFailure(all);
  if (fatal) return { ok: false, error: fatal };
  // The address is wrong, not the account empty, if not one list is there. What was read before shows that it is right.
  const [first] = all.flatMap(({ failure }) => failure ?? []);
  // A single object that is not there says nothing of the address.
  const isSilent = ({ reads, resources, collection }: ReadCollection) =>
    reads === 0 || (resources.length === 0 && contract.kinds[collection.kind]?.operations.list.single === true);
  if (
    first?.sort === "not_found" &&
    (known?.reads ?? 0) === 0 &&
    all.every((each) => (each.failure ? each.failure.sort === "not_found" : isSilent(each)))
  )
    return { ok: false, error: first };
  const refusedKey = first ?? known?.refusedKey;
  const isRefused =
    refusedKey !== undefined &&
    (!known || known.refusedKey !== undefined) &&
    all.every(({ failure, reads }) => (failure ? mayRefuseKey(failure) : reads === 0));
  const resources = new Map<Address, LiveResource>();
  for (const { resources: some } of all) for (const resource of some) resources.set(resource.address, resource);
  return {
    ok: true,
    value: {
      ...(isRefused && { refusedKey }),
      resources,
      collections: new Map(all.map(({ collection }) => [collection.id, collection])),
      reads: all.reduce((sum, { reads }) => sum + reads, known?.reads ?? 0),
    },
  };
}

async function readCollection(reading: Reading, ref: CollectionRef): Promise<ReadCollection> {
  const { source, contract, read, listings } = reading;
  const list = { ...ref, kind: bindKind(contract, ref.kind.name) };
  const parentAddresses = listParents(contract, list);
  const parents = await Promise.all(parentAddresses.map((address) => read(collectionOfAddress(address))));
  const names = await Promise.all(translatedKinds(list.kind).map((kind) => read(collectionOf(kindNamed(kind), {}))));
  const failure = fatalFailure([...parents, ...names]);
  if (failure) return { ...emptyCollection(ref, failure.message), reads: 0, failure };
  const above = parentAddresses.flatMap((address, index) => objectAt(parents[index], address) ?? []);
  // The list may be of either, so nothing in it is known to be meant.
  const shared = above.find(({ remotes }) => remotes.length > 1);
  if (shared) return emptyCollection(ref, severalAt(shared));
  const objects = new Map(above.map(({ address, remotes }) => [address, remotes[0]] as const));
  // Below an id that cannot stand in a path (an empty one) nothing can be asked for.
  if (parentAddresses.some((address) => (objects.get(address)?.id ?? "") === "")) return withoutParent(ref, parents);

  const idOf = (address: Address, at?: Pointer) => {
    const object = objects.get(address);
    return object && (at === undefined ? object.id : textAt(object.raw, at));
  };
  const owner = listedFor(list.kind);
  const owners = owner && (await read(collectionOf(kindNamed(owner.kind), {})));
  const found: Listed =
    "listOf" in source
      ? { listing: source.listOf(ref) }
      : await listFromApi({ source, listings }, { contract, idOf }, list, owner && { ...owner, ids: idsOf(owners) });
  const { listing, lookups } = found;
  if (listing.failure?.sort === "not_found" && (await isBelowNothing(reading, ref)))
    return { ...emptyCollection(ref), reads: listing.reads };
  const items = "listOf" in source ? listing.items : explodeSets(list.kind.entry, listing.items);
  const listed = groupRecords(list, { ...listing, items }, (kind, id) => {
    const named = names.find(({ collection }) => collection.kind === kind);
    return named && indexOf(named).names.get(id);
  });
  const against = contradiction(ref, listed);
  const whole = listing.incomplete ?? against;
  source.onListing?.({ ...list, ...listing, items, ...(whole !== undefined && { incomplete: whole }) });
  // Nothing can be said of what has no name, nor be asked for below it: the list is incomplete for it.
  const resources = against === undefined ? listed : listed.filter(hasUsableName);
  const incomplete =
    listing.incomplete ??
    owners?.collection.incomplete ??
    names.find(({ collection }) => collection.incomplete)?.collection.incomplete ??
    against;
  const isMissing = listing.isMissing === true || listing.failure?.sort === "not_found";
  return {
    collection: {
      ...emptyCollection(ref, incomplete).collection,
      addresses: resources.map(({ address }) => address),
      ...(lookups && { lookups }),
      ...(found.parents && { parents: found.parents }),
      list: listText({ contract, idOf, live: lookedUp(ref, lookups) }, list) ?? ref.id,
      ...(isMissing && { isMissing }),
    },
    resources,
    reads: listing.reads,
    ...(listing.failure && { failure: listing.failure }),
  };
}

/** Readings of a list that others change meanwhile, at most. */
const mostReadings = 10;

/** Reads a list again that changed while it was read: accounts of one key that are applied side by side have one list of each kind. */
async function untilStill(list: () => Promise<Listing>): Promise<Listing> {
  let listing = await list();
  for (let again = 1; again < mostReadings && listing.moved === true; again += 1) {
    const next = await list();
    listing = { ...next, reads: listing.reads + next.reads };
  }
  return listing;
}

const lookedUp = (ref: CollectionRef, lookups: LiveCollection["lookups"]): Pick<Live, "collections"> => ({
  collections: new Map([[ref.id, { ...emptyCollection(ref).collection, ...(lookups && { lookups }) }]]),
});

/** Reads what a list needs from other lists, then the list; where each object of a kind has one, all of them. */
async function listFromApi(
  { source: reader, listings: shared }: Pick<Reading, "listings"> & { readonly source: Reader },
  binding: Binding,
  list: CollectionRef<BoundKind>,
  owner: { readonly param: string; readonly ids: readonly string[] } | undefined,
): Promise<Listed> {
  const idNow = (address: Address, at?: Pointer) => binding.idOf(address, at) ?? "";
  const ofList = lookupsOf(list.kind);
  const looked = await Promise.all(
    lookupReadings(binding, list).map(async ({ param, reading, at }) => {
      const found = await readList(reader, reading, idNow);
      const texts = [...new Set(found.items.map((item): string => textAt(item, at)).filter((each) => each !== ""))];
      const several = `${texts.length} objects fit the lookup of {${param}}: ${texts.join(", ")}`;
      const incomplete = ofList.includes(param) && texts.length > 1 ? several : found.incomplete;
      // Each of several may be meant, so none is taken.
      const [text = ""] = texts.length > 1 ? [] : texts;
      return { found: { ...found, ...(incomplete !== undefined && { incomplete }) }, entry: [param, text] as const };
    }),
  );
  const broken = looked.find(({ found, entry: [, text] }) => text === "" && found.incomplete !== undefined);
  if (broken) return { listing: { ...broken.found, items: [] } };
  const lookups = Object.fromEntries(looked.map(({ entry }) => entry).filter(([, text]) => text !== ""));
  const reads = looked.reduce((sum, { found }) => sum + found.reads, 0);
  const whole = { ...binding, live: lookedUp(list, lookups) };
  const readings = owner
    ? owner.ids.map((id) => listReading({ ...whole, each: { [owner.param]: id } }, list))
    : [listReading(whole, list)];
  const readOnce = async (reading: ListReading): Promise<Listing> => {
    const key = requestText(whole, list, reading.request);
    const known = shared.get(key);
    if (known) return { ...(await known), reads: 0 };
    const listing = untilStill(() => readList(reader, reading, idNow));
    shared.set(key, listing);
    return listing;
  };
  // Below what is not there nothing is.
  const isAbsent = missingLookups(list.kind, whole.live.collections.get(list.id)).length > 0;
  const listings = isAbsent ? [] : await Promise.all(readings.map(readOnce));
  const parentsIn = ({ ids }: NonNullable<typeof owner>) =>
    readings.flatMap(({ idOf }, index) =>
      (listings[index]?.items ?? []).map((item) => [idOf(item), ids[index] ?? ""] as const),
    );
  return {
    listing: joinLists(listings, reads),
    ...(looked.length > 0 && { lookups }),
    ...(owner && { parents: new Map(parentsIn(owner)) }),
  };
}

/**
 * Returns whether nothing exists of which this list could be: an API that names the parent by its name answers 404 then. Parents of which
 * the API has no list may exist.
 */
async function isBelowNothing({ contract, read }: Reading, { kind, scope }: CollectionRef): Promise<boolean> {
  const alternatives = parentsOf(kind, scope, {}).flat();
  const isKnown = alternatives.every((address) => hasKind(contract, locate(address).kind));
  if (alternatives.length === 0 || !isKnown) return false;
  const lists = await Promise.all(alternatives.map((address) => read(collectionOfAddress(address))));
  const isThere = alternatives.some((address, index) => objectAt(lists[index], address) !== undefined);
  return !isThere && lists.every(({ collection }) => collection.incomplete === undefined);
}

function collectionOfAddress(address: Address): CollectionRef {
  const { kind, key } = locate(address);
  return collectionOf(kind, key);
}
