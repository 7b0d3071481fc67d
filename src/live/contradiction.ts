import type { CollectionRef } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { splitAddress } from "../model/address.ts";
import type { Fields, Key, LiveResource, RemoteId } from "../model/resource.ts";

/** What a list says against itself: an object twice (it shifted), without a usable id or name, of another scope, or two with one key. */
export function contradiction({ kind, scope }: CollectionRef, resources: readonly LiveResource[]): string | undefined {
  const seen = new Set<RemoteId>();
  for (const resource of resources) {
    const { address, key, remotes } = resource;
    if (!hasUsableName(resource)) return `an object of ${kind.name} came without a usable name`;
    for (const { id, fields } of remotes) {
      if (id === "") return `an object of ${address} came without a usable id`;
      if (seen.has(id)) return `the object ${id} of ${address} came twice`;
      seen.add(id);
      const stray = strayPart({ kind, scope }, key, fields);
      if (stray !== undefined) return `the object ${id} belongs to another ${stray} than the one that was asked for`;
    }
    if (remotes.length > 1 && !kind.members) return `${remotes.length} objects have the address ${address}`;
  }
  return undefined;
}

/** Returns the part of its scope in which an object differs from the list that holds it; undefined where it belongs there. */
export const strayPart = ({ kind, scope }: Pick<CollectionRef, "kind" | "scope">, key: Key, fields: Fields) =>
  kind.scope.find(
    (part) => key[part] !== scope[part] || (typeof fields[part] === "string" && fields[part] !== scope[part]),
  );

// Half of a pair cannot be written in UTF-8; dots alone are a way through folders, not a name, where a name stands in a path.
const unusable = /\p{Surrogate}|^\.{1,2}$/u;

/** Whether an object can be named by its address, and asked for by it. */
export function hasUsableName({ address, kind }: Pick<LiveResource, "address" | "kind">): boolean {
  const parts = splitAddress(address)?.parts ?? [];
  return kindNamed(kind).naming.fromParts(parts) !== undefined && !parts.some((part) => unusable.test(part));
}
