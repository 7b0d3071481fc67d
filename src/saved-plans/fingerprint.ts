import { createHash } from "node:crypto";
import { kindNamed } from "../kinds/index.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import type { Json } from "../model/json.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { LiveResource, Remote, RemoteId } from "../model/resource.ts";
import type { Seen } from "../model/saved-plan.ts";

/** Returns one address as a plan saw it: the writable fields of each object, as far as their values are open, and the ids of a file. */
export function seenAt(address: Address, live: LiveResource | undefined, isOpen: (value: Json) => boolean): Seen {
  const kind = kindNamed(kindOf(address));
  const objects = writableObjects(kind, live);
  const ids = objects.flatMap(({ id }) => (id === "" ? [] : [id]));
  const seen = objects.map(({ fields }) => {
    const shown = Object.entries(fields).filter(([name, value]) => isWritable(kind, name) && isOpen(value));
    return Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
  return { address, objects: seen, ...(ids.length > 0 && { ids: ids.sort() }) };
}

export const idFingerprint = (id: RemoteId): string => createHash("sha256").update(id).digest("hex").slice(0, 16);

/** The objects of an address that may be written: of a set, all but the platform's own. */
export function writableObjects(kind: Kind, live: LiveResource | undefined): readonly Remote[] {
  const remotes = live?.remotes ?? [];
  return kind.members ? ownObjects(kind, remotes) : remotes;
}

export const isWritable = (kind: Kind, name: string): boolean =>
  ["mutable", "immutable"].includes(kind.fields[name]?.access ?? "");
