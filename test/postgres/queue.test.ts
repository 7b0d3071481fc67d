import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { failJob } from "../../src/fleet/store/job-store.ts";
import type { Database } from "../../src/postgres/connection.ts";
import { openQueue, type Claim, type Job, type JobKind, type Queue } from "../../src/postgres/queue.ts";
import { forDraws } from "../support/for-draws.ts";
import { newDatabase } from "../support/postgres.ts";

let database: Database;
let queue: Queue;
beforeAll(async () => {
  database = await newDatabase();
  await database.query("CREATE TABLE done (id uuid)");
  queue = await openQueue(database);
});
beforeEach(() =>
  database.query("TRUNCATE done, hostform.lease, hostform.run, hostform.run_account, hostform_queue.job"),
);
afterAll(() => database.close());

const jobOf = (account: string, kind: JobKind = "plan", owner = account, run = "r1"): Job => ({
  id: randomUUID(),
  kind,
  run,
  account,
  owner,
  target: `target of ${account}`,
});

const enqueue = (jobs: readonly Job[]) => database.transaction((connection) => queue.enqueue(connection, jobs));
const finish = (claim: Claim) =>
  queue.finish(claim, ({ query }) => query("INSERT INTO done VALUES ($1)", [claim.job.id]));
/** The time that passes while nobody renews these leases. */
const expire = (claims: readonly Claim[]) =>
  database.query("UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s' WHERE token = ANY($1)", [
    claims.map(({ token }) => token),
  ]);
const idsOf = (jobs: readonly Job[]) => jobs.map(({ id }) => id).toSorted();
const accountsOf = (claims: readonly Claim[]) => claims.map(({ job }) => job.account);
const sweep = () => queue.sweep(failJob, 0);

/** A run with these accounts, as the command that creates it stores them. */
async function storeRun(accounts: readonly string[]): Promise<void> {
  await database.query(
    "INSERT INTO hostform.run (id, kind, state, fleet, created_by, options) VALUES ('r1', 'plan', 'planning', 'f', 'me', '{}')",
  );
  for (const account of accounts)
    await database.query(
      "INSERT INTO hostform.run_account (run, account, owner, state) VALUES ('r1', $1, $1, 'queued')",
      [account],
    );
}
const stateOf = async (account: string) =>
  (await database.query("SELECT state, why, attempts FROM hostform.run_account WHERE account = $1", [account]))[0];

/** What can happen to a queue; the number chooses a claim or a job. */
type Event = readonly [
  "claim" | "finish" | "stale" | "give back" | "die" | "sweep" | "claim at once" | "renew",
  number,
];

