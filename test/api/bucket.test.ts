import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bucketFor,
  holdTime,
  learnLimit,
  takeTokens,
  unknownLimit,
  type Bucket,
  type Work,
} from "../../src/api/bucket.ts";
import { readQuota } from "../../src/api/retry.ts";
import { loadContract } from "../../src/contract/load-contract.ts";
import { forDraws } from "../support/for-draws.ts";

/** Takes one token after the other until a time, as soon as there is one; returns when each was taken. */
function takeAll(bucket: Bucket, work: Work, until: number, begin = 0): { bucket: Bucket; times: number[] } {
  const times: number[] = [];
  let now = begin;
  let rest = bucket;
  while (now < until) {
    const taken = takeTokens(rest, 1, work, now);
    rest = taken.bucket;
    if (taken.count > 0) times.push(now);
    now += taken.wait;
  }
  return { bucket: rest, times };
}

/** Returns the shortest time between a request and the one that so many come before. */
const shortestOf = (times: readonly number[], limit: number) =>
  times.reduce((least, time, index) => Math.min(least, (times[index + limit] ?? Infinity) - time), Infinity);

const works: readonly Work[] = ["recovery", "apply", "plan", "drift"];

describe("a bucket", () => {
  test.each([
    [600, 60],
    [60, 60],
    [10, 1],
    [1, 1],
    [1000, 600],
    [100, 10],
  ])(
    "of %i requests in %i seconds gives no more of them in any such time, to several who hold them, and little less",
    async (limit, window) => {
      const ask = fc.record({
        wait: fc.integer({ min: 0, max: 2 * window * 1000 }),
        count: fc.integer({ min: 1, max: 50 }),
        held: fc.double({ min: 0, max: 1, noNaN: true }),
      });
      await forDraws({}, fc.array(ask, { maxLength: 60 }), (asks) => {
        let bucket = bucketFor(limit, window, 0);
        let now = 0;
        const sent = asks.flatMap(({ wait, count, held }) => {
          now += wait % 3 === 0 ? wait : wait / 50;
          const taken = takeTokens(bucket, count, "recovery", now);
          bucket = taken.bucket;
          return Array<number>(taken.count).fill(now + held * holdTime(window));
        });
        sent.sort((a, b) => a - b);
        expect(shortestOf(sent, limit)).toBeGreaterThanOrEqual(1000 * window);
      });
      const { times } = takeAll(bucketFor(limit, window, 0), "apply", 10_000 * window);
      // The first of them may be held, and the last one sent at once.
      expect(shortestOf(times, limit)).toBeGreaterThanOrEqual(1000 * window + holdTime(window));
      if (limit >= 160) expect(times.length).toBeGreaterThan(9.6 * limit);
    },
  );

  test.each(works)("gives all of its rate to %s where nothing else waits", (work) => {
    const { times } = takeAll(bucketFor(600, 60, 0), work, 60_000);
    expect(times.length).toBeGreaterThan(570);
  });

  test.each([
    ["recovery", "apply"],
    ["apply", "plan"],
    ["plan", "drift"],
  ] as const)("gives to %s before %s", (urgent, other) => {
    let { bucket } = takeAll(bucketFor(600, 60, 0), other, 30_000);
    const counts = { [urgent]: 0, [other]: 0 };
    // Both ask every 20 ms, the less urgent one first.
    for (let now = 30_000; now < 60_000; now += 20)
      for (const work of [other, urgent]) {
        const taken = takeTokens(bucket, 1, work, now);
        bucket = taken.bucket;
        counts[work] = (counts[work] ?? 0) + taken.count;
      }
    expect(counts[urgent]).toBeGreaterThan(280);
    expect(counts[other]).toBeLessThan(5);
  });

  test("says how long to wait, so that a token is there then and not before", () => {
    const { bucket } = takeAll(bucketFor(600, 60, 0), "plan", 5000);
    const { count, wait } = takeTokens(bucket, 3, "plan", 5000);
    expect(count).toBe(0);
    expect(takeTokens(bucket, 3, "plan", 5000 + wait - 2).count).toBe(0);
    expect(takeTokens(bucket, 3, "plan", 5000 + wait).count).toBe(1);
  });

  test("gives nothing in a pause, and does not catch up after it", () => {
    const paused = learnLimit(bucketFor(600, 60, 0), { refused: true, after: 30_000 }, 1000);
    expect(takeTokens(paused, 1, "recovery", 2000)).toMatchObject({ count: 0, wait: 29_000 });
    expect(
      takeTokens(learnLimit(paused, { refused: false, remaining: 5, after: 5 }, 30_000), 9, "recovery", 31_000).count,
    ).toBe(0);
    const { times } = takeAll(paused, "recovery", 41_000, 1000);
    expect(times[0]).toBeGreaterThanOrEqual(31_000);
    // Half the rate for ten seconds.
    expect(times.length).toBeLessThanOrEqual(50);
    expect(times.length).toBeGreaterThan(45);
  });

  test("becomes slower once where requests are refused together, and again after the pause", () => {
    const bucket = bucketFor(600, 60, 0);
    const once = learnLimit(bucket, { refused: true, after: 1000 }, 0);
    expect(once.rate).toBeCloseTo(bucket.rate / 2, 9);
    expect(learnLimit(once, { refused: true, after: 1000 }, 500).rate).toBeCloseTo(bucket.rate / 2, 9);
    expect(learnLimit(once, { refused: true }, 2000)).toMatchObject({ pausedUntil: 3000 });
    expect(learnLimit(once, { refused: true }, 2000).rate).toBeLessThan(bucket.rate / 3.9);
  });

  test("lets a worker hold tokens for half a second of a minute", () => {
    expect(holdTime(60)).toBe(500);
  });

  test("has its whole rate again in time", () => {
    const bucket = bucketFor(600, 60, 0);
    const slow = learnLimit(bucket, { refused: true, after: 1000 }, 0);
    expect(takeAll(slow, "plan", 1_200_000).bucket.rate).toBe(bucket.rate);
  });

  test("waits where nothing remains, and spreads what remains over the time for which it must do", () => {
    const bucket = unknownLimit(0);
    expect(
      takeTokens(learnLimit(bucket, { refused: false, remaining: 0, after: 9000 }, 0), 1, "apply", 10),
    ).toMatchObject({ count: 0, wait: 8990 });
    const known = bucketFor(600, 60, 0);
    const stated = learnLimit(known, { refused: false, remaining: 30, after: 10_000 }, 0);
    expect(stated).toMatchObject({ rate: 1.5, tokens: 15, most: known.most });
    expect(learnLimit(known, { refused: false, remaining: 500, after: 1000 }, 0)).toEqual(known);
    expect(learnLimit(known, { refused: false }, 0)).toEqual(known);
  });

  test("takes a limit from the answer with the longest time before it, and holds a limit for more than one key tells", () => {
    const first = learnLimit(unknownLimit(0), { refused: false, remaining: 300, after: 30_000 }, 0);
    expect(first).toMatchObject({ window: 30, most: bucketFor(300, 30, 0).most, tokens: 7.5 });
    const paused = learnLimit(first, { refused: true, after: 5000 }, 0);
    const whole = learnLimit(paused, { refused: false, remaining: 599, after: 60_000 }, 0);
    expect(whole).toMatchObject({ pausedUntil: 5000, tokens: 0 });
    expect(whole).toMatchObject({ window: 60, most: bucketFor(599, 60, 0).most, cap: bucketFor(599, 60, 0).cap });
    expect(learnLimit(whole, { refused: false, remaining: 590, after: 60_000 }, 0).most).toBe(whole.most);
  });

  test("gives one token at a time before the first answer, and many after one that says nothing of a limit", () => {
    const { bucket, times } = takeAll(unknownLimit(0), "drift", 1900);
    expect(times).toEqual([0, 500, 1000, 1500]);
    const heard = learnLimit(bucket, { refused: false }, 1900);
    expect(takeTokens(heard, 20, "apply", 1900).count).toBe(20);
    expect(learnLimit(heard, { refused: false }, 1900)).toEqual(heard);
  });

  test("gives nothing more where the clock of the database is put back", () => {
    const { bucket } = takeAll(bucketFor(600, 60, 0), "plan", 60_000);
    const { times } = takeAll(bucket, "recovery", 3000, 0);
    expect(times.length).toBeLessThanOrEqual(15 + 30);
  });

  test("gives a token within a minute and an hour, whatever an answer says", async () => {
    const any = fc.record({
      refused: fc.boolean(),
      remaining: fc.option(fc.oneof(fc.nat(5), fc.nat(2 ** 31 - 1), fc.constant(1e9)), { nil: undefined }),
      after: fc.option(fc.oneof(fc.nat(120_000), fc.double({ min: 0, max: 4e11, noNaN: true })), { nil: undefined }),
    });
    await forDraws({}, any, fc.constantFrom(...works), (answer, work) => {
      const bucket = learnLimit(unknownLimit(0), answer, 0);
      let [rest, now, count] = [bucket, 0, 0];
      while (count === 0 && now <= 3_660_000) {
        const taken = takeTokens(rest, 1, work, now);
        [rest, count] = [taken.bucket, taken.count];
        now += taken.wait;
      }
      expect(count).toBe(1);
    });
  });
});

test("a header of more digits than a number holds states no limit, which all who use the API would wait for", async () => {
  const { contract } = await loadContract(undefined);
  if (!contract) throw new Error("no contract");
  const quotaOf = (remaining: string) =>
    readQuota(contract, (name) => (name === contract.answer.rate_limit.remaining ? remaining : undefined), 0);
  expect(quotaOf("18446").remaining).toBe(18_446);
  expect(quotaOf("9".repeat(400)).remaining).toBeUndefined();
});
