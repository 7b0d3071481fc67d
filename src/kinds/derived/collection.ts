import type { CollectionId, Key } from "../../model/resource.ts";
import { findKind, kindNamed } from "../index.ts";
import type { Kind, UniqueName } from "../kind.ts";
import { type Address, kindOf, splitAddress, toAddress } from "../../model/address.ts";
import { rememberLast } from "../../lib/collect.ts";

/** One list operation: a kind, and the key parts that select the list. */
export interface CollectionRef<K extends Kind = Kind> {
  readonly id: CollectionId;
  readonly kind: K;
  readonly scope: Key;
}

/** The collection that a key belongs to. The only place that makes a collection id. */
export function collectionOf<K extends Kind>(kind: K, key: Key): CollectionRef<K> {
  const scope: Record<string, string> = {};
  let id = kind.name;
  for (const part of kind.scope) {
    const text = (scope[part] = key[part] ?? "");
    id += `/${text.replaceAll("/", "%2F")}`;
  }
  return { id: id as CollectionId, kind, scope };
}

/** Returns the collection that an id names; undefined if this version does not know its kind. */
export function collectionNamed(id: CollectionId): CollectionRef | undefined {
  const [name = "", ...texts] = id.split("/");
  const kind = findKind(name);
  if (!kind || kind.scope.length !== texts.length) return undefined;
  const scope = kind.scope.map((part, index) => [part, (texts[index] ?? "").replaceAll("%2F", "/")]);
  return { id, kind, scope: Object.fromEntries(scope) as Key };
}

/** The collection in whose list an address stands. */
export function collectionAt(address: Address): CollectionId {
  const { kind, key } = locate(address);
  return collectionOf(kind, key).id;
}

interface Located {
  readonly kind: Kind;
  readonly key: Key;
}

/** Returns what an address names; of one write it is asked a dozen times. */
export const locate: (address: Address) => Located = rememberLast((address) => {
  const kind = kindNamed(kindOf(address as Address));
  const key = kind.naming.fromParts(splitAddress(address)?.parts ?? []);
  if (!key) throw new Error(`${address} is not an address of a ${kind.name}`);
  return { kind, key };
});

/** Returns the names that no other resource can hold beside the one at an address. */
export function uniqueNamesAt(address: Address): readonly UniqueName[] {
  const { kind, key } = locate(address);
  return kind.relations?.uniqueNames?.(key) ?? [];
}

/** The address as Hostform writes it, from what a user wrote; undefined where it is none. */
export function normaliseAddress(text: string): Address | undefined {
  const split = splitAddress(text);
  const kind = split && findKind(split.kind);
  const key = kind?.naming.fromParts(split?.parts ?? []);
  if (!kind || !key) return undefined;
  const normal = kind.naming.normalise(key);
  return kind.naming.check(normal) === undefined ? toAddress(kind.name, kind.naming.addressParts(normal)) : undefined;
}
