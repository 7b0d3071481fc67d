import { kindOf, splitAddress, type Address } from "../../model/address.ts";
import type { Key } from "../../model/resource.ts";
import { kindNamed } from "../index.ts";
import type { Kind } from "../kind.ts";

/** The kind and the natural key that an address stands for. */
export function locate(address: Address): { readonly kind: Kind; readonly key: Key } {
  const kind = kindNamed(kindOf(address));
  const key = kind.naming.fromParts(splitAddress(address)?.parts ?? []);
  if (!key) throw new Error(`${address} is no address of a ${kind.name}`);
  return { kind, key };
}
