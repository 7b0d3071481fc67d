import { kindNamed } from "../kinds/index.ts";
import type { CollectionRef } from "../kinds/derived/collection.ts";
import { getOrMake } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import { isHopeless, type Failure } from "../model/failure.ts";
import type { LiveCollection, LiveResource } from "../model/resource.ts";

/** A collection as it was read. */
export interface ReadCollection {
  readonly collection: LiveCollection;
  readonly resources: readonly LiveResource[];
  readonly reads: number;
  readonly failure?: Failure;
}

/** Returns the failure that keeps every list from being read, if there is one. */
export const fatalFailure = (lists: readonly ReadCollection[]): Failure | undefined =>
  lists.find(({ failure }) => failure && isHopeless(failure))?.failure;

export const idsOf = (read: ReadCollection | undefined) =>
  (read?.resources ?? []).flatMap(({ remotes }) => remotes.map(({ id }) => id as string));

const indexes = new WeakMap<ReadCollection, ReturnType<typeof makeIndex>>();

/** Returns the objects of a list by their addresses, and their natural names by their ids: made once for all lists that need them. */
export const indexOf = (read: ReadCollection) => getOrMake(indexes, read, () => makeIndex(read));

const makeIndex = ({ collection, resources }: ReadCollection) => ({
  objects: new Map(resources.map((each) => [each.address, each])),
  names: new Map(
    resources.map(({ key, remotes }) => [
      remotes[0]?.id as string | undefined,
      kindNamed(collection.kind).naming.addressParts(key)[0] ?? "",
    ]),
  ),
});

export const objectAt = (read: ReadCollection | undefined, address: Address) =>
  read && indexOf(read).objects.get(address);

/** Returns the empty collection of a parent that does not exist. It is known to be empty if the parents' list is whole. */
export function withoutParent(ref: CollectionRef, parents: readonly ReadCollection[]): ReadCollection {
  const unsure = parents.find(({ collection }) => collection.incomplete !== undefined);
  return emptyCollection(ref, unsure?.collection.incomplete);
}

export function emptyCollection(ref: CollectionRef, incomplete?: string): ReadCollection {
  return {
    collection: {
      id: ref.id,
      kind: ref.kind.name,
      scope: ref.scope,
      list: ref.id,
      addresses: [],
      ...(incomplete !== undefined && { incomplete }),
    },
    resources: [],
    reads: 0,
  };
}
