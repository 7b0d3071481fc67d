import type { Connection } from "../../postgres/connection.ts";

/** Days that an ended run is kept; one of a watch, of which there are several a day. */
const kept = 90;
const keptOfWatch = 7;
/** Rows at once: a statement ends before its time is up, and the next one goes on. */
const atOnce = 5_000;

const old = `r.state IN ('done', 'cancelled')
  AND r.created < now() - make_interval(days => CASE WHEN r.selection = 'watch' THEN ${keptOfWatch} ELSE ${kept} END)`;

/** Removes what is old of runs that have ended, but the last plan and the last drift of each account. */
export async function removeOldRuns(on: Connection): Promise<void> {
  await on.query(
    `DELETE FROM hostform.run_account WHERE (run, account) IN (
       SELECT c.run, c.account FROM hostform.run r JOIN hostform.run_account c ON c.run = r.id
       WHERE ${old} AND NOT EXISTS (
         SELECT 1 FROM hostform.account a WHERE a.fleet = r.fleet AND a.name = c.account AND r.id IN (a.plan, a.drift)
       ) LIMIT ${atOnce})`,
  );
  await on.query(
    `DELETE FROM hostform.run r WHERE ${old} AND NOT EXISTS (SELECT 1 FROM hostform.run_account WHERE run = r.id)`,
  );
}
