import { bindKind } from "../contract/bound-kind.ts";
import { withoutPrefix } from "../contract/binding.ts";
import { addTo, groupBy } from "../lib/collect.ts";
import { locate, normaliseAddress } from "../kinds/derived/collection.ts";
import { addressOfParent, mayBeRenamed, withNames } from "../kinds/derived/parents.ts";
import { findKind, kindNamed } from "../kinds/index.ts";
import { refusals, type Refusal } from "../messages/refusals.ts";
import { differs, indexLive, mayBeMadeOf } from "./compare-values.ts";
import { objectsOfSharedLists } from "./shared-lists.ts";
import { kindOf, type Address } from "../model/address.ts";
import { isUnknown } from "../model/body.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Desired, Live, LiveResource, Resource, Value } from "../model/resource.ts";

export interface Matched {
  readonly live: Live;
  /** Notices for the reader: names that the server has changed. */
  readonly notices: readonly Diagnostic[];
  /** Refusals of resources that may be there under a longer name, and are not known to be ours. */
  readonly refusals: readonly Refusal[];
}

/** Whether objects of a kind may have another name on the server than in the manifest: then all of a list are candidates. */
export const hasOtherName = ({ kinds }: Contract, kind: string): boolean =>
  findKind(kind)?.naming.prefixed !== undefined || kinds[kind]?.named_by !== undefined;

/** A resource that may stand on the server under a longer name: an address, and the key that it stands for. */
type Named = Pick<Resource, "address" | "kind" | "key">;

/**
 * Finds live resources whose name the server has prefixed (`u123_shop` for `shop`), and puts them under the address that is
 * declared, or that is ours; what refers to such a name (a grant) is given the declared one.
 * @param ours where an inventory is kept: what is not in it is someone else's until it is adopted.
 */
export function matchPrefixed(
  desired: Desired,
  live: Live,
  contract: Contract,
  ours: ReadonlySet<Address> | undefined,
): Matched {
  const renamed = new Map<Address, LiveResource>();
  const objectAt = objectsOfSharedLists(live);
  const objectOf = ({ address }: LiveResource) => objectAt.get(address) ?? address;
  const taken = new Set([...objectAt].flatMap(([address, object]) => (desired.resources.has(address) ? [object] : [])));
  const unclear: Refusal[] = [];
  const mayBeNamed = (kind: string) => hasOtherName(contract, kind);
  // Of equal objects without names, the first is the first by address, so that a part of the manifest finds the same.
  const absent = [...desired.resources.values()]
    .filter(({ address, kind }) => mayBeNamed(kind) && !live.resources.has(address))
    .toSorted((a, b) => (a.address < b.address ? -1 : 1));
  const gone = [...(ours ?? [])].filter((address) => !desired.resources.has(address) && mayBeNamed(kindOf(address)));
  const isForgotten = (address: Address) => desired.removed.get(address)?.action === "forget";
  const forgotten = [...desired.removed.keys()].filter((each) => isForgotten(each) && mayBeNamed(kindOf(each)));
  const wanted = [...absent, ...[...new Set([...gone, ...forgotten])].flatMap(asNamed)];
  const all = wanted.length === 0 ? [] : [...live.resources.values()];
  const objects = all.filter((each) => mayBeNamed(each.kind) && isOpen(each, desired));
  const nameless = findNameless(absent, objects, contract);
  const prefixed = byShortNames(objects, contract);
  for (const { address, object } of nameless) {
    if (renamed.has(address) || taken.has(objectOf(object))) continue;
    taken.add(objectOf(object));
    renamed.set(address, object);
  }
  for (const named of wanted.filter(({ address }) => !live.resources.has(address))) {
    const [found, ...others] = prefixed.get(named.address) ?? [];
    if (!found || others.length > 0 || renamed.has(named.address) || taken.has(objectOf(found))) continue;
    if (ours && !ours.has(named.address) && !isForgotten(named.address)) {
      unclear.push(refusals.mayBePrefixed(named, found.address));
      continue;
    }
    taken.add(objectOf(found));
    renamed.set(named.address, found);
  }
  if (renamed.size === 0) return { live, notices: [], refusals: unclear };
  const moved = new Set([...renamed.values()].map(({ address }) => address));
  const kept = [...live.resources.values()].filter(({ address }) => !moved.has(address));
  const listed = [...kept, ...[...renamed].map(([address, found]) => ({ ...found, address }))];
  const resources = new Map(withDeclaredNames(listed, renamed).map((each) => [each.address, each]));
  return {
    live: { ...live, resources, collections: renamedCollections(live, renamed) },
    notices: [...renamed]
      .filter(([address]) => contract.kinds[kindOf(address)]?.named_by === undefined)
      .map(([address, { address: actual }]) => renamedNotice(address, actual)),
    refusals: unclear,
  };
}

