import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";
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
