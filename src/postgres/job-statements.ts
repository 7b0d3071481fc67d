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

/** Writes down why a job waits again that a worker had. Everybody locks a run before its accounts. */
export async function noteWaiting(
  { query }: Connection,
  { run, account }: { readonly run: string; readonly account: string },
  why: string,
): Promise<void> {
  await query("UPDATE hostform.run SET dirty = true WHERE id = $1", [run]);
  await query(
    "UPDATE hostform.run_account SET state = 'queued', why = $3 WHERE run = $1 AND account = $2 AND state = 'running'",
    [run, account, why],
  );
}
