import { hash } from "node:crypto";
import { badArguments } from "../../engine/session/input-error.ts";
import { queueName } from "../../postgres/pg-boss.ts";
import { queueSchema } from "../../postgres/tables.ts";
import { advanceRun, type FleetStore } from "../advance-run.ts";
import type { Fleet, RunOptions } from "../model.ts";
import { cancelRun } from "../runs/advance.ts";
import { newJob } from "../start-run.ts";
import { addRun } from "../store/run-store.ts";
import type { Session } from "../../engine/session/host.ts";
import { notify } from "../../engine/session/notify.ts";
import type { Database, Connection } from "../../postgres/connection.ts";

const minute = 60_000;
const units = new Map([
  ["m", minute],
  ["h", 60 * minute],
  ["d", 24 * 60 * minute],
]);
const shortest = 5 * minute;
const longest = 30 * 24 * 60 * minute;

/** The selection of the runs of a watch: no command asks for the same. */
const selection = "watch";
const options: RunOptions = { waves: [], allowDelete: [], allowPurchase: [] };

/** Returns the milliseconds of a text such as `every=6h`. Throws an InputError for any other. */
export function readPeriod(given: string): number {
  const [, count, unit = ""] = /^every=(\d{1,5})([mhd])$/u.exec(given) ?? [];
  const every = Number(count) * (units.get(unit) ?? 0);
  if (every >= shortest && every <= longest) return every;
  throw badArguments(
    `--drift: expected every= with a time from 5m to 30d, found ${given}`,
    "write it as in --drift every=6h; m, h and d are minutes, hours and days",
  );
}

/** Returns the moment of an account in a period, 0 to below 1: the same at all workers, and spread evenly over many accounts. */
export const momentOf = (account: string): number =>
  Number.parseInt(hash("sha256", account).slice(0, 12), 16) / 2 ** 48;

/**
 * Plans the checks for drift of the period that the database's clock is in, once, whoever asks: each account at its own moment. One whose
 * moment was before the first worker began to watch is checked in the next period; and those that no worker has checked at their moment are
 * spread again. Returns the id of the run.
 */
export async function planWatch(store: FleetStore, fleet: Fleet, every: number, by: string): Promise<string> {
  const { database, queue } = store;
  const [clock] = await database.query<{ now: number }>(
    "SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now",
  );
  const now = clock?.now ?? 0;
  const begin = Math.floor(now / every) * every;
  const id = `watch-${hash("sha256", fleet.name).slice(0, 8)}-${begin / 1000}`;
  const [known] = await database.query("SELECT 1 FROM hostform.run WHERE id = $1", [id]);
  if (!known) {
    const due = fleet.accounts.flatMap(({ name, ...account }) => {
      const after = Math.ceil((begin + momentOf(name) * every - now) / 1000);
      return after > 0 ? [{ account: name, ...account, after }] : [];
    });
    await database.transaction(async (on) => {
      const run = { id, kind: "drift", fleet: fleet.name, createdBy: by, options, selection } as const;
      const accounts = due.map(({ account, owner, group, needs }) => ({ account, owner, group, needs }));
      if (!(await addRun(on, run, accounts))) return;
      const jobs = due.map(({ account, owner, after }) => ({
        ...newJob(fleet, { run: id, account, owner, kind: "drift" }),
        after,
      }));
      await queue.enqueue(on, jobs);
    });
    const former = await database.query<{ id: string }>(
      "SELECT id FROM hostform.run WHERE fleet = $1 AND selection = $2 AND state = 'planning' AND id <> $3",
      [fleet.name, selection, id],
    );
    for (const each of former) await advanceRun(store, each.id, fleet, now, cancelRun);
  }
  // Workers that come back do not check all accounts of the hours before at once.
  await database.query(
    `UPDATE ${queueSchema}.job SET start_after = now() + random() * make_interval(secs => $3)
     WHERE name = $1 AND data->>'run' = $2 AND state = 'created' AND start_after < now() - make_interval(secs => $4)`,
    [queueName, id, every / 1000, Math.min(every / 10, shortest) / 1000],
  );
  return id;
}

/** Any number that no other program locks: one worker posts at a time. */
const postLock = 7_081_426_003;

/**
 * Posts how many accounts of a fleet have drifted of which that was not posted: one that is clean again begins anew. Where it fails, that is
 * a warning, and the next call posts them.
 */
export async function postDrift(
  database: Database,
  fleet: string,
  url: URL,
  io: Pick<Session, "env" | "mask" | "emit">,
): Promise<void> {
  await database.transaction(async (on) => {
    const [turn] = await on.query<{ mine: boolean }>("SELECT pg_try_advisory_xact_lock($1) AS mine", [postLock]);
    if (turn?.mine !== true) return;
    const fresh = await on.query<{ name: string; drift_hash: string }>(
      "SELECT name, drift_hash FROM hostform.account WHERE fleet = $1 AND drift_hash IS DISTINCT FROM drift_posted AND drift_hash IS NOT NULL",
      [fleet],
    );
    if (fresh.length === 0) return;
    let isPosted = true;
    const emit: Session["emit"] = (event) => {
      isPosted = event.type !== "not_notified";
      io.emit(event);
    };
    const counts = { drifted_accounts: fresh.length };
    await notify(url, { command: "drift", ending: "changes", counts, hash: undefined }, { ...io, emit });
    if (!isPosted) return;
    await on.query(
      `UPDATE hostform.account a SET drift_posted = t.drift_hash FROM jsonb_to_recordset($2) AS t(name text, drift_hash text)
       WHERE a.fleet = $1 AND a.name = t.name`,
      [fleet, JSON.stringify(fresh)],
    );
  });
}

/** Days that an ended run is kept; one of a watch, of which there are several a day. */
const kept = 90;
const keptOfWatch = 7;
/** Rows at once: a statement ends before its time is up, and the next one goes on. */
const atOnce = 5_000;

const old = `r.state IN ('done', 'cancelled')
  AND r.created < now() - make_interval(days => CASE WHEN r.selection = '${selection}' THEN ${keptOfWatch} ELSE ${kept} END)`;

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
