import type { Connection } from "./connection.ts";
import { queueName } from "./pg-boss.ts";
import { queueSchema } from "./tables.ts";

/** Whether the account of a job was last at an API that is none of these; one that was at none yet may be at any. */
const isElsewhere = `EXISTS (SELECT 1 FROM hostform.account
  WHERE fleet = substr(data->>'target', 1, length(data->>'target') - length(data->>'account') - 1) AND name = data->>'account' AND api IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM unnest($3::text[]) AS origin WHERE starts_with(rtrim(api->>'base_url', '/') || '/', origin || '/')))`;

/** Makes the jobs active that are next, as pg-boss does, which knows nothing of APIs. `except`: the origins of APIs that get no more of them. */
export const fetchJobs = <Row>({ query }: Connection, most: number, except: readonly string[]) =>
  query<Row>(
    `WITH next AS (
       SELECT id FROM ${queueSchema}.job WHERE name = $1 AND state < 'active' AND start_after < now()
         AND (cardinality($3::text[]) = 0 OR ${isElsewhere})
       ORDER BY priority DESC, created_on, id LIMIT $2 FOR UPDATE SKIP LOCKED
     )
     UPDATE ${queueSchema}.job j SET state = 'active', started_on = now(),
       retry_count = CASE WHEN started_on IS NOT NULL THEN retry_count + 1 ELSE retry_count END
     FROM next WHERE name = $1 AND j.id = next.id RETURNING data, retry_count AS "retryCount"`,
    [queueName, most, except],
  );

/**
 * Writes down what became of a job whose worker gave it back, or ended without a word: in its run, and where it is over also as the state of its
 * account. Everybody locks a run before its accounts.
 */
export async function note(
  connection: Connection,
  { run, account }: { readonly run: string; readonly account: string },
  state: "queued" | "failed",
  why: string,
) {
  await connection.query("UPDATE hostform.run SET dirty = true WHERE id = $1", [run]);
  await connection.query(
    `UPDATE hostform.run_account SET state = $3, why = $4, ended = CASE WHEN $3 = 'failed' THEN clock_timestamp() END
     WHERE run = $1 AND account = $2 AND state = 'running'`,
    [run, account, state, why],
  );
  if (state === "failed")
    await connection.query(
      `INSERT INTO hostform.account AS a (fleet, name, owner, grp, state, why, plan, checked)
       SELECT r.fleet, c.account, c.owner, c.grp, c.state, c.why, CASE WHEN r.kind <> 'drift' THEN r.id END,
         CASE WHEN r.kind = 'drift' THEN clock_timestamp() END
       FROM hostform.run_account c JOIN hostform.run r ON r.id = c.run WHERE c.run = $1 AND c.account = $2
       ON CONFLICT (fleet, name) DO UPDATE SET state = excluded.state, why = excluded.why,
         plan = coalesce(excluded.plan, a.plan), checked = coalesce(excluded.checked, a.checked)`,
      [run, account],
    );
}
