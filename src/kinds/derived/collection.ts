import type { CollectionId, Key } from "../../model/resource.ts";
import { findKind } from "../index.ts";
import type { Kind } from "../kind.ts";
import type { Address } from "../../model/address.ts";
import { locate } from "./locate.ts";

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
