import type { Kind } from "../kind.ts";

/** Returns whether a manifest can write a field and the API returns it, so that both can be compared. */
export function isReadWrite({ fields }: Kind, name: string): boolean {
  const access = fields[name]?.access;
  return access === "mutable" || access === "immutable";
}

/** Returns whether the API takes a field and never returns it, as it does a password. */
export const isWriteOnly = ({ fields }: Kind, name: string): boolean => fields[name]?.access === "write_only";
