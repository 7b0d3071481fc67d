import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { advanceRun, type FleetStore } from "../../src/fleet/advance-run.ts";
import type { AccountState, Fleet, RunKind } from "../../src/fleet/model.ts";
import { failJob, writeResult } from "../../src/fleet/store/job-store.ts";
import { removeOldRuns } from "../../src/fleet/work/watch.ts";
import { readBoard, readDetails } from "../../src/fleet/store/read-board.ts";
import { addRun } from "../../src/fleet/store/run-store.ts";
import { openQueue } from "../../src/postgres/queue.ts";
import { newDatabase } from "../support/postgres.ts";

let store: FleetStore;
beforeAll(async () => {
  const database = await newDatabase();
  store = { database, queue: await openQueue(database) };
});
afterAll(() => store.database.close());

const more = { manifests: [], variables: {}, owner: "us" };

/** A fleet of the account `a`, and of `b`, which needs it; each test has one of its own. */
function fleetOf(name: string) {
  const { database } = store;
  const accounts = [
    { ...more, name: "a", needs: [] },
    { ...more, name: "b", needs: ["a"] },
  ];
  const fleet: Fleet = { name, file: "/none/fleet.yaml", accounts };
  let count = 0;
  const on = (id: string, change: Parameters<typeof advanceRun>[4]) => advanceRun(store, id, fleet, 0, change);
  const approve = (id: string) =>
    on(id, (status) => ({
      ...status,
      run: { ...status.run, approved: { hash: status.run.hash ?? "", by: "me" } },
    }));
  return {
    begin: async (kind: RunKind, from?: string) => {
      count += 1;
      const id = `${name}-${count}`;
      const options = { waves: [], stopAt: 0, allowDelete: [], allowPurchase: [] };
      const run = { id, kind, fleet: name, createdBy: "me", options, selection: "[]" };
      const given = accounts.map((account) => ({ account: account.name, owner: "us", needs: account.needs }));
      await addRun(database, run, given, from);
      return id;
    },
    /** Ends the jobs of accounts in a run. */
    end: async (run: string, kind: RunKind, ends: Readonly<Record<string, AccountState>>) => {
      for (const [account, state] of Object.entries(ends)) {
        const result = {
          state,
          ending: "done",
          why: `${kind} ${state}`,
          ...(kind !== "apply" && { shown: JSON.stringify({ shown: `${run} ${account}` }) }),
          ...(kind === "plan" && state === "changed" && { planHash: account, plan: "{}" }),
        } as const;
        await database.transaction((connection) => writeResult(connection, { run, account, kind }, result));
      }
      await on(run, undefined);
    },
    approve,
    cancel: (id: string) => on(id, (status) => ({ ...status, run: { ...status.run, state: "cancelled" } })),
    states: async () => {
      const { accounts: found, runs } = await readBoard(database, fleet, accounts);
      return [found.map(({ state }) => state).join(), runs.map(({ id, state }) => `${id} ${state}`).join()];
    },
    /** The open runs of the fleet, without an account that fleet.yaml does not have any more. */
    open: async (gone?: string) => {
      const rest = accounts.filter((account) => account.name !== gone);
      const { runs } = await readBoard(database, { ...fleet, accounts: rest }, rest);
      return runs.map(({ id, state, accounts: count }) => ({ id, state, accounts: count }));
    },
    why: async () => (await readBoard(database, fleet, accounts)).accounts.map(({ why }) => why),
    details: () => readDetails(database, name, ["b", "none", "a"]),
  };
}

test("an account that was only planned waits for approval, and its run is named, until somebody approves it", async () => {
  const { begin, end, approve, states } = fleetOf("planned");
  expect(await states()).toEqual(["never,never", ""]);
  const first = await begin("plan");
  await end(first, "plan", { a: "changed" });
  expect(await states()).toEqual(["never,never", `${first} planning`]);
  await end(first, "plan", { b: "clean" });
  expect(await states()).toEqual(["waiting,clean", `${first} waiting`]);
  const second = await begin("plan");
  await end(second, "plan", { a: "changed", b: "changed" });
  expect(await states()).toEqual(["waiting,waiting", `${second} waiting`]);
  await approve(second);
  expect(await states()).toEqual(["never,never", ""]);
});

