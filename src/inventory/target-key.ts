import { createHash } from "node:crypto";

/** What an inventory belongs to. `place`: the base URL, or the real path of the embedded service's data file. */
export interface InventoryTarget {
  readonly name: string;
  readonly place: string;
  readonly contract: string;
}

/** NAME-HASH: the hash keeps targets apart that share a name. */
export function targetKey({ name, place, contract }: InventoryTarget): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([name, place, contract]))
    .digest("hex");
  return `${name}-${hash.slice(0, 12)}`;
}