test("every job ends exactly once, whatever happens to its workers", async () => {
  const event = fc.tuple(
    fc.constantFrom("claim", "finish", "stale", "give back", "die", "sweep", "claim at once", "renew"),
    fc.nat(20),
  ) as fc.Arbitrary<Event>;
  await forDraws(
    { numRuns: process.env["HOSTFORM_SOAK"] === "1" ? 300 : 20 },
    fc.array(event, { maxLength: 30 }),
    fc.integer({ min: 1, max: 6 }),
    async (events, accounts) => {
      await database.query("DELETE FROM done; DELETE FROM hostform.lease; DELETE FROM hostform_queue.job");
      // Two jobs for some of the targets.
      const jobs = Array.from({ length: accounts + 2 }, (_, index) => jobOf(`a${index % accounts}`));
      await enqueue(jobs);
      const failed: Job[] = [];
      let held: Claim[] = [];
      let lost: Claim[] = [];
      const pick = (from: readonly Claim[], index: number) => from[index % Math.max(1, from.length)];
      const drop = (claim: Claim) => {
        held = held.filter((each) => each !== claim);
      };
      const take = async (workers: readonly string[], most: number) => {
        const taken = (await Promise.all(workers.map((worker) => queue.claim(worker, most)))).flat();
        held.push(...taken);
        const targets = held.map(({ job }) => job.target);
        expect(new Set(targets).size).toBe(targets.length);
      };
      const one = async ([what, index]: Event) => {
        const mine = pick(held, index);
        const stale = pick(lost, index);
        if (what === "claim") await take(["w1"], 1 + (index % 3));
        if (what === "claim at once") await take(["w1", "w2"], 1 + (index % 3));
        if (what === "renew") expect(await Promise.all(held.map(queue.renew))).toEqual(held.map(() => true));
        if (what === "stale" && stale) {
          expect(await finish(stale)).toBe(false);
          expect(await queue.giveBack(stale, 0, "stale")).toBe(false);
          expect(await queue.renew(stale)).toBe(false);
        }
        if (what === "finish" && mine) {
          expect(await finish(mine)).toBe(true);
          drop(mine);
          lost.push(mine);
        }
        if (what === "give back" && mine) {
          expect(await queue.giveBack(mine, 0, "another checkout")).toBe(true);
          drop(mine);
          lost.push(mine);
        }
        if (what === "die" && mine) {
          await expire([mine]);
          // Nobody takes it before the sweep, and its own worker may still come back.
          drop(mine);
          const swept = await sweep();
          failed.push(...swept.failed);
          expect(idsOf([...swept.again, ...swept.failed])).toEqual([mine.job.id]);
          lost.push(mine);
        }
        if (what === "sweep") expect(await sweep()).toEqual({ again: [], failed: [] });
        // Jobs that found their target held may run at once, as seconds later.
        await database.query(
          "UPDATE hostform_queue.job SET start_after = now() - interval '1 s' WHERE state < 'active'",
        );
      };
      for (const each of events) await one(each);
      for (let turn = 0; turn <= jobs.length; turn += 1) {
        await one(["claim at once", 2]);
        while (held.length > 0) await one(["finish", 0]);
      }
      const done = await database.query<{ id: string }>("SELECT id FROM done");
      expect([...done.map(({ id }) => id), ...idsOf(failed)].toSorted()).toEqual(idsOf(jobs));
      expect(await database.query("SELECT 1 FROM hostform.lease UNION ALL SELECT 1 FROM hostform_queue.job")).toEqual(
        [],
      );
    },
  );
});

test("a worker whose job another has by now neither ends it, nor gives it back, nor renews its lease", async () => {
  await enqueue([jobOf("a")]);
  const [stale] = await queue.claim("w1", 1);
  await expire(stale ? [stale] : []);
  await sweep();
  const [claim] = await queue.claim("w2", 1);
  if (!stale || !claim) throw new Error("no job");
  expect(await finish(stale)).toBe(false);
  expect(await queue.giveBack(stale, 0, "stale")).toBe(false);
  expect(await queue.renew(stale)).toBe(false);
  expect(await database.query("SELECT 1 FROM done")).toEqual([]);
  expect(await finish(claim)).toBe(true);
});

test("a second job of a target whose worker ended waits until the first is queued again, which is not lost", async () => {
  await enqueue([jobOf("a"), jobOf("a")]);
  const dead = await queue.claim("w1", 1);
  await expire(dead);
  expect(await queue.claim("w2", 1)).toEqual([]);
  expect((await sweep()).again).toEqual(dead.map(({ job }) => job));
  await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 s'");
  for (let turn = 0; turn < 2; turn += 1) {
    for (const claim of await queue.claim("w2", 1)) expect(await finish(claim)).toBe(true);
    await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 s'");
  }
  expect(await database.query("SELECT 1 FROM done")).toHaveLength(2);
});

test("what a worker stores with the end of a job is stored only with it", async () => {
  await enqueue([jobOf("a")]);
  const [claim] = await queue.claim("w", 1);
  if (!claim) throw new Error("no job");
  const failing = queue.finish(claim, async ({ query }) => {
    await query("INSERT INTO done VALUES ($1)", [claim.job.id]);
    throw new Error("disk full");
  });
  await expect(failing).rejects.toThrow("disk full");
  expect(await database.query("SELECT 1 FROM done")).toEqual([]);
  expect(await finish(claim)).toBe(true);
});

