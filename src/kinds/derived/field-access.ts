import type { Kind } from "../kind.ts";

/** Returns whether a manifest can write a field and the API returns it, so that both can be compared. */
export const isReadWrite = ({ fields }: Kind, name: string): boolean =>
  ["mutable", "immutable"].includes(fields[name]?.access ?? "");

/** Returns whether the API takes a field and never returns it, as it does a password. */
export const isWriteOnly = ({ fields }: Kind, name: string): boolean => fields[name]?.access === "write_only";
