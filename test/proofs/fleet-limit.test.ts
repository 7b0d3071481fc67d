import { expect, onTestFinished, test } from "vitest";
import { bucketFor, holdTime } from "../../src/api/bucket.ts";
import { namesOf, openFleet } from "../support/fleet.ts";
import { startWorker, sumsIn } from "../support/fleet-stage.ts";
import { size } from "./size.ts";

const limit = 600;
const { accounts, leastRequests, leastWorkers } = size.fleetLimit;

/** The most requests that two workers may send together in a time, however they fall into it: those at once, those that come back, and those in hand before it. */
const mostIn = (seconds: number) => {
  const { cap, most } = bucketFor(limit, 60, 0);
  return Math.min(limit, cap + most * (seconds + holdTime(60) / 1000));
};

test(
  "two workers that share an API send together what its limit allows, and are refused nothing",
  async () => {
    const { fleet, api, folder, env, database, close } = await openFleet(namesOf(accounts), {
      options: { rateLimitPerMinute: limit },
    });
    const workers = [1, 2].map((nth) => startWorker(folder, `worker-${nth}`, env));
    onTestFinished(async () => {
      for (const worker of workers) worker.signal("SIGKILL");
      await Promise.all(workers.map(({ ended }) => ended));
      await close();
    });
    for (const worker of workers) await worker.says("version");
    const applied = await fleet(["apply", "--auto-approve", "--json"]);
    expect(sumsIn(applied), applied.stdout).toEqual({ applied: accounts });
    const operations = await api.operations();
    expect(operations.filter(({ status }) => status === 429)).toEqual([]);
    const times = operations.map(({ time }) => Date.parse(time) / 1000);
    expect(times.length).toBeGreaterThanOrEqual(leastRequests);
    const busy = await database.query("SELECT DISTINCT by FROM hostform.inventory");
    expect(busy.length).toBeGreaterThanOrEqual(leastWorkers);
    for (const seconds of [1, 3, 10, 60])
      for (const [first, time] of times.entries()) {
        const count = times.slice(first).filter((each) => each < time + seconds).length;
        expect([seconds, count <= mostIn(seconds), count]).toEqual([seconds, true, count]);
      }
  },
  size.timeout,
);
