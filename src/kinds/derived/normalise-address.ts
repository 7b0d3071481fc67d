import { splitAddress, toAddress, type Address } from "../../model/address.ts";
import { findKind } from "../index.ts";

/** The address as Hostform writes it, from what a user wrote; undefined where it is none. */
export function normaliseAddress(text: string): Address | undefined {
  const split = splitAddress(text);
  const kind = split && findKind(split.kind);
  const key = kind?.naming.fromParts(split?.parts ?? []);
  if (!kind || !key) return undefined;
  const normal = kind.naming.normalise(key);
  return kind.naming.check(normal) === undefined ? toAddress(kind.name, kind.naming.addressParts(normal)) : undefined;
}
