import { ownObjects } from "../kinds/derived/server-made.ts";
import type { Kind } from "../kinds/kind.ts";
import type { LiveResource, Remote } from "../model/resource.ts";

/** Returns the objects of an address that may be written: of a set, all but the platform's own. */
export function writableObjects(kind: Kind, live: LiveResource | undefined): readonly Remote[] {
  const remotes = live?.remotes ?? [];
  return kind.members ? ownObjects(kind, remotes) : remotes;
}

export const isWritable = (kind: Kind, name: string): boolean =>
  ["mutable", "immutable"].includes(kind.fields[name]?.access ?? "");
