import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";

/** Whether a name is what the server makes of another by its prefix, such as `u123_shop` of `shop`. */
export function isPrefixed(contract: Contract, kind: Kind, name: string, written: string): boolean {
  const prefix = contract.kinds[kind.name]?.name_prefix;
  const suffix = `_${written}`;
  return (
    prefix !== undefined &&
    name.endsWith(suffix) &&
    new RegExp(`^(?:${prefix})$`, "u").test(name.slice(0, -suffix.length))
  );
}
