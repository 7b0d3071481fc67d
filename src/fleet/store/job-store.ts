import type { AskedApi, KnownApis, Ending } from "../../engine/session/host.ts";
import type { AppliedApi } from "../../model/inventory.ts";
import type { Connection } from "../../postgres/connection.ts";
import type { Job } from "../../postgres/queue.ts";
import { queueSchema } from "../../postgres/tables.ts";
import type { Run, RunAccount, RunKind } from "../model.ts";
import { readRows } from "./run-store.ts";

/** The task of a job. */
export interface JobTask {
  readonly kind: RunKind;
  readonly options: Run["options"];
  /** The saved plan that is to be applied, and its hash. */
  readonly plan?: string;
  readonly planHash?: string;
  /** Of the manifests that the run is about; undefined where those of the worker's checkout count. */
  readonly digest?: string;
}

/** Returns what a job is to do; undefined where its account waits for none any more. */
export async function readJob(
  on: Connection,
  { run, account, kind }: Pick<Job, "run" | "account" | "kind">,
): Promise<JobTask | undefined> {
  const [task] = await readRows<Omit<JobTask, "kind">>(
    on,
    `SELECT r.options, CASE WHEN $3 = 'apply' THEN a.plan END AS plan, a.plan_hash AS "planHash", a.digest
     FROM hostform.run_account a JOIN hostform.run r ON r.id = a.run
     WHERE a.run = $1 AND a.account = $2 AND a.state IN ('queued', 'running') AND r.state NOT IN ('cancelled', 'done')`,
    [run, account, kind],
  );
  return task && { ...task, kind };
}

/** Leaves an account for which nothing is to do any more, since its run was cancelled as its job was taken: what becomes of it follows anew. */
export async function leaveAccount(on: Connection, { run, account }: Pick<Job, "run" | "account">): Promise<void> {
  await on.query("UPDATE hostform.run SET dirty = true WHERE id = $1", [run]);
  await on.query(
    "UPDATE hostform.run_account SET state = 'queued' WHERE run = $1 AND account = $2 AND state = 'running'",
    [run, account],
  );
}

/** Returns the accounts of a run whose states say that a job waits or is done, and that have none: somebody deleted it. They are `queued` now. */
export const lostJobs = (on: Connection, run: string) =>
  on.query<Pick<Job, "account" | "owner">>(
    `UPDATE hostform.run_account a SET state = 'queued' WHERE run = $1 AND state IN ('queued', 'running')
       AND NOT EXISTS (SELECT 1 FROM ${queueSchema}.job WHERE data->>'run' = a.run AND data->>'account' = a.account)
     RETURNING account, owner`,
    [run],
  );

/** The findings of a job. */
export interface JobResult extends Pick<RunAccount, "state" | "counts" | "why" | "planHash"> {
  readonly ending: Ending;
  /** The saved plan, as a plan file holds it. */
  readonly plan?: string | undefined;
  /** The plan or the drift as it is printed, with secrets masked: JSON. */
  readonly shown?: string | undefined;
  /** The API that was reached, and where its key came from. */
  readonly reached?: { readonly api: AppliedApi; readonly keySource: string } | undefined;
}

/** Writes the result of a job, and that its run may go on. To be called in the transaction that ends the job. */
export async function writeResult(
  on: Connection,
  { run, account, kind }: { readonly run: string; readonly account: string; readonly kind: RunKind },
  { state, ending, counts, why, planHash, plan, shown, reached }: JobResult,
): Promise<void> {
  // Before the account, as all lock them; and it waits for who reads the accounts of the run now, and would overlook this one.
  await on.query("UPDATE hostform.run SET dirty = true WHERE id = $1", [run]);
  await on.query(
    `UPDATE hostform.run_account SET state = $3, ending = $4, counts = coalesce($5, counts), why = $6,
       plan_hash = coalesce($7, plan_hash), plan = coalesce($8, plan), shown = coalesce($9, shown),
       ended = clock_timestamp()
     WHERE run = $1 AND account = $2`,
    [run, account, state, ending, counts, why, planHash, plan, shown],
  );
  // It was not begun: what is known of the account is as before.
  if (state === "later") return;
  // A check that failed has not seen that what differed is as it was.
  const isAsDeclared = state === "applied" || (kind === "drift" && state === "clean");
  await on.query(
    `INSERT INTO hostform.account AS a
       (fleet, name, owner, grp, state, ending, why, planned, applied, checked, drift_since, plan, drift, drift_hash, api, key_source)
     SELECT r.fleet, c.account, c.owner, c.grp, c.state, c.ending, c.why,
       CASE WHEN $3 = 'plan' THEN clock_timestamp() END, CASE WHEN $3 = 'apply' THEN clock_timestamp() END,
       CASE WHEN $3 = 'drift' THEN clock_timestamp() END, CASE WHEN c.state = 'drifted' THEN clock_timestamp() END,
       CASE WHEN $3 <> 'drift' THEN $1 END, CASE WHEN $3 = 'drift' AND c.shown IS NOT NULL THEN $1 END,
       CASE WHEN c.state = 'drifted' THEN encode(sha256(convert_to(c.shown, 'UTF8')), 'hex') END, $5, $6
     FROM hostform.run_account c JOIN hostform.run r ON r.id = c.run WHERE c.run = $1 AND c.account = $2
     ON CONFLICT (fleet, name) DO UPDATE SET owner = excluded.owner, grp = excluded.grp, state = excluded.state,
       ending = excluded.ending, why = excluded.why,
       planned = coalesce(excluded.planned, a.planned), applied = coalesce(excluded.applied, a.applied),
       checked = coalesce(excluded.checked, a.checked), plan = coalesce(excluded.plan, a.plan),
       drift = coalesce(excluded.drift, a.drift), api = coalesce(excluded.api, a.api),
       key_source = coalesce(excluded.key_source, a.key_source),
       drift_since = CASE WHEN NOT $4 THEN coalesce(a.drift_since, excluded.drift_since) END,
       drift_hash = CASE WHEN NOT $4 THEN coalesce(excluded.drift_hash, a.drift_hash) END,
       drift_posted = CASE WHEN NOT $4 THEN a.drift_posted END`,
    [run, account, kind, isAsDeclared, reached?.api, reached?.keySource],
  );
}

/** Writes that a job failed whose workers ended without a word. */
export const failJob = (on: Connection, job: Job, why: string): Promise<void> =>
  writeResult(on, job, { state: "failed", ending: "failed_in_part", why });

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
