import { inputError, orMistake } from "../../engine/session/input-error.ts";
import type { Connection } from "../../postgres/connection.ts";
import type { Fleet, Run, RunAccount } from "../model.ts";
import type { RunStatus } from "../runs/advance.ts";

/** A run as a command asks for it. */
export type NewRun = Pick<Run, "id" | "kind" | "fleet" | "createdBy" | "options"> & {
  /** The choice of accounts, and the options: who asks for the same again goes on with the run. */
  readonly selection: string;
};

/** An account of a new run. `plan`, and what belongs to it, is that of an approved run. */
export interface NewAccount extends Pick<RunAccount, "account" | "owner" | "group" | "needs"> {
  /** Over the texts of its manifests. Without one, those of the worker's checkout count. */
  readonly digest?: string | undefined;
}

/** Returns the rows that a query finds as data: without the fields that are null, and with times in ISO 8601. */
export async function readRows<T>(on: Connection, query: string, values: readonly unknown[]): Promise<readonly T[]> {
  const rows = await on.query<Readonly<Record<string, unknown>>>(query, values);
  return rows.map((row) => {
    const fields = Object.entries(row).filter(([, value]) => value !== null);
    return Object.fromEntries(
      fields.map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
    ) as T;
  });
}

const runColumns = `id, kind, state, fleet, created, created_by AS "createdBy", options, wave, hash, stopped, continued,
  CASE WHEN approved_hash IS NOT NULL THEN jsonb_build_object('hash', approved_hash, 'by', approved_by) END AS approved`;
/** Whether applies have taken the plans of each account with changes. */
const isTaken = `r.kind = 'plan' AND NOT EXISTS (
  SELECT account FROM hostform.run_account WHERE run = r.id AND state = 'changed'
  EXCEPT SELECT t.account FROM hostform.run a JOIN hostform.run_account t ON t.run = a.id
    WHERE a.fleet = r.fleet AND a.kind = 'apply' AND a.state <> 'cancelled' AND a.hash = r.hash AND a.created > r.created)`;
const accountColumns =
  'account, owner, grp AS "group", needs, state, wave, plan_hash AS "planHash", counts, ending, why';

/** The states of an account whose job waits, or is yet to be queued. */
const unended = "'queued', 'changed', 'later'";

/** A run with what was asked for: the choice of accounts, and the options. */
export type SelectedRun = Run & Pick<NewRun, "selection">;

/** Adds a run whose accounts all wait to be planned, or are as an approved run left them. False where there is one of its id. */
export async function addRun(
  on: Connection,
  { id, kind, fleet, createdBy, options, selection }: NewRun,
  accounts: readonly NewAccount[],
  from?: string,
): Promise<boolean> {
  const runs = await on.query(
    `INSERT INTO hostform.run (id, kind, state, fleet, created_by, options, selection, hash, approved_hash, approved_by)
     SELECT $1, $2, $3, $4, $5, $6, $7, (SELECT hash FROM hostform.run WHERE id = $8),
       (SELECT approved_hash FROM hostform.run WHERE id = $8), (SELECT approved_by FROM hostform.run WHERE id = $8)
     ON CONFLICT DO NOTHING RETURNING id`,
    [id, kind, from === undefined ? "planning" : "waiting", fleet, createdBy, options, selection, from],
  );
  if (runs.length === 0) return false;
  await on.query(
    `INSERT INTO hostform.run_account (run, account, owner, grp, needs, digest, state, plan_hash, counts, plan, shown, ending, why)
     SELECT $1, a.account, a.owner, a.group, a.needs, coalesce(o.digest, a.digest),
       CASE WHEN $3::text IS NULL THEN 'queued' ELSE coalesce(o.state, 'left_out') END, o.plan_hash, o.counts, o.plan, o.shown,
       CASE WHEN o.state <> 'changed' THEN o.ending END,
       CASE WHEN $3::text IS NULL THEN NULL WHEN o.run IS NULL THEN 'the run that was approved did not plan it' ELSE o.why END
     FROM jsonb_to_recordset($2) AS a(account text, owner text, "group" text, needs jsonb, digest text)
     LEFT JOIN hostform.run_account o ON o.run = $3 AND o.account = a.account`,
    [id, JSON.stringify(accounts), from],
  );
  if (from !== undefined)
    await on.query(
      "UPDATE hostform.account s SET plan = $1 FROM hostform.run_account a WHERE s.fleet = $2 AND a.run = $1 AND a.account = s.name",
      [id, fleet],
    );
  return true;
}

