import { expect, onTestFinished, test } from "vitest";
import { bucketFor } from "../../src/api/bucket.ts";
import { namesOf, openFleet } from "../support/fleet.ts";
import { startWorker, sumsIn } from "../support/fleet-stage.ts";
import { size } from "./size.ts";

const { limit, accounts, leastRequests, leastWorkers } = size.fleetLimit;

/** The most requests that workers may send together in the seconds since the first: it, those at once, and those that come back. */
function mostSince(seconds: number): number {
  const { cap, most } = bucketFor(limit, 60, 0);
  return 1 + cap + most * seconds;
}

test("two workers that share an API send together what its limit allows, and are refused nothing", async () => {
  const { fleet, api, folder, env, database, close } = await openFleet(namesOf(accounts), {
    options: { rateLimitPerMinute: limit },
  });
  const workers = [1, 2].map((nth) => startWorker(folder, `https://ci.example/worker-${nth}`, env));
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
  const [begin = 0] = times;
  const sent = times.map((time, index) => [time - begin, index + 1] as const);
  expect(sent.filter(([seconds, count]) => count > mostSince(seconds))).toEqual([]);
  const inAMinute = times.map((time, index) => times.slice(index).filter((each) => each < time + 60).length);
  expect(Math.max(...inAMinute)).toBeLessThanOrEqual(limit);
});
