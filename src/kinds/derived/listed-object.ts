import { kindOf, type Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { Fields, Key, LiveResource, PreparedLive, Remote } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import { collectionAt, type CollectionRef } from "./collection.ts";
import { isDeepStrictEqual } from "node:util";
import { jsonText, type Json } from "../../model/json.ts";
import type { Kind } from "../kind.ts";

/** Returns the part of its scope in which an object differs from the list that holds it, in any spelling; undefined where it belongs there. */
export const strayPart = ({ kind, scope }: Pick<CollectionRef, "kind" | "scope">, key: Key, fields: Fields) =>
  kind.scope.find((part) => {
    const own = fields[part];
    const stated = typeof own === "string" ? kind.naming.normalise({ ...key, [part]: own }) : key;
    return key[part] !== scope[part] || stated[part] !== scope[part];
  });

// Half of a pair cannot be written in UTF-8; dots alone are a way through folders, not a name, where a name stands in a path.
const unusable = /\p{Surrogate}|^\.{1,2}$/u;

/** Whether an object can be named by its address, and asked for by it. */
export function hasUsableName({ kind, key, address }: Pick<LiveResource, "kind" | "key" | "address">): boolean {
  if (address === "") return false;
  const { naming } = kindNamed(kind);
  const parts = naming.addressParts(key);
  return naming.fromParts(parts) !== undefined && !parts.some((part) => part === "" || unusable.test(part));
}

/** Says which address several objects of a list have, of a kind that has no sets; undefined if each has its own. */
export function sharedAddress({ members }: Kind, resources: readonly LiveResource[]): string | undefined {
  const shared = members ? undefined : resources.find(({ remotes }) => remotes.length > 1);
  return shared && severalAt(shared);
}

export const severalAt = ({ address, remotes }: LiveResource): string =>
  `${remotes.length} objects have the address ${address}`;

export type LiveObject = Pick<Remote, "fields">;

/** Returns whether an object is the member of a set that was sent; always so where there is no set, or its identity is not known. */
export const hasIdentity = (kind: Kind, identity: Json | undefined, { fields }: LiveObject): boolean =>
  !kind.members || identity === undefined || isDeepStrictEqual(fields[kind.members.identity], identity);

/** Returns the time by which objects of one key supersede each other; 0 for kinds whose objects do not. */
const ageOf = ({ listing: { newest } = {} }: Kind, { fields }: LiveObject): number =>
  newest === undefined ? 0 : Date.parse(jsonText(fields[newest])) || 0;

/** Returns the object of one key that counts: superseded ones stay listed. All of them for kinds whose objects do not supersede each other. */
export const withoutSuperseded = <T extends LiveObject>(kind: Kind, objects: readonly T[]): readonly T[] =>
  kind.listing?.newest === undefined
    ? objects
    : objects.toSorted((a, b) => ageOf(kind, b) - ageOf(kind, a)).slice(0, 1);

/** Returns whether the API gives the object of an address no name of its own, so that only a manifest says which it is. */
export const isNameless = ({ kinds }: Pick<Contract, "kinds">, address: Address): boolean =>
  kinds[kindOf(address)]?.named_by !== undefined;

/**
 * Returns the objects of an address. Where the API gives them no names, the live state has those that no manifest declares under their ids:
 * of these, the ones that are known to be of the address.
 * @param ids what the address had, or was given.
 */
export function remotesAt(
  { resources }: Pick<PreparedLive, "resources">,
  contract: Pick<Contract, "kinds">,
  address: Address,
  ids: readonly (string | undefined)[],
): readonly Remote[] {
  const own = resources.get(address)?.remotes ?? [];
  if (!isNameless(contract, address)) return own;
  const collection = collectionAt(address);
  const others = [...resources.values()].filter(
    (each) => each.address !== address && each.kind === kindOf(address) && collectionAt(each.address) === collection,
  );
  return [...own, ...others.flatMap(({ remotes }) => remotes.filter(({ id }) => ids.includes(id)))];
}