/** Returns a run and its accounts; undefined where none has this id. `lock`: nobody else changes it until the transaction ends. */
export async function readRun(on: Connection, id: string, lock = false): Promise<RunStatus | undefined> {
  const [run] = await readRows<Run>(
    on,
    `SELECT ${runColumns}, ${isTaken} AS "isTaken" FROM hostform.run r WHERE id = $1 ${lock ? "FOR UPDATE" : ""}`,
    [id],
  );
  if (!run) return undefined;
  const query = `SELECT ${accountColumns} FROM hostform.run_account WHERE run = $1 ORDER BY account`;
  return { run, accounts: await readRows<RunAccount>(on, query, [id]) };
}

/** Returns the digests of the accounts of a run, by their names. `unended`: of those that have not ended. */
export async function digestsOf(
  on: Connection,
  run: string,
  which: "all" | "unended" = "all",
): Promise<ReadonlyMap<string, string | undefined>> {
  const query = `SELECT account, digest FROM hostform.run_account WHERE run = $1 AND ($2 OR state IN (${unended}))`;
  const rows = await readRows<{ account: string; digest?: string }>(on, query, [run, which === "all"]);
  return new Map(rows.map(({ account, digest }) => [account, digest]));
}

/** Gives up what is left to do in a run for accounts that the fleet does not have: no worker would ever take it. */
export async function giveUpMissing(on: Connection, { id }: Pick<Run, "id">, { accounts }: Fleet): Promise<void> {
  await on.query("UPDATE hostform.run SET dirty = true WHERE id = $1", [id]);
  await on.query(
    `UPDATE hostform.run_account SET state = 'cancelled', why = 'fleet.yaml does not have it any more'
     WHERE run = $1 AND state IN (${unended}) AND account <> ALL($2)`,
    [id, accounts.map(({ name }) => name)],
  );
}

/** Returns the runs that meet a condition in SQL, the newest first. */
async function runsWhere(
  on: Connection,
  condition: string,
  values: readonly unknown[],
  most?: number,
): Promise<readonly SelectedRun[]> {
  const query = `SELECT ${runColumns}, selection FROM hostform.run r WHERE ${condition} ORDER BY created DESC ${most === undefined ? "" : `LIMIT ${most}`}`;
  return readRows<SelectedRun>(on, query, values);
}

/** Returns the runs of a fleet that have not ended, the newest first. */
export const openRuns = (on: Connection, fleet: string): Promise<readonly SelectedRun[]> =>
  runsWhere(on, "fleet = $1 AND state NOT IN ('done', 'cancelled')", [fleet]);

/** Returns the newest run whose plans have this hash, and that may be applied: only plan runs are taken over. */
export async function planRunOf(
  on: Connection,
  fleet: string,
  isNamed: (run: Run) => boolean,
): Promise<SelectedRun | undefined> {
  const condition = "fleet = $1 AND kind = 'plan' AND state <> 'cancelled' AND hash IS NOT NULL";
  return (await runsWhere(on, condition, [fleet], 100)).find(isNamed);
}

/**
 * Returns the apply with this hash and selection that has done all that it could, unless the same plans were made again since, or hold changes
 * of one of the `accounts` that it did not apply: the fleet did not have that one at the time.
 */
