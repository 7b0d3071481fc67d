import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { limitAfter, startLimit, type Limit } from "../../src/api/request-queue.ts";
import { forDraws } from "../support/for-draws.ts";

const good = (limit: Limit, times: number): Limit =>
  Array.from({ length: times }).reduce<Limit>((each) => limitAfter(each, each.cuts, false), limit);

describe("the limit of requests under way", () => {
  test("starts at the most, and does not grow beyond it", () => {
    expect(startLimit(10).now).toBe(10);
    expect(good(startLimit(10), 1000).now).toBe(10);
  });

  test("is halved by a refusal, down to one", () => {
    const cut = (limit: Limit) => limitAfter(limit, limit.cuts, true);
    expect(cut(startLimit(10)).now).toBe(5);
    expect(cut(cut(startLimit(10))).now).toBe(2);
    expect(cut(cut(cut(cut(startLimit(10))))).now).toBe(1);
  });

  test("grows by one for every 50 that went well, counted from the last change", () => {
    const cut = limitAfter(startLimit(10), 0, true);
    expect(good(cut, 49).now).toBe(5);
    expect(good(cut, 50).now).toBe(6);
    expect(good(limitAfter(good(cut, 49), 1, true), 49).now).toBe(2);
  });

  test("is a whole number from one to the most, whatever comes", () =>
    forDraws(
      { numRuns: 200 },
      fc.integer({ min: 1, max: 128 }),
      fc.array(fc.record({ stale: fc.nat({ max: 3 }), refused: fc.boolean() }), { maxLength: 300 }),
      (most, answers) => {
        let limit = startLimit(most);
        for (const { stale, refused } of answers) {
          const before = limit;
          limit = limitAfter(limit, Math.max(0, limit.cuts - stale), refused);
          expect(Number.isInteger(limit.now)).toBe(true);
          expect(limit.now).toBeGreaterThanOrEqual(1);
          expect(limit.now).toBeLessThanOrEqual(most);
          expect(limit.now - before.now).toBeLessThanOrEqual(refused ? 0 : 1);
        }
      },
    ));
});