/** Returns a resource that is ours and stands in the manifest no more, under the name that it was given there. */
function asNamed(text: Address): Named[] {
  const address = normaliseAddress(text);
  return address === undefined ? [] : [{ address, kind: kindOf(address), key: locate(address).key }];
}

/** Whether a live resource may stand for another name: neither does the manifest name it itself, to keep or to remove, nor has it been found before. */
const isOpen = ({ address, kind, key }: LiveResource, { resources, removed }: Desired): boolean =>
  !resources.has(address) && !removed.has(address) && addressOfParent({ kind, key }) === address;

/** Returns the objects by the addresses of which the server may have made theirs by putting a prefix before the name. */
function byShortNames(objects: readonly LiveResource[], contract: Contract) {
  const found = new Map<Address, LiveResource[]>();
  for (const each of objects)
    for (const key of withoutPrefix(bindKind(contract, each.kind), each.key))
      addTo(found, addressOfParent({ kind: each.kind, key }), each);
  return found;
}

const listOf = ({ kind, key }: Named) => JSON.stringify([kind, kindNamed(kind).scope.map((part) => key[part])]);

/**
 * Pairs each declared resource with the live objects without names of their own that have its value in the field by which the contract tells
 * them apart, or that may have it: where a secret in it is not set, or was left out of a snapshot. Those that are rather meant come first.
 */
function findNameless(declared: readonly Resource[], objects: readonly LiveResource[], { kinds }: Contract) {
  const fieldOf = (kind: string) => kinds[kind]?.named_by ?? "";
  const owners = new Map(objects.map((object) => [object.remotes[0], object]));
  const lists = new Map(
    [...groupBy(objects, listOf)].map(([list, [first, ...others]]) => {
      const remotes = [first, ...others].flatMap((each) => each.remotes.slice(0, 1));
      const field = fieldOf(first.kind);
      const leftOut = remotes.filter(({ redacted }) => redacted?.includes(field));
      return [list, { remotes, leftOut, having: indexLive(remotes, field) }] as const;
    }),
  );
  const pairs = declared.flatMap((resource) => {
    const { address, kind, fields } = resource;
    const field = fieldOf(kind);
    const { remotes = [], leftOut = [], having } = lists.get(listOf(resource)) ?? {};
    const value = fields[field];
    const unclear = value?.is !== "secret" ? [] : isUnset(value) ? remotes : leftOut;
    const found = [...(having?.(value) ?? []), ...unclear.filter((each) => mayBeMadeOf(each, field, value))];
    return found.flatMap((remote) => {
      const object = owners.get(remote);
      const isSame = Object.entries(remote.fields).every(
        ([name, live]) => !fields[name] || isUnset(fields[name]) || !differs(live, fields[name]),
      );
      // Of objects that the contract cannot tell apart, first those that are as declared: the others have changed.
      return object ? [{ address, object, rank: (isUnset(value) ? 2 : 0) + (isSame ? 0 : 1) }] : [];
    });
  });
  return pairs.toSorted((one, other) => one.rank - other.rank);
}

const isUnset = (value: Value | undefined): boolean => value?.is === "secret" && isUnknown(value);

/** Gives live resources that refer to renamed ones the names that are declared. */
function withDeclaredNames(
  resources: readonly LiveResource[],
  renamed: ReadonlyMap<Address, LiveResource>,
): LiveResource[] {
  const declared = new Map([...renamed].map(([address, { address: actual }]) => [actual, locate(address).key]));
  return resources.map((resource) => {
    const kind = kindNamed(resource.kind);
    const { field = "" } = kind.relations?.references ?? {};
    if (!mayBeRenamed(kind)) return resource;
    const remotes = resource.remotes.map((remote) => {
      const { [field]: value } = remote.fields;
      if (value === undefined) return remote;
      const named = { field, value, key: resource.key };
      const own = withNames(kind, named, (parent, part) => declared.get(addressOfParent(parent))?.[part]);
      return { ...remote, fields: { ...remote.fields, [field]: own } };
    });
    return { ...resource, remotes };
  });
}

function renamedCollections({ collections }: Live, renamed: ReadonlyMap<Address, LiveResource>): Live["collections"] {
  const declared = new Map([...renamed].map(([address, { address: actual }]) => [actual, address]));
  return new Map(
    [...collections].map(([id, collection]) => [
      id,
      { ...collection, addresses: collection.addresses.map((address) => declared.get(address) ?? address) },
    ]),
  );
}

const renamedNotice = (address: Address, actual: Address): Diagnostic => ({
  severity: "notice",
  code: "renamed_by_server",
  summary: `${address} is ${actual} on the server`,
});
