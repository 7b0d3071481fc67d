import type { Address } from "../../model/address.ts";
import type { Fields, Key, LiveResource, Resource } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import type { Kind } from "../kind.ts";
import type { LiveObject } from "./listed-object.ts";
import { addressOfParent } from "./parents.ts";
import { isDeepStrictEqual } from "node:util";
import { clearValue } from "../../model/clear-values.ts";

/** Returns the addresses of what the server creates together with a resource. */
export const broughtBy = ({ serverMade }: Kind, key: Key, fields: Fields): Address[] =>
  (serverMade?.creates?.(key, fields) ?? []).map(addressOfParent);

/** Returns the addresses of the objects elsewhere that the server keeps for a live resource. */
export const keptElsewhere = ({ kind, key, remotes }: LiveResource): readonly Address[] =>
  (kindNamed(kind).serverMade?.keeps?.(key, remotes[0]?.fields ?? {}) ?? []).map(addressOfParent);

/** Whether a resource declares what a server has that does not list it. */
export function isAbsence({ kind, fields }: Resource): boolean {
  const { absent } = kindNamed(kind).serverMade ?? {};
  if (!absent) return false;
  return Object.entries(fields).every(([name, value]) => isDeepStrictEqual(clearValue(value), absent[name]));
}

/** Returns whether a live resource counts as absent because it is off, such as DNSSEC of an unsigned zone. */
export function isOff({ kind, remotes }: LiveResource): boolean {
  const { absent } = kindNamed(kind).serverMade ?? {};
  const isAbsent = ({ fields }: LiveObject) =>
    Object.entries(absent ?? {}).every(([name, value]) => fields[name] === value);
  return absent !== undefined && remotes.every(isAbsent);
}

/** Returns whether an object is the platform's own: listed, never written. */
export const isPlatformOwned = (kind: Kind, { fields }: LiveObject): boolean =>
  kind.serverMade?.ownFlag !== undefined && fields[kind.serverMade.ownFlag] === true;

/** Returns the objects of an address that Hostform may write or delete. */
export const ownObjects = <T extends LiveObject>(kind: Kind, remotes: readonly T[]): T[] =>
  remotes.filter((remote) => !isPlatformOwned(kind, remote));

/** Returns whether an address holds nothing that Hostform may write or delete. */
export const isWhollyPlatformOwned = (live: LiveResource | undefined): boolean =>
  live !== undefined && ownObjects(kindNamed(live.kind), live.remotes).length === 0;
