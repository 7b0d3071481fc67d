import type { Database } from "../postgres/connection.ts";
import type { Queue } from "../postgres/queue.ts";
import { describeShut, isOpen } from "./file/window.ts";
import type { Account, Fleet } from "./model.ts";
import { advance, type RunStatus, type Shut } from "./runs/advance.ts";
import { newJob } from "./start-run.ts";
import { lostJobs } from "./store/job-store.ts";
import { readRun, writeChanges } from "./store/run-store.ts";

/** The places of a fleet's runs. */
export interface FleetStore {
  readonly database: Database;
  readonly queue: Queue;
}

/**
 * Makes a change of a person to a run, if one is given, and all that follows. Returns the run; undefined where the database does not have it.
 * @param isQuiet nobody has done anything for some time: jobs that somebody deleted are queued again.
 */
export async function advanceRun(
  { database, queue }: FleetStore,
  id: string,
  fleet: Fleet,
  now: number,
  change: (status: RunStatus) => RunStatus = (status) => status,
  isQuiet = false,
): Promise<RunStatus | undefined> {
  return database.transaction(async (on) => {
    const before = await readRun(on, id, true);
    if (!before) return undefined;
    const lost = isQuiet ? await lostJobs(on, id) : [];
    const after = advance(change(before), shutWindows(fleet.accounts, now));
    await writeChanges(on, before, after);
    const was = new Map(before.accounts.map((account) => [account.account, account.state]));
    const changed = (isQueued: boolean) =>
      after.accounts.filter(
        ({ account, state }) => (state === "queued") === isQueued && (was.get(account) === "queued") !== isQueued,
      );
    const withdrawn = changed(false).flatMap(({ account, state }) => (state === "running" ? [] : account));
    await queue.withdraw(on, id, withdrawn);
    const kind = after.run.kind === "drift" ? "drift" : after.run.state === "planning" ? "plan" : "apply";
    await queue.enqueue(
      on,
      [...lost, ...changed(true)].map(({ account, owner }) => newJob(fleet, { run: id, account, owner, kind })),
    );
    await on.query("UPDATE hostform.run SET dirty = false WHERE id = $1 AND dirty", [id]);
    // A worker may have taken a job meanwhile: then its account is as that worker says.
    return after === before ? after : readRun(on, id);
  });
}

/** Advances all runs of a fleet in which something has happened, or may have, since a window opened. */
export async function advanceAll(store: FleetStore, fleet: Fleet, now: number): Promise<void> {
  const rows = await store.database.query<{ id: string }>(
    `SELECT id FROM hostform.run r WHERE fleet = $1 AND (dirty OR state = 'applying' AND EXISTS (
       SELECT 1 FROM hostform.run_account WHERE run = r.id AND state = 'later'))`,
    [fleet.name],
  );
  for (const { id } of rows) await advanceRun(store, id, fleet, now);
}

function shutWindows(accounts: readonly Account[], now: number): Shut {
  return new Map(
    accounts.flatMap(({ name, window }) =>
      window === undefined || isOpen(window, now) ? [] : [[name, describeShut(window, now)]],
    ),
  );
}
