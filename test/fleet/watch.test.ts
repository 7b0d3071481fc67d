import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { FleetStore } from "../../src/fleet/advance-run.ts";
import type { AccountState, Fleet } from "../../src/fleet/model.ts";
import { removeOldRuns, postDrift, momentOf, planWatch, readPeriod } from "../../src/fleet/work/watch.ts";
import { readBoard } from "../../src/fleet/store/read-board.ts";
import { writeResult } from "../../src/fleet/store/job-store.ts";
import { openQueue } from "../../src/postgres/queue.ts";
import type { Database } from "../../src/postgres/connection.ts";
import { forDraws } from "../support/for-draws.ts";
import { newDatabase } from "../support/postgres.ts";

let database: Database;
let store: FleetStore;
beforeEach(async () => {
  database = await newDatabase();
  store = { database, queue: await openQueue(database) };
});
afterEach(() => database.close());

const hour = 3_600_000;
const day = 24 * hour;
const more = { manifests: [], needs: [], variables: {}, owner: "us" };
const names = Array.from({ length: 400 }, (_, index) => `accounts/a${index}`);
const fleet: Fleet = {
  name: "test",
  file: "/none/fleet.yaml",
  accounts: names.map((name) => ({ ...more, name })),
};
const jobs = () =>
  database.query<{ account: string; run: string; at: number; wait: number }>(
    `SELECT data->>'account' AS account, data->>'run' AS run, extract(epoch FROM start_after)::float8 * 1000 AS at,
       extract(epoch FROM start_after - now())::float8 AS wait FROM hostform_queue.job`,
  );

test("a time for --drift is read, and any other text is refused with what is expected", () => {
  expect(["every=5m", "every=6h", "every=1d"].map(readPeriod)).toEqual([300_000, 6 * hour, 24 * hour]);
  for (const given of ["", "6h", "every=", "every=4m", "every=0h", "every=6 h", "every=31d", "every=6s", "every=-6h"])
    expect(() => readPeriod(given), given).toThrow("expected every= with a time from 5m to 30d, found ");
});

