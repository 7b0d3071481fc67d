import { afterEach, beforeEach, expect, test } from "vitest";
import { advanceAll, advanceRun, type FleetStore } from "../../src/fleet/advance-run.ts";
import type { Account, Fleet, RunOptions } from "../../src/fleet/model.ts";
import { continueRun } from "../../src/fleet/runs/advance.ts";
import { readJob, writeResult } from "../../src/fleet/store/job-store.ts";
import { addRun, readRun } from "../../src/fleet/store/run-store.ts";
import { openQueue, type Claim } from "../../src/postgres/queue.ts";
import type { Database } from "../../src/postgres/connection.ts";
import { newDatabase } from "../support/postgres.ts";

let database: Database;
let store: FleetStore;
beforeEach(async () => {
  database = await newDatabase();
  // A deadlock is found soon, and is an error of a statement.
  await database.query(
    "DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET deadlock_timeout = 100', current_database()); END$$",
  );
  store = { database, queue: await openQueue(database) };
});
afterEach(() => database.close());

const names = Array.from({ length: 24 }, (_, index) => `a${String(index).padStart(2, "0")}`);
const account = (name: string): Account => ({
  name,
  owner: name,
  manifests: [],
  needs: [],
  variables: {},
});
const fleet: Fleet = { name: "test", file: "/none/fleet.yaml", accounts: names.map(account) };
const options: RunOptions = { waves: [], allowDelete: [], allowPurchase: [] };

/** A run whose accounts all have a plan that is approved. */
async function addApply(id: string) {
  const run = { id, kind: "apply", fleet: fleet.name, createdBy: "me", options, selection: id } as const;
  await addRun(
    database,
    run,
    names.map((name) => ({ account: name, owner: name, needs: [] })),
  );
  await database.query("UPDATE hostform.run_account SET state = 'changed', wave = 0 WHERE run = $1", [id]);
  await database.query("UPDATE hostform.run SET state = 'applying' WHERE id = $1", [id]);
}

async function finish(claim: Claim) {
  const task = await readJob(database, claim.job);
  await store.queue.finish(claim, async (on) => {
    if (task) await writeResult(on, { ...claim.job, kind: "apply" }, { state: "applied", ending: "done" });
  });
}

test("workers, and people who stop runs and let them go on, never wait for each other in a circle", async () => {
  const ids = ["r1", "r2", "r3"];
  for (const id of ids) await addApply(id);
  for (const id of ids) await advanceRun(store, id, fleet, 0);
  const left = async () =>
    (
      await database.query(
        "SELECT 1 FROM hostform.run_account WHERE state <> 'applied' UNION ALL SELECT 1 FROM hostform_queue.job",
      )
    ).length > 0;
  const worker = async (name: string) => {
    for (let round = 0; await left(); round += 1) {
      // The time passes in which a job that was given back waits.
      if (name === "w1")
        await database.query("UPDATE hostform_queue.job SET start_after = now() WHERE start_after > now()");
      const claims = await store.queue.claim(name, 6);
      await Promise.all(
        claims.map((claim, index) =>
          (round + index) % 3 === 0 ? store.queue.giveBack(claim, 0, "another checkout") : finish(claim),
        ),
      );
    }
  };
  const person = async (id: string) => {
    for (let round = 0; round < 10; round += 1) {
      await advanceRun(store, id, fleet, 0, (status) => ({
        ...status,
        run: {
          ...status.run,
          state: "stopped",
          stopped: { wave: 0, accounts: 1, failed: [], notConverged: [], unlike: [] },
        },
      }));
      await advanceRun(store, id, fleet, 0, (status) => ({ ...status, run: continueRun(status.run) }));
    }
  };
  await Promise.all([...["w1", "w2", "w3"].map(worker), ...ids.map(person)]);
  // What is left follows without a look that nobody takes.
  await advanceAll(store, fleet, 0);
  const runs = await Promise.all(ids.map((id) => readRun(database, id)));
  expect(runs.map((status) => status?.run.state)).toEqual(["done", "done", "done"]);
  expect(await database.query("SELECT 1 FROM hostform_queue.job")).toEqual([]);
}, 60_000);

test("a result that comes while its run is advanced is not overlooked", async () => {
  await addApply("r4");
  await advanceRun(store, "r4", fleet, 0);
  const [first, second] = await store.queue.claim("w1", 2);
  if (!first || !second) throw new Error("nothing was queued");
  await finish(first);
  let finishing: Promise<unknown> = Promise.resolve();
  await database.transaction(async (on) => {
    await readRun(on, "r4", true);
    const isOver = new AbortController();
    finishing = finish(second).finally(() => isOver.abort());
    const waits = () => database.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    while (!isOver.signal.aborted && (await waits()).length === 0);
    await on.query("UPDATE hostform.run SET dirty = false WHERE id = 'r4'");
  });
  await finishing;
  expect(await database.query("SELECT dirty FROM hostform.run WHERE id = 'r4'")).toEqual([{ dirty: true }]);
});

test("a run that was cancelled while a worker had a job of it ends, also where the job is given back", async () => {
  await addApply("r5");
  await advanceRun(store, "r5", fleet, 0);
  const [claim] = await store.queue.claim("w1", 1);
  if (!claim) throw new Error("nothing was queued");
  await advanceRun(store, "r5", fleet, 0, ({ run, accounts }) => ({ run: { ...run, state: "cancelled" }, accounts }));
  await store.queue.giveBack(claim, 0, "another checkout");
  await advanceAll(store, fleet, 0);
  const states = await database.query("SELECT DISTINCT state FROM hostform.run_account WHERE run = 'r5'");
  expect([states, await store.queue.claim("w2", 5)]).toEqual([[{ state: "cancelled" }], []]);
});
