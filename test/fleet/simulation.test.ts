import { describe, expect, test } from "vitest";
import type { Work } from "../../src/api/bucket.ts";
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

/** Jobs that are put into the queue together. */
const jobsOf = (count: number, work: Work, more: Partial<SimulatedJob> = {}): SimulatedJob[] =>
  Array.from({ length: count }, () => ({ host: 0, work, requests: 20, queued: 0, ...more }));

describe("a simulated fleet", () => {
  test("takes 5 % more time than its hosts' limits at most, and sends none of them too many requests", () => {
    const hosts = Array.from({ length: 20 }, (_, index) => ({
      limit: [600, 600, 1200, 3000][index % 4] ?? 600,
      window: 60,
    }));
    const jobs = jobsOf(size.simulatedAccounts, "plan").map((job) => ({
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

  test("keeps the requests of drift checks that are under way behind those of an apply", () => {
    const applies = jobsOf(10, "apply", { queued: 30_000 });
    const jobs = [...jobsOf(30, "drift", { requests: 200 }), ...applies];
    const settings = { hosts: [host], workers: 4, slots: 10, latency };
    const alone = simulateFleet({ ...settings, jobs: applies.map((job) => ({ ...job, queued: 0 })) });
    const behind = simulateFleet({ ...settings, jobs });
    const times = jobs.flatMap(({ work, queued }, index) =>
      work === "apply" ? (behind.ended[index] ?? 0) - queued : [],
    );
    expect(Math.max(...times) / alone.total).toBeLessThan(1.2);
  });
});
