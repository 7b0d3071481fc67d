import { type Address, kindOf, splitAddress, toAddress } from "../../model/address.ts";
import { rememberLast } from "../../lib/collect.ts";
import type { Key } from "../../model/resource.ts";
import { findKind, kindNamed } from "../index.ts";
import type { Kind, UniqueName } from "../kind.ts";

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
