import type { BoundKind } from "./bound-kind.ts";
import type { Key } from "../model/resource.ts";

/** Returns whether the server has made one key of another by putting a prefix before a name, such as `u123_shop` for `shop`. */
export function isPrefixed({ entry, naming }: BoundKind, actual: Key, declared: Key): boolean {
  const prefix = entry.name_prefix;
  const { prefixed: part } = naming;
  if (prefix === undefined || part === undefined) return false;
  const whole = actual[part] ?? "";
  const suffix = `_${declared[part] ?? ""}`;
  return whole.endsWith(suffix) && new RegExp(`^(?:${prefix})$`, "u").test(whole.slice(0, -suffix.length));
}
