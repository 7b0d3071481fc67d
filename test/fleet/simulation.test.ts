import { describe, expect, test } from "vitest";
import type { Work } from "../../src/api/bucket.ts";
import { priorities } from "./priorities.ts";
import { size } from "../proofs/size.ts";
import { simulateFleet, type SimulatedJob } from "./simulate-fleet.ts";

/** Draws numbers from 0 to 1, the same at each run. */
function draws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

const draw = draws(7);
const latency = () => 50 + 100 * draw();
const host = { limit: 600, window: 60 };

/** Jobs that are put into the queue together, by owner. */
const jobsOf = (owners: readonly string[], work: Work, more: Partial<SimulatedJob> = {}): SimulatedJob[] =>
  priorities(work, owners, new Map()).map((priority, index) => ({
    host: 0,
    owner: owners[index] ?? "",
    work,
    requests: 20,
    priority,
    queued: 0,
    ...more,
  }));
const manyOf = (owner: string, count: number) => Array<string>(count).fill(owner);

/** Returns when the last job of an owner or of a kind of work ended, after it was put into the queue. */
const timeOf = (jobs: readonly SimulatedJob[], ended: readonly number[], is: (job: SimulatedJob) => boolean) =>
  Math.max(...jobs.flatMap((job, index) => (is(job) ? [(ended[index] ?? 0) - job.queued] : [])));

describe("a simulated fleet", () => {
  test("takes 5 % more time than its hosts' limits at most, and sends none of them too many requests", () => {
    const hosts = Array.from({ length: 20 }, (_, index) => ({
      limit: [600, 600, 1200, 3000][index % 4] ?? 600,
      window: 60,
    }));
    // A few owners have most of the accounts.
    const owners = Array.from({ length: size.simulatedAccounts }, () => `o${Math.floor(draw() ** 3 * 200)}`);
    const jobs = jobsOf(owners, "plan").map((job) => ({
      ...job,
      host: Math.floor(draw() * hosts.length),
      requests: 10 + Math.floor(draw() * 20),
    }));
    const requests = hosts.map(() => 0);
    for (const job of jobs) requests[job.host] = (requests[job.host] ?? 0) + job.requests;
    const bound = Math.max(
      ...hosts.map(({ limit, window }, index) => ((requests[index] ?? 0) / limit) * window * 1000),
    );
    const { total, refused } = simulateFleet({ hosts, jobs, workers: 8, slots: 50, latency });
    expect(refused).toBe(0);
    expect(total / bound).toBeLessThan(1.05);
  });

  test.each([
    [1, 4],
    [2, 3],
    [4, 3],
    [4, 25],
  ])(
    "of %i workers with %i jobs each ends ten accounts behind 900 of another owner within twice their time alone",
    (workers, slots) => {
      const few = jobsOf(manyOf("few", 10), "apply");
      const alone = simulateFleet({ hosts: [host], jobs: few, workers, slots, latency });
      const jobs = [...jobsOf(manyOf("many", 900), "apply"), ...few.map((job) => ({ ...job, queued: 120_000 }))];
      const behind = simulateFleet({ hosts: [host], jobs, workers, slots, latency });
      expect(timeOf(jobs, behind.ended, ({ owner }) => owner === "few") / alone.total).toBeLessThan(2);
    },
  );

  test("begins its jobs in the order of their priorities: recovery, apply, plan, drift, and those of all owners in turn", () => {
    const owners = [...manyOf("a", 30), ...manyOf("b", 20), ...manyOf("c", 3)];
    const jobs = (["drift", "plan", "apply", "recovery"] as const).flatMap((work) => jobsOf(owners, work));
    const { began } = simulateFleet({ hosts: [host], jobs, workers: 2, slots: 3, latency });
    const order = jobs
      .map((job, index) => ({ ...job, began: began[index] ?? 0 }))
      .sort((a, b) => b.priority - a.priority);
    expect(order.filter((job, index) => job.began < (order[index - 1]?.began ?? 0))).toEqual([]);
    const first = order.slice(0, 9).map(({ owner }) => owner);
    expect(first.sort().join("")).toBe("aaabbbccc");
  });

  test("keeps the requests of drift checks that are under way behind those of an apply", () => {
    const applies = jobsOf(manyOf("a", 10), "apply", { queued: 30_000 });
    const jobs = [...jobsOf(manyOf("b", 30), "drift", { requests: 200 }), ...applies];
    const settings = { hosts: [host], workers: 4, slots: 10, latency };
    const alone = simulateFleet({ ...settings, jobs: applies.map((job) => ({ ...job, queued: 0 })) });
    const behind = simulateFleet({ ...settings, jobs });
    expect(timeOf(jobs, behind.ended, ({ work }) => work === "apply") / alone.total).toBeLessThan(1.2);
  });
});