test("the moments of accounts are their own, and as many lie in each part of a period", () =>
  forDraws({ numRuns: 20 }, fc.string(), (prefix) => {
    const tenths = new Map<number, number>();
    for (let index = 0; index < 1000; index += 1) {
      const moment = momentOf(`${prefix}${index}`);
      expect(moment).toBe(momentOf(`${prefix}${index}`));
      tenths.set(Math.floor(moment * 10), (tenths.get(Math.floor(moment * 10)) ?? 0) + 1);
    }
    expect([...tenths.keys()].toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(Math.max(...tenths.values())).toBeLessThan(200);
  }));

test("each account is queued once in a period at its moment, however many workers watch", async () => {
  const ids = await Promise.all(["w1", "w2", "w3"].map((by) => planWatch(store, fleet, 30 * day, by)));
  expect(new Set(ids).size).toBe(1);
  await planWatch(store, fleet, 30 * day, "w4");
  const queued = await jobs();
  const accounts = queued.map(({ account }) => account);
  expect(new Set(accounts).size).toBe(accounts.length);
  const begin = Number(ids[0]?.split("-").at(-1)) * 1000;
  for (const job of queued) {
    const moment = begin + momentOf(job.account) * 30 * day;
    expect(job.wait).toBeGreaterThan(0);
    expect(Math.abs(job.at - moment), job.account).toBeLessThan(30_000);
  }
  // Those whose moment has passed have their turn in the next period.
  const [clock] = await database.query<{ now: number }>("SELECT extract(epoch FROM now())::float8 * 1000 AS now");
  const age = (name: string) => (clock?.now ?? 0) - (begin + momentOf(name) * 30 * day);
  expect(accounts.filter((name) => age(name) > 60_000)).toEqual([]);
  expect(names.filter((name) => !accounts.includes(name) && age(name) < 0)).toEqual([]);
});

test("what no worker has checked for hours does not begin at once when one comes back", async () => {
  const id = await planWatch(store, fleet, 30 * day, "w1");
  await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '3 h'");
  expect(await planWatch(store, fleet, 30 * day, "w1")).toBe(id);
  const waits = (await jobs()).map(({ wait }) => wait);
  expect(waits.filter((wait) => wait < 30 * 24 * 36).length).toBeLessThan(1 + waits.length / 10);
  // A queue that is a little late is not put off.
  await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 min'");
  await planWatch(store, fleet, 30 * day, "w1");
  expect((await jobs()).every(({ wait }) => wait < 0)).toBe(true);
});

test("a new period ends the one before, and nobody has to do something about a watch", async () => {
  await planWatch(store, fleet, readPeriod("every=5m"), "w1");
  const id = await planWatch(store, fleet, 30 * day, "w1");
  const states = await database.query<{ id: string; state: string }>(
    "SELECT id, state FROM hostform.run ORDER BY state",
  );
  expect(states).toEqual([
    { id: expect.not.stringMatching(`^${id}$`), state: "cancelled" },
    { id, state: "planning" },
  ]);
  expect(new Set((await jobs()).map(({ run }) => run))).toEqual(new Set([id]));
  expect((await readBoard(database, fleet, fleet.accounts)).runs).toEqual([]);
});

const stored = (id: string, days: number, state = "done", selection = "[]") =>
  database.query(
    `WITH r AS (INSERT INTO hostform.run (id, kind, state, fleet, created_by, options, selection, created)
       VALUES ($1, 'drift', $2, 'test', 'me', '{}', $3, now() - make_interval(days => $4)) RETURNING id)
     INSERT INTO hostform.run_account (run, account, owner, state) SELECT id, a, 'us', 'running' FROM r, unnest(ARRAY['a', 'b']) a`,
    [id, state, selection, days],
  );

test("runs that ended long ago are removed, but neither the last drift of an account nor a run that is open", async () => {
  await stored("old", 91);
  await stored("last", 92);
  await stored("open", 200, "waiting");
  await stored("young", 89);
  await stored("watched", 8, "cancelled", "watch");
  await stored("watched-now", 6, "done", "watch");
  await database.query(
    "INSERT INTO hostform.account (fleet, name, owner, state, drift) VALUES ('test', 'b', 'us', 'drifted', 'last')",
  );
  await removeOldRuns(database);
  const left = await database.query(
    "SELECT run, count(*)::int AS accounts FROM hostform.run_account GROUP BY 1 ORDER BY 1",
  );
  expect(left).toEqual([
    { run: "last", accounts: 1 },
    { run: "open", accounts: 2 },
    { run: "watched-now", accounts: 2 },
    { run: "young", accounts: 2 },
  ]);
  const runs = await database.query<{ id: string }>("SELECT id FROM hostform.run ORDER BY 1");
  expect(runs.map(({ id }) => id)).toEqual(["last", "open", "watched-now", "young"]);
});

test("the board says since when an account has drifted, also after a check that failed", async () => {
  await stored("one", 0);
  const known = { ...fleet, accounts: [{ ...more, name: "a" }] };
  const account = async () => (await readBoard(database, known, known.accounts)).accounts[0];
  const end = (state: AccountState, shown?: string, kind: "drift" | "apply" = "drift") =>
    writeResult(database, { run: "one", account: "a", kind }, { state, ending: "done", shown });
  await end("drifted", "{}");
  await database.query("UPDATE hostform.account SET drift_since = drift_since - interval '2 days'");
  const since = (await account())?.driftSince;
  expect(since).toBeDefined();
  await end("failed");
  expect(await account()).toMatchObject({ state: "failed" });
  expect((await account())?.driftSince).toBeUndefined();
  await end("drifted", "{}");
  expect(await account()).toMatchObject({ state: "drifted", driftSince: since });
  await end("clean");
  expect((await account())?.driftSince).toBeUndefined();
});

test("drift whose notification failed is not taken as posted, and that is a warning", async () => {
  await stored("one", 0);
  await writeResult(
    database,
    { run: "one", account: "a", kind: "drift" },
    { state: "drifted", ending: "changes", shown: "{}" },
  );
  const emitted: string[] = [];
  const io = { env: {}, mask: (text: string) => text, emit: ({ type }: { type: string }) => void emitted.push(type) };
  // Nobody listens there.
  for (let round = 0; round < 2; round += 1) await postDrift(database, "test", new URL("https://127.0.0.1:1/"), io);
  expect(emitted).toEqual(["not_notified", "not_notified"]);
  await postDrift(database, "another", new URL("https://127.0.0.1:1/"), io);
  expect(emitted).toHaveLength(2);
});
