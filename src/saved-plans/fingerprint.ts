import { createHash } from "node:crypto";
import { kindNamed } from "../kinds/index.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Fields, LiveResource, Remote, RemoteId } from "../model/resource.ts";
import type { Seen } from "../model/saved-plan.ts";

/** Returns one address as a plan saw it: the writable fields of each object, less the secret ones. */
export function seenAt(address: Address, live: LiveResource | undefined, secret: ReadonlySet<string>): Seen {
  const kind = kindNamed(kindOf(address));
  const objects = writableObjects(kind, live).map(({ fields }) => visibleFields(kind, fields, secret));
  return { address, objects };
}

/** Returns a fingerprint of the id of each object of an address; undefined if the objects come from a snapshot, which may hold other ids. */
export function seenIds(address: Address, live: LiveResource | undefined): string[] | undefined {
  const objects = writableObjects(kindNamed(kindOf(address)), live);
  if (objects.some(({ redacted }) => redacted !== undefined)) return undefined;
  return objects.map(({ id }) => idFingerprint(id)).sort();
}

export const idFingerprint = (id: RemoteId): string => createHash("sha256").update(id).digest("hex").slice(0, 16);

/** The objects of an address that may be written: of a set, all but the platform's own. */
export function writableObjects(kind: Kind, live: LiveResource | undefined): readonly Remote[] {
  const remotes = live?.remotes ?? [];
  return kind.members ? ownObjects(kind, remotes) : remotes;
}

function visibleFields(kind: Kind, fields: Fields, secret: ReadonlySet<string>): Fields {
  const shown = Object.entries(fields).filter(([name]) => isWritable(kind, name) && !secret.has(name));
  return Object.fromEntries(shown.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

export const isWritable = (kind: Kind, name: string): boolean =>
  ["mutable", "immutable"].includes(kind.fields[name]?.access ?? "");
