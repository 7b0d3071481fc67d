import type { CollectionRef } from "../kinds/derived/collection.ts";
import { hasUsableName, strayPart } from "../kinds/derived/listed-object.ts";
import type { LiveResource, RemoteId } from "../model/resource.ts";

/** Returns what a list says against itself; undefined if nothing: an object twice (it shifted), without a usable id or name, of another scope, or two with one key. */
export function contradiction(ref: CollectionRef, resources: readonly LiveResource[]): string | undefined {
  const { kind } = ref;
  const seen = new Set<RemoteId>();
  for (const resource of resources) {
    const { address, key, remotes } = resource;
    if (!hasUsableName(resource)) return `an object of ${kind.name} came without a usable name`;
    for (const { id, fields } of remotes) {
      if (id === "") return `an object of ${address} came without a usable id`;
      if (seen.has(id)) return `the object ${id} of ${address} came twice`;
      seen.add(id);
      const stray = strayPart(ref, key, fields);
      if (stray !== undefined) return `the object ${id} belongs to another ${stray} than the one that was asked for`;
    }
    if (remotes.length > 1 && !kind.members) return `${remotes.length} objects have the address ${address}`;
  }
  return undefined;
}
