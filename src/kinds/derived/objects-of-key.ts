import { isDeepStrictEqual } from "node:util";
import { jsonText, type Json } from "../../model/json.ts";
import type { Fields } from "../../model/resource.ts";
import type { Kind } from "../kind.ts";

export interface LiveObject {
  readonly fields: Fields;
}

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

/** Returns whether an object is at least as new as all the others of its key. */
export const isNewest = (kind: Kind, object: LiveObject, others: readonly LiveObject[]): boolean =>
  others.every((other) => ageOf(kind, other) <= ageOf(kind, object));
