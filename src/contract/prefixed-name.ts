import { addressOfParent } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import type { Key } from "../model/resource.ts";

/** Returns whether the server has made one key of another by putting a prefix before a name, such as `u123_shop` for `shop`. */
export function isPrefixed({ kinds }: Contract, { name, naming }: Kind, actual: Key, declared: Key): boolean {
  const prefix = kinds[name]?.name_prefix;
  const { prefixed: part } = naming;
  if (prefix === undefined || part === undefined) return false;
  const whole = actual[part] ?? "";
  const suffix = `_${declared[part] ?? ""}`;
  return whole.endsWith(suffix) && new RegExp(`^(?:${prefix})$`, "u").test(whole.slice(0, -suffix.length));
}

/**
 * Returns a field's value with the names that other resources have on the server, for values that hold such names.
 * @param nameAt returns the name of a resource on the server, by its address and the part of its key; undefined where it is the declared one.
 */
export function withActualNames(
  kind: Kind,
  field: string,
  value: Json,
  key: Key,
  nameAt: (address: Address, kind: string, part: string) => string | undefined,
): Json {
  if (!kind.rename) return value;
  return kind.rename(field, value, key, (parent) => {
    const part = kindNamed(parent.kind).naming.prefixed ?? "";
    return nameAt(addressOfParent(parent), parent.kind, part) ?? parent.key[part] ?? "";
  });
}
