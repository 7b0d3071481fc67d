import type { Fields, LiveResource } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import type { Kind } from "../kind.ts";

interface LiveObject {
  readonly fields: Fields;
}

/** Returns whether an object is the platform's own: listed, never written. */
export const isPlatformOwned = (kind: Kind, { fields }: LiveObject): boolean =>
  kind.serverMade?.isOwn?.(fields) === true;

/** Returns the objects of an address that Hostform may write or delete. */
export const ownObjects = <T extends LiveObject>(kind: Kind, remotes: readonly T[]): T[] =>
  remotes.filter((remote) => !isPlatformOwned(kind, remote));

/** Returns whether an address holds nothing that Hostform may write or delete. */
export const isWhollyPlatformOwned = (live: LiveResource | undefined): boolean =>
  live !== undefined && ownObjects(kindNamed(live.kind), live.remotes).length === 0;
