import { inputError } from "../../engine/session/input-error.ts";
import type { Database } from "../../postgres/connection.ts";
import { inventoryStore } from "../../postgres/stores/inventory.ts";
import type { InventoryStore } from "../../state/inventory/inventory-store.ts";

/**
 * The inventory of a target that belongs to one account alone. Its load throws an InputError where it is another's that `isThere`: one that
 * was given another name in fleet.yaml is not; but it may still be worked on under that.
 */
export function ownInventory(
  database: Database,
  target: string,
  { account, isThere }: { readonly account: string; readonly isThere: (account: string) => boolean },
): InventoryStore {
  const store = inventoryStore(database, target);
  return {
    ...store,
    load: async () => {
      const [row] = await database.query<{ account: string }>(
        `WITH added AS (INSERT INTO hostform.target VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING account)
         SELECT account FROM added UNION ALL SELECT account FROM hostform.target WHERE target = $1`,
        [target, account],
      );
      const owner = row?.account ?? account;
      if (owner !== account && isThere(owner)) throw sharedTarget(account, owner);
      if (owner !== account && !(await takeOver(database, target, [owner, account]))) throw heldTarget(account, owner);
      return store.load();
    },
  };
}

/** False while somebody has the lease of the former account: its worker may not know the new name. */
async function takeOver({ query }: Database, target: string, [from, to]: readonly [string, string]): Promise<boolean> {
  const taken = await query(
    `UPDATE hostform.target SET account = $3 WHERE target = $1 AND account = $2
       AND NOT EXISTS (SELECT 1 FROM hostform.lease WHERE target = $2 AND until > clock_timestamp()) RETURNING 1`,
    [target, from, to],
  );
  return taken.length > 0;
}

const heldTarget = (account: string, owner: string) =>
  inputError(
    "target_of_other_account",
    `The account ${account} was ${owner} before, and a worker still works on it under that name`,
    "begin again once that has ended; hostform fleet status shows the runs that wait",
  );

function sharedTarget(account: string, owner: string) {
  const [former = "", ...name] = owner.split("/");
  const other = account.startsWith(`${former}/`)
    ? [
        owner,
        `; if ${name.join("/")} has another name: by now, leave it out with except:, plan this account, and take it in again`,
      ]
    : [
        `${name.join("/")} of the fleet ${former}`,
        `; if that is this fleet, give it the name ${former} again in fleet.yaml`,
      ];
  return inputError(
    "target_of_other_account",
    `The manifests of ${account} have the name and the API of ${other[0]}: each would delete what the other made${other[1]}`,
    "give the manifests of one of the two another name:",
  );
}
