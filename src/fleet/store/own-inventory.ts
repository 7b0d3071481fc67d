import { inputError } from "../../engine/session/input-error.ts";
import type { Database } from "../../postgres/connection.ts";
import { inventoryStore } from "../../postgres/stores/inventory.ts";
import type { InventoryStore } from "../../state/inventory/inventory-store.ts";

/** The inventory of a target that is no other account's. Its load throws an InputError where it is. */
export function ownInventory(database: Database, target: string, account: string): InventoryStore {
  const store = inventoryStore(database, target);
  return {
    ...store,
    load: async () => {
      const [row] = await database.query<{ account: string }>(
        `WITH added AS (INSERT INTO hostform.target VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING account)
         SELECT account FROM added UNION ALL SELECT account FROM hostform.target WHERE target = $1`,
        [target, account],
      );
      if (row?.account === account) return store.load();
      throw inputError(
        "target_of_other_account",
        `The manifests of ${account} have the name and the API of ${row?.account}: each would delete what the other made`,
        "give the manifests of one of the two another name:",
      );
    },
  };
}