test("an account that waits, or whose apply failed, does so also after a check for drift", async () => {
  const { begin, end, approve, states, why } = fleetOf("drifted");
  const run = await begin("apply");
  await end(run, "plan", { a: "changed", b: "changed" });
  const check = async (a: AccountState, b: AccountState) => end(await begin("drift"), "drift", { a, b });
  await check("clean", "drifted");
  expect(await states()).toEqual(["waiting,waiting", `${run} waiting`]);
  await check("failed", "refused");
  expect([await states(), await why()]).toEqual([
    ["failed,refused", `${run} waiting`],
    ["drift failed", "drift refused"],
  ]);
  await check("clean", "clean");
  await approve(run);
  await end(run, "apply", { a: "applied" });
  await end(run, "apply", { b: "not_converged" });
  await check("drifted", "clean");
  expect([await states(), await why()]).toEqual([
    ["drifted,not_converged", `${run} stopped`],
    ["apply applied", "apply not_converged"],
  ]);
});

test("an apply that ends after a newer plan is the state of its account, and the newest of its history", async () => {
  const { begin, end, approve, states, why, details } = fleetOf("overtaken");
  const run = await begin("apply");
  await end(run, "plan", { a: "changed", b: "changed" });
  const newer = await begin("plan");
  await end(newer, "plan", { a: "changed", b: "changed" });
  await approve(run);
  await end(run, "apply", { a: "applied" });
  await end(run, "apply", { b: "failed" });
  expect([await states(), await why()]).toEqual([
    ["applied,failed", `${run} stopped`],
    ["apply applied", "apply failed"],
  ]);
  const [b] = await details();
  expect(b?.history.map((entry) => [entry.run, entry.state])).toEqual([
    [run, "failed"],
    [newer, "changed"],
  ]);
});

test("a run of plans waits for the accounts that fleet.yaml has, and for no others", async () => {
  const { begin, end, open } = fleetOf("gone");
  const run = await begin("plan");
  await end(run, "plan", { a: "changed", b: "changed" });
  const newer = await begin("plan");
  await end(newer, "plan", { a: "changed" });
  expect(await open()).toEqual([
    { id: newer, state: "planning", accounts: 2 },
    { id: run, state: "waiting", accounts: 1 },
  ]);
  expect(await open("b")).toEqual([{ id: newer, state: "planning", accounts: 2 }]);
});

/** Lets five workers in a row end without a word while they have the job of an account. */
async function killWorkers(run: string, account: string) {
  const { database, queue } = store;
  for (let death = 0; death < 5; death += 1) {
    await queue.claim("w", 100);
    await database.query(
      `UPDATE hostform.lease SET until = clock_timestamp() WHERE job IN (
         SELECT id FROM hostform_queue.job WHERE data->>'run' = $1 AND data->>'account' = $2)`,
      [run, account],
    );
    await queue.sweep(failJob, 0);
  }
}

test.each(["plan", "drift"] as const)(
  "an account whose workers ended during a %s, one after the other, is failed",
  async (kind) => {
    const { begin, end, states, why } = fleetOf(`killed-${kind}`);
    const first = await begin("plan");
    await end(first, "plan", { a: "clean", b: "clean" });
    const run = await begin(kind);
    const job = { id: randomUUID(), run, account: "a", owner: "us", kind, target: `killed-${kind}/a` };
    await store.queue.enqueue(store.database, [job]);
    await killWorkers(run, "a");
    await end(run, kind, { b: "clean" });
    expect((await states())[0]).toBe("failed,clean");
    expect((await why())[0]).toContain("5 workers ended");
  },
);

