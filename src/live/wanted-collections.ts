import { hasKind } from "../contract/entry.ts";
import type { Contract } from "../model/contract.ts";
import { collectionNamed, collectionOf, type CollectionRef, locate } from "../kinds/derived/collection.ts";
import { keptElsewhere } from "../kinds/derived/server-made.ts";
import { findKind, kindNamed, kinds } from "../kinds/index.ts";
import { childCollections, childKinds, mayBeRenamed } from "../kinds/derived/parents.ts";
import { kindOf, splitAddress, type Address } from "../model/address.ts";
import type { Inventory } from "../model/inventory.ts";
import type { Ownership } from "../model/plan-input.ts";
import type { CollectionId, Desired, Live } from "../model/resource.ts";

/** The collections of a whole account that hold something to watch: of the account itself, then of what was found in it. */
export function accountCollections(found: Live | undefined): CollectionRef[] {
  if (!found) return kinds.filter(({ scope }) => scope.length === 0).map((kind) => collectionOf(kind, {}));
  const watched = kinds.filter((kind) => kind.readiness ?? kind.renewal ?? kind.status?.usage);
  const scoped = [...found.resources.values()].flatMap(({ kind, key }) => childCollections(kindNamed(kind), key));
  return scoped.filter(({ kind }) => watched.includes(kind)).map(({ kind, scope }) => collectionOf(kind, scope));
}

/** Every collection of an account that can be named from what was found in it: one list per zone, domain or service. */
export function everyCollection(contract: Contract, { resources }: Live): CollectionRef[] {
  const below = [...resources.values()].flatMap(({ kind, key }) => childCollections(kindNamed(kind), key));
  const refs = below.map(({ kind, scope }) => collectionOf(kind, scope));
  const offered = [...accountCollections(undefined), ...refs].filter(({ kind }) => hasKind(contract, kind));
  return [...new Map(offered.map((ref) => [ref.id, ref])).values()];
}

/**
 * Names the lists that an account may have though the API does not list what they belong to: of the zone of each domain and service, where
 * it has records and no list of zones.
 */
export function possibleCollections(contract: Contract, { resources }: Live): CollectionRef[] {
  const orphans = kinds.filter(
    ({ relations: { requires = [] } = {}, scope, ...kind }) =>
      scope.length === 1 &&
      hasKind(contract, kindNamed(kind.name)) &&
      !requires.flat().some((parent) => hasKind(contract, kindNamed(parent.kind))),
  );
  if (orphans.length === 0) return [];
  const names = new Set(
    [...resources.values()].flatMap(({ kind, key }) =>
      kind === "domain" || kind === "service" ? Object.values(key) : [],
    ),
  );
  return orphans.flatMap((kind) => [...names].map((name) => collectionOf(kind, { [kind.scope[0] ?? ""]: name })));
}

/**
 * Names the lists of what hangs below resources that are to go, of what the server keeps elsewhere for that, and of what it lets go, where
 * they were not read: they decide whether those may go, and tell what goes with them.
 */
export function childrenNotRead(
  contract: Contract,
  { going, letGo }: { readonly going: readonly Address[]; readonly letGo: readonly Address[] },
  live: Live,
): CollectionRef[] {
  const children = going.flatMap((address) => {
    // Most that goes is of a kind that has none, and to take an address apart takes longer than the rest.
    if (childKinds(kindNamed(kindOf(address))).length === 0) return [];
    const { kind, key } = locate(address);
    return childCollections(kind, key);
  });
  const refs = children.map(({ kind, scope }) => collectionOf(kind, scope));
  const elsewhere = refs.flatMap(({ id, kind }) =>
    kind.serverMade?.keeps ? (live.collections.get(id)?.addresses ?? []).flatMap((each) => keptFor(live, each)) : [],
  );
  return [...refs, ...elsewhere, ...collectionsOf(letGo)].filter(
    ({ id, kind }) => hasKind(contract, kind) && !live.collections.has(id),
  );
}

function keptFor({ resources }: Live, address: Address): CollectionRef[] {
  const resource = resources.get(address);
  return collectionsOf(resource ? keptElsewhere(resource) : []);
}

/** The collections of addresses; an address that this version does not know has none. */
export function collectionsOf(addresses: readonly Address[]): CollectionRef[] {
  return addresses.flatMap((address) => {
    const split = splitAddress(address);
    const kind = split && findKind(split.kind);
    const key = kind?.naming.fromParts(split?.parts ?? []);
    return kind && key ? [collectionOf(kind, kind.naming.normalise(key))] : [];
  });
}

interface Owned extends Pick<Ownership, "afterDue"> {
  readonly inventory: Pick<Inventory, "addresses"> | undefined;
}

/** The collections that a run touches: of what the manifest declares, keeps exclusive or names under `removed:`, and of what is ours. */
export function wantedCollections(desired: Desired, { inventory, afterDue = new Set() }: Owned): CollectionRef[] {
  const wanted = new Map<CollectionId, CollectionRef>();
  const add = (ref: CollectionRef) => {
    wanted.set(ref.id, ref);
    // Without it, nobody knows the names that the server has given to what its resources refer to.
    const { references } = ref.kind.relations ?? {};
    if (references && mayBeRenamed(ref.kind)) {
      const named = collectionOf(kindNamed(references.kind), ref.scope);
      wanted.set(named.id, named);
    }
  };
  let last: CollectionRef | undefined;
  for (const { kind: name, key } of desired.resources.values()) {
    const kind = kindNamed(name);
    // Resources of one list mostly stand one after another.
    if (last?.kind === kind && kind.scope.every((part) => last?.scope[part] === (key[part] ?? ""))) continue;
    last = collectionOf(kind, key);
    add(last);
  }
  for (const ref of desired.collections.values()) add(collectionOf(kindNamed(ref.kind), ref.scope));
  for (const ref of collectionsOf([...desired.removed.keys(), ...(inventory?.addresses ?? [])])) add(ref);
  for (const id of afterDue) {
    const ref = collectionNamed(id);
    if (ref) add(ref);
  }
  return [...wanted.values()];
}