test("a job that is alive is never swept, also after a day, and its worker may renew its lease late", async () => {
  await enqueue([jobOf("a")]);
  const claims = await queue.claim("w", 1);
  await database.query(
    "UPDATE hostform_queue.job SET started_on = now() - interval '3 days', created_on = now() - interval '30 days'",
  );
  expect(await sweep()).toEqual({ again: [], failed: [] });
  // pg-boss would end it by its age, if anybody ran its maintenance.
  expect(
    await database.query("SELECT 1 FROM hostform_queue.job WHERE started_on + expire_in < now() OR keep_until < now()"),
  ).toEqual([]);
  await expire(claims);
  expect(await Promise.all(claims.map(queue.renew))).toEqual([true]);
  expect(await sweep()).toEqual({ again: [], failed: [] });
});

test("after a start of the server nothing is swept until its workers had time to renew their leases", async () => {
  await enqueue([jobOf("a")]);
  await expire(await queue.claim("w", 1));
  expect(await queue.sweep(failJob, 1_000_000)).toEqual({ again: [], failed: [] });
  expect((await sweep()).again).toHaveLength(1);
});

test("a job that somebody deleted while a worker does it ends with what the worker stores", async () => {
  await enqueue([jobOf("a")]);
  const [claim] = await queue.claim("w", 1);
  await database.query("DELETE FROM hostform_queue.job");
  expect(claim && (await finish(claim))).toBe(true);
  expect(await database.query("SELECT 1 FROM done")).toHaveLength(1);
});

test("a job whose lease somebody deleted is queued again once its worker has had the time of a lease to end", async () => {
  await enqueue([jobOf("a")]);
  await queue.claim("w", 1);
  await database.query("DELETE FROM hostform.lease");
  expect(await sweep()).toEqual({ again: [], failed: [] });
  expect(await queue.claim("w", 1)).toEqual([]);
  await database.query("UPDATE hostform.lease SET until = clock_timestamp() - interval '1 s'");
  expect((await sweep()).again).toHaveLength(1);
  expect(await queue.claim("w", 1)).toHaveLength(1);
});

test("a target that an apply by hand holds is left to it until its time has passed", async () => {
  const job = jobOf("a");
  await database.query(
    "INSERT INTO hostform.lease (target, version, content, until) VALUES ($1, 'v1', 'held', clock_timestamp() + interval '1 h')",
    [job.target],
  );
  await enqueue([job]);
  expect(await queue.claim("w", 1)).toEqual([]);
  await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 s'");
  await database.query("UPDATE hostform.lease SET until = clock_timestamp()");
  expect(await queue.claim("w", 1)).toMatchObject([{ job, attempt: 1 }]);
  expect(await database.query("SELECT content, job FROM hostform.lease")).toEqual([{ content: null, job: job.id }]);
});

test("a job whose workers end without a word is failed after the fifth, and the state of its account says so", async () => {
  await storeRun(["a"]);
  await enqueue([jobOf("a")]);
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const claims = await queue.claim("w", 1);
    expect(claims).toMatchObject([{ attempt }]);
    expect(await stateOf("a")).toMatchObject({ state: "running", attempts: attempt });
    await expire(claims);
    const { again, failed } = await sweep();
    expect([again.length, failed.length]).toEqual(attempt < 5 ? [1, 0] : [0, 1]);
  }
  expect(await stateOf("a")).toMatchObject({
    state: "failed",
    why: expect.stringContaining("5 workers ended") as string,
  });
  expect(await queue.claim("w", 1)).toEqual([]);
});

test("a job that is given back shows why, and does not count as an attempt", async () => {
  await storeRun(["a"]);
  await enqueue([jobOf("a")]);
  for (let time = 0; time < 7; time += 1) {
    const [claim] = await queue.claim("w", 1);
    expect(claim).toMatchObject({ attempt: 1 });
    if (claim) await queue.giveBack(claim, 0, "another checkout");
    await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 s'");
  }
  expect(await stateOf("a")).toMatchObject({ state: "queued", why: "another checkout" });
});

