import fc from "fast-check";
import { expect, test } from "vitest";
import { unknownLimit, type Bucket, type Work } from "../../src/api/bucket.ts";
import { sharedPace, type SharedBucket } from "../../src/api/shared-pace.ts";
import { createRateLimiter } from "../../src/emulator/http/rate-limiter.ts";
import { eventTime } from "../support/event-time.ts";
import { forDraws } from "../support/for-draws.ts";

interface Drawn {
  readonly limit: number;
  readonly workers: number;
  /** Requests of each worker that are under way at once. */
  readonly lanes: number;
  /** Milliseconds to the service and back. */
  readonly latency: number;
  readonly works: readonly Work[];
  readonly calls: number;
}

function bucketInMemory(bucket: Bucket, now: () => number): SharedBucket {
  let current = bucket;
  return {
    change: async (work) => {
      const { bucket: next, result } = work(current, now());
      current = next;
      return result;
    },
  };
}

/** Sends calls of several workers that share a bucket which knows nothing yet, in virtual time. Returns when the service got each. */
async function sendAll({ limit, workers, lanes, latency, works, calls }: Drawn) {
  const time = eventTime();
  const shared = bucketInMemory(unknownLimit(0), time.now);
  const service = createRateLimiter(limit === Infinity ? undefined : limit);
  const stop = new AbortController().signal;
  const times: number[] = [];
  let refused = 0;
  let left = calls;
  const lane = async (worker: number, nth: number, pace: ReturnType<typeof sharedPace>) => {
    while (left > 0) {
      left -= 1;
      await pace.take(stop);
      await time.sleep((latency * (1 + ((7 * worker + 3 * nth + left) % 5))) / 5);
      times.push(time.now());
      const { exceeded, remaining, reset } = service.count("key", time.now());
      await time.sleep(latency / 2);
      if (exceeded) refused += 1;
      pace.learned(limit === Infinity ? { refused: false } : { refused: exceeded, remaining, after: reset * 1000 });
    }
  };
  const all = Array.from({ length: workers }, (_, worker) => {
    const paces = works.map((work) => sharedPace(shared, work, time));
    return Array.from({ length: lanes }, (_, nth) => paces.slice(nth % paces.length, 1 + (nth % paces.length))).flatMap(
      ([pace], nth) => (pace ? [lane(worker, nth, pace)] : []),
    );
  });
  await time.until(Promise.all(all.flat()));
  return { times, refused, milliseconds: time.now() };
}

/** The most requests in any minute. */
function mostInAMinute(times: readonly number[]): number {
  let first = 0;
  return times.reduce((most, end, index) => {
    while ((times[first] ?? end) <= end - 60_000) first += 1;
    return Math.max(most, index - first + 1);
  }, 0);
}

const works: readonly Work[] = ["recovery", "apply", "plan", "drift"];

test("workers that share a limit which none of them knows send no more than it in any minute, are refused nothing, and use it", async () => {
  const drawn = fc.record({
    limit: fc.constantFrom(5, 20, 60, 240, 600, 1200),
    workers: fc.integer({ min: 1, max: 4 }),
    lanes: fc.integer({ min: 1, max: 16 }),
    latency: fc.constantFrom(2, 40, 300),
    works: fc.subarray([...works], { minLength: 1, maxLength: 2 }),
    minutes: fc.constantFrom(1, 2.5),
  });
  await forDraws(200, drawn, async ({ minutes, ...given }) => {
    const calls = Math.ceil(minutes * given.limit);
    const { times, refused, milliseconds } = await sendAll({ ...given, calls });
    expect(refused).toBe(0);
    expect(mostInAMinute(times)).toBeLessThanOrEqual(given.limit);
    // One lane alone cannot send more than its latency lets it.
    const alone = (calls * given.latency * 1.5) / (given.workers * given.lanes);
    if (given.limit >= 60) expect(milliseconds).toBeLessThan(2_000 + Math.max(alone, 1.3 * 60_000 * minutes));
  });
});

test("a service without a limit is held up for its first answer only", async () => {
  const given = { workers: 3, lanes: 8, latency: 20, works: ["apply"] as const, calls: 900 };
  const { milliseconds } = await sendAll({ ...given, limit: Infinity });
  expect(milliseconds).toBeLessThan(2_500);
});
