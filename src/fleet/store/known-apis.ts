import type { AskedApi, KnownApis } from "../../engine/session/stores.ts";
import type { AppliedApi } from "../../model/inventory.ts";
import type { Connection } from "../../postgres/connection.ts";

/** Returns the API that an account was last at, and one to which the key of the same source is sent: the one asked for, where that is among them. */
export async function knownApis(
  on: Connection,
  { fleet, account, keySource }: { readonly fleet: string; readonly account: string; readonly keySource: string },
  { api: asked, name }: AskedApi,
): Promise<readonly KnownApis[]> {
  const rows = await on.query<{ api: AppliedApi }>(
    `(SELECT api FROM hostform.account WHERE fleet = $1 AND name = $2 AND api IS NOT NULL)
     UNION ALL
     (SELECT api FROM hostform.account WHERE key_source = $3 AND api IS NOT NULL ORDER BY api = $4 DESC LIMIT 1)`,
    [fleet, account, keySource, JSON.stringify(asked)],
  );
  return rows.map(({ api }) => ({ known: [{ key: account, name, api }], isWhole: true }));
}