test("an interrupted apply goes before applies, those before plans, and plans before drift checks", async () => {
  await enqueue([jobOf("a", "apply")]);
  const dead = await queue.claim("w", 1);
  await enqueue([jobOf("d", "drift"), jobOf("p", "plan"), jobOf("b", "apply")]);
  await expire(dead);
  await sweep();
  const order: string[] = [];
  for (let turn = 0; turn < 4; turn += 1) order.push(...accountsOf(await queue.claim("w", 1)));
  expect(order).toEqual(["a", "b", "p", "d"]);
});

test("an owner of ten accounts behind nine hundred of another is done within twice its time alone", async () => {
  const many = (owner: string, count: number) =>
    Array.from({ length: count }, (_, index) => jobOf(`${owner}${index}`, "plan", owner));
  await enqueue(many("big", 900));
  // Also one that comes when the other has been served for a while, and once more.
  for (const owner of ["small", "late"]) {
    for (let turn = 0; turn < 5; turn += 1) await queue.claim("w", 10);
    await enqueue(many(owner, 5));
    await enqueue(many(owner, 15).slice(5));
    const next: string[] = [];
    for (let turn = 0; turn < 20; turn += 1) next.push(...accountsOf(await queue.claim("w", 1)));
    expect(next.filter((account) => account.startsWith(owner)).length).toBeGreaterThanOrEqual(10);
    // Nor does it go before the other, which waited first.
    expect(next.slice(0, 10).filter((account) => account.startsWith("big")).length).toBeGreaterThanOrEqual(4);
    while ((await queue.claim("w", 1)).some(({ job }) => job.owner === owner));
  }
});

test("an account that is withdrawn loses the job that waits, and not one that a worker has", async () => {
  await storeRun(["a", "b"]);
  await enqueue([jobOf("a"), jobOf("b")]);
  const [claim] = await queue.claim("w", 1);
  await enqueue([jobOf("c", "plan", "c", "r2")]);
  expect(await database.transaction((connection) => queue.withdraw(connection, "r1", ["a", "b", "c"]))).toBe(1);
  expect(accountsOf(await queue.claim("w", 5))).toEqual(["c"]);
  expect(claim && (await finish(claim))).toBe(true);
});

test("a job that begins later waits until then, and one of the same id is not queued twice", async () => {
  const job = jobOf("a");
  await enqueue([{ ...job, after: 3600 }]);
  await enqueue([job]);
  expect(await queue.claim("w", 5)).toEqual([]);
  await database.query("UPDATE hostform_queue.job SET start_after = now() - interval '1 s'");
  expect(await queue.claim("w", 5)).toMatchObject([{ job }]);
  expect(await queue.claim("w", 5)).toEqual([]);
});

test("a claim without some APIs takes the next jobs of accounts that were last at another", async () => {
  const at = async (name: string, base: string | undefined) =>
    database.query(
      "INSERT INTO hostform.account (fleet, name, owner, state, api) VALUES ('f/g', $1, 'us', 'clean', $2)",
      [name, base === undefined ? null : JSON.stringify({ base_url: base })],
    );
  await at("s/a", "https://one.test/api");
  await at("s/b", "https://one.test.example");
  await at("s/c", "https://two.test/");
  await at("s/d", undefined);
  await enqueue(["s/a", "s/b", "s/c", "s/d", "s/e"].map((name) => ({ ...jobOf(name), target: `f/g/${name}` })));
  const claimed = async (...except: string[]) => accountsOf(await queue.claim("w", 1, except)).join(" ");
  expect(await claimed("https://one.test", "https://two.test")).toBe("s/b");
  expect(await claimed("https://one.test", "https://two.test")).toBe("");
  expect(await claimed("https://one.test")).toBe("s/c");
  expect(accountsOf(await queue.claim("w", 9))).toEqual(["s/a", "s/d", "s/e"]);
  await database.query("TRUNCATE hostform.account");
});
