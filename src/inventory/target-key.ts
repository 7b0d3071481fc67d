import { createHash } from "node:crypto";

/** The target that an inventory belongs to. `place`: the base URL, or the real path of the embedded service's data file. */
export interface InventoryTarget {
  readonly name: string;
  readonly place: string;
  readonly contract: string;
}

/** NAME-HASH, fit for a path and a git ref: the hash keeps targets apart that share a name. What no name may have is an underscore. */
export function targetKey({ name, place, contract }: InventoryTarget): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([name, place, contract]))
    .digest("hex");
  return `${name.slice(0, 63).replaceAll(/[^a-z0-9-]/gu, "_")}-${hash.slice(0, 12)}`;
}