export async function doneRunOf(
  on: Connection,
  fleet: string,
  selection: string,
  accounts: readonly string[],
  isNamed: (run: Run) => boolean,
): Promise<Run | undefined> {
  const applied = "SELECT account FROM hostform.run_account WHERE run = r.id AND state IN ('applied', 'clean')";
  const condition = `fleet = $1 AND kind = 'apply' AND state = 'done' AND selection = $2
    AND NOT EXISTS (SELECT 1 FROM hostform.run_account WHERE run = r.id AND state NOT IN ('applied', 'clean', 'cancelled'))
    AND NOT EXISTS (SELECT 1 FROM hostform.run p JOIN hostform.run_account c ON c.run = p.id WHERE p.fleet = $1 AND p.hash = r.hash
      AND c.state IN ('changed', 'cancelled') AND c.account = ANY($3) AND c.account NOT IN (${applied}))
    AND NOT EXISTS (SELECT 1 FROM hostform.run WHERE fleet = $1 AND hash = r.hash AND created > r.created)`;
  return (await runsWhere(on, condition, [fleet, selection, accounts], 100)).find(isNamed);
}

/** Returns the newest run of plans of the same accounts that somebody has approved, unless an apply of one of them was begun since. */
export async function approvedRunOf(on: Connection, fleet: string, selection: string): Promise<Run | undefined> {
  const condition = `fleet = $1 AND kind = 'plan' AND state <> 'cancelled' AND approved_hash = hash AND (selection::jsonb) -> 0 = $2::jsonb
    AND NOT EXISTS (SELECT 1 FROM hostform.run other JOIN hostform.run_account a ON a.run = other.id WHERE other.fleet = $1 AND other.kind = 'apply'
      AND other.created > r.created AND a.account IN (SELECT account FROM hostform.run_account WHERE run = r.id))`;
  return (await runsWhere(on, condition, [fleet, selection], 1))[0];
}

/** Writes what is different of a run, and of its accounts. */
export async function writeChanges(on: Connection, before: RunStatus, after: RunStatus): Promise<void> {
  const { id, state, wave, hash, stopped, continued, approved } = after.run;
  if (after.run !== before.run)
    await on.query(
      `UPDATE hostform.run SET state = $2, wave = $3, hash = $4, stopped = $5, continued = $6, approved_hash = $7, approved_by = $8
       WHERE id = $1`,
      [id, state, wave, hash, stopped, continued, approved?.hash, approved?.by],
    );
  const changed = after.accounts.flatMap((each, index) => {
    const { account, state: next, wave: of, why } = each;
    const was = before.accounts[index];
    return each === was ? [] : [{ account, state: next, was: was?.state, wave: of, why }];
  });
  if (changed.length === 0) return;
  // A worker may take a job meanwhile: then its account is as that worker says. It locks accounts in the same order.
  await on.query(
    `WITH given AS (SELECT * FROM jsonb_to_recordset($2) AS a(account text, state text, was text, wave int, why text)),
       locked AS MATERIALIZED (
         SELECT account FROM hostform.run_account WHERE run = $1 AND account IN (SELECT account FROM given)
         ORDER BY account COLLATE "C" FOR UPDATE)
     UPDATE hostform.run_account r SET state = a.state, wave = a.wave, why = a.why
     FROM given a JOIN locked USING (account) WHERE r.run = $1 AND r.account = a.account AND r.state = a.was`,
    [id, JSON.stringify(changed)],
  );
}

/** Returns the plans of a run that have changes, as they are printed: JSON. */
export const shownPlans = (on: Connection, run: string) =>
  on.query<{ readonly account: string; readonly shown: string }>(
    "SELECT account, shown FROM hostform.run_account WHERE run = $1 AND state = 'changed' AND shown IS NOT NULL ORDER BY account",
    [run],
  );

/** Returns the result of reading rows. Throws an InputError where they are not as a worker has written them: who may write to the database may have altered them. */
export const readShown = <T>(what: string, replace: string, read: () => T): T =>
  orMistake(read, (reason) => {
    const summary = `What the database holds of ${what} cannot be shown: ${reason}`;
    const hint = `replace it: ${replace}; report it if nobody has altered the database`;
    return inputError("unreadable_row", summary, hint).mistake;
  });
