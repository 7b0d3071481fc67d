import type { Connection } from "./connection.ts";

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
       ON CONFLICT (fleet, name) DO UPDATE SET state = excluded.state, why = excluded.why, updated = clock_timestamp(),
         plan = coalesce(excluded.plan, a.plan), checked = coalesce(excluded.checked, a.checked)`,
      [run, account],
    );
}
