import { hash } from "node:crypto";
import { inputError } from "../../engine/session/input-error.ts";
import { queueName } from "../../postgres/migrate.ts";
import { queueSchema } from "../../postgres/tables.ts";
import { advanceRun, type FleetStore } from "../advance-run.ts";
import type { Fleet, RunOptions } from "../model.ts";
import { newJob } from "../start-run.ts";
import { addRun } from "../store/run-store.ts";

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
  throw inputError(
    "bad_arguments",
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
    for (const each of former)
      await advanceRun(store, each.id, fleet, now, ({ run, accounts }) => ({
        run: { ...run, state: "cancelled" },
        accounts,
      }));
  }
  // Workers that come back do not check all accounts of the hours before at once.
  await database.query(
    `UPDATE ${queueSchema}.job SET start_after = now() + random() * make_interval(secs => $3)
     WHERE name = $1 AND data->>'run' = $2 AND state = 'created' AND start_after < now() - make_interval(secs => $4)`,
    [queueName, id, every / 1000, Math.min(every / 10, shortest) / 1000],
  );
  return id;
}
