import { hash } from "node:crypto";
import type { AppliedBy } from "../../model/inventory.ts";

/** The target that an inventory belongs to. `place`: the base URL, or the real path of the embedded service's data file. */
export interface InventoryTarget {
  readonly name: string;
  readonly place: string;
  readonly contract: string;
  /** The API as an apply writes it down. */
  readonly api?: AppliedBy["api"];
}

const hashDigits = 12;

/** NAME-HASH, fit for a path and a git ref: the hash keeps targets apart that share a name. What no name may have is an underscore. */
export function targetKey({ name, place, contract }: InventoryTarget): string {
  const digest = hash("sha256", JSON.stringify([name, place, contract]));
  return `${nameInKey(name)}-${digest.slice(0, hashDigits)}`;
}

/** Returns the name in a key. */
export const nameOfKey = (key: string): string => key.slice(0, -"-".length - hashDigits);

/** Returns a manifest's name as it stands in the key of its target. */
export const nameInKey = (name: string): string => name.slice(0, 63).replaceAll(/[^a-z0-9-]/gu, "_");
