import type { AppliedApi } from "../../model/inventory.ts";
import type { Connection } from "../../postgres/connection.ts";

/** Returns the APIs, other than the one asked for, that an account was last at, or to which the key of the same source is sent. */
export async function othersKnown(
  on: Connection,
  { fleet, account, keySource }: { readonly fleet: string; readonly account: string; readonly keySource: string },
  asked: AppliedApi,
): Promise<readonly AppliedApi[]> {
  const rows = await on.query<{ api: AppliedApi; is_asked: boolean }>(
    `(SELECT api, api = $4 AS is_asked FROM hostform.account WHERE fleet = $1 AND name = $2 AND api IS NOT NULL)
     UNION ALL
     (SELECT api, api = $4 FROM hostform.account WHERE key_source = $3 AND api IS NOT NULL ORDER BY 2 DESC LIMIT 1)`,
    [fleet, account, keySource, JSON.stringify(asked)],
  );
  return rows.filter((row) => !row.is_asked).map(({ api }) => api);
}