test("an apply whose workers ended, one after the other, leaves of its account what one that failed leaves", async () => {
  const left = async (name: string, fail: (run: string, own: ReturnType<typeof fleetOf>) => Promise<void>) => {
    const own = fleetOf(name);
    const run = await own.begin("apply");
    await own.end(run, "plan", { a: "changed", b: "clean" });
    await own.approve(run);
    await fail(run, own);
    const failed = await own.states();
    await own.cancel(run);
    const next = await own.begin("plan");
    await own.end(next, "plan", { a: "changed", b: "clean" });
    await own.cancel(next);
    return [failed[0], await own.states()];
  };
  const failing = await left("failing", (run, { end }) => end(run, "apply", { a: "failed" }));
  const killed = await left("killing", (run) => killWorkers(run, "a"));
  expect(killed).toEqual(failing);
  expect(killed).toEqual(["failed,clean", ["changed,clean", ""]]);
});

test("an account that another one blocks, or that a person cancelled, says so", async () => {
  const { begin, end, approve, cancel, states, why } = fleetOf("blocked");
  const planned = await begin("plan");
  await end(planned, "plan", { a: "changed", b: "changed" });
  await approve(planned);
  const run = await begin("apply", planned);
  expect(await states()).toEqual(["never,never", ""]);
  await approve(run);
  await end(run, "apply", { a: "failed" });
  await cancel(run);
  expect([await states(), await why()]).toEqual([
    ["failed,blocked", ""],
    ["apply failed", "it needs a, which was not applied"],
  ]);
  const next = await begin("apply");
  await end(next, "plan", { a: "changed", b: "changed" });
  await approve(next);
  await end(next, "apply", { a: "applied" });
  await end(next, "apply", { b: "applied" });
  const last = await begin("apply");
  await end(last, "plan", { a: "changed", b: "changed" });
  await cancel(last);
  expect(await states()).toEqual(["cancelled,cancelled", ""]);
});

test("a run that waits for workers is named with the accounts that are not done, but no check for drift is", async () => {
  const { begin, end, approve, open } = fleetOf("under-way");
  await begin("drift");
  const run = await begin("apply");
  expect(await open()).toEqual([{ id: run, state: "planning", accounts: 2 }]);
  await end(run, "plan", { a: "changed" });
  expect(await open()).toEqual([{ id: run, state: "planning", accounts: 2 }]);
  await end(run, "plan", { b: "changed" });
  await approve(run);
  await end(run, "apply", { a: "applied" });
  expect(await open()).toEqual([{ id: run, state: "applying", accounts: 1 }]);
});

test("the state, the last plan and the history of an account stay when its plan was made by an older run", async () => {
  const { begin, end, approve, states, details } = fleetOf("old");
  const planned = await begin("plan");
  await end(planned, "plan", { a: "changed", b: "changed" });
  await approve(planned);
  const run = await begin("apply", planned);
  await approve(run);
  await end(run, "apply", { a: "applied" });
  await end(run, "apply", { b: "applied" });
  const [b, none, a] = await details();
  expect([b, a].map((each) => [each?.plan, each?.history.map((entry) => [entry.run, entry.state])])).toEqual(
    ["b", "a"].map((name) => [
      JSON.stringify({ shown: `${planned} ${name}` }),
      [
        [run, "applied"],
        [planned, "changed"],
      ],
    ]),
  );
  expect(none).toEqual({ history: [] });
  await store.database.query("UPDATE hostform.run SET created = created - interval '100 days' WHERE fleet = 'old'");
  await removeOldRuns(store.database);
  expect(await states()).toEqual(["applied,applied", ""]);
  const [left] = await details();
  const plan = JSON.stringify({ shown: `${planned} b` });
  expect([left?.plan, left?.history.map((entry) => entry.run)]).toEqual([plan, [run]]);
});
