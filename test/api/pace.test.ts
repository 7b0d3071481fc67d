import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { forDraws } from "../support/for-draws.ts";
import { simulate, type LimitedServer } from "../support/simulate-server.ts";

/** Takes so many requests in each window, which begins with its first. Asks for a wait in whole seconds, or in none: then a short one is drawn. */
function windowed(limit: number, window: number, isTold: boolean): LimitedServer {
  let [start, used, turn] = [-Infinity, 0, 0];
  return (time) => {
    if (time - start >= window) [start, used] = [time, 0];
    used += 1;
    turn += 1;
    if (used <= limit) return undefined;
    return isTold ? Math.ceil((start + window - time) / 1000) * 1000 : 125 + ((turn * 37) % 125);
  };
}

/** Takes so many requests in each second of its clock, which the first request finds this long after a full second. */
function byTheClock(limit: number, begun: number): LimitedServer {
  let [second, used] = [-1, 0];
  return (time) => {
    const now = Math.floor((time + begun) / 1000);
    if (now !== second) [second, used] = [now, 0];
    used += 1;
    return used <= limit ? undefined : 1000;
  };
}

/** Takes a request for each token; tokens come at a rate a second, and no more than `most` are kept. */
function bucket(rate: number, most: number): LimitedServer {
  let [tokens, last] = [most, 0];
  return (time) => {
    tokens = Math.min(most, tokens + ((time - last) * rate) / 1000);
    last = time;
    if (tokens < 1) return 1000;
    tokens -= 1;
    return undefined;
  };
}

describe("a server that does not say how many requests it takes", () => {
  test("is sent about as many as it takes in a second, and refuses few of them", async () => {
    const drawn = fc.record({
      rate: fc.integer({ min: 20, max: 120 }),
      latency: fc.constantFrom(2, 10, 40),
      isTold: fc.boolean(),
    });
    await forDraws({ numRuns: 6 }, drawn, async ({ rate, latency, isTold }) => {
      const { milliseconds, refused } = await simulate(windowed(rate, 1000, isTold), { calls: 30 * rate, latency });
      // Where no wait is told, the window can only be guessed: 1.16 in the worst of 200 cases, and 1.05 on average.
      expect(milliseconds).toBeLessThan(1.17 * 30_000);
      expect(refused).toBeLessThan(0.4 / rate + 0.02);
    });
  });

  test("is measured while it is busy: the time without requests before shows no rate", async () => {
    const server = windowed(50, 1000, true);
    const { milliseconds } = await simulate(server, { calls: 1_500, latency: 5, idle: 30_000 });
    expect(milliseconds).toBeLessThan(1.15 * 30_000);
  });

  test("is measured also where all lanes rest at once between their calls", async () => {
    const server = windowed(100, 1000, true);
    const { milliseconds } = await simulate(server, { calls: 3_000, latency: 40, idle: 3_000, rest: 20 });
    expect(milliseconds).toBeLessThan(1.15 * 30_000);
  });

  test("is measured by all that one of its windows has answered, before a time without requests and after it", async () => {
    const drawn = fc.record({
      before: fc.integer({ min: 20, max: 80 }),
      gap: fc.integer({ min: 400, max: 550 }),
      idle: fc.integer({ min: 300, max: 600 }),
    });
    const all: number[] = [];
    await forDraws({ numRuns: 12 }, drawn, async (times) => {
      const { milliseconds } = await simulate(windowed(100, 1000, true), { calls: 2_000, latency: 5, ...times });
      all.push(milliseconds / 20_000);
      // In the worst of 300 cases 1.32. Measured by one of its windows alone, half of them take 1.33, and the worst takes 1.73.
      expect(milliseconds).toBeLessThan(1.4 * 20_000);
    });
    expect(all.reduce((sum, each) => sum + each, 0) / all.length).toBeLessThan(1.2);
  });

  test("is soon sent less if it refuses again and again at a pace that was measured over the end of a second", async () => {
    const cases = [30, 70, 110, 150].flatMap((rate) => [200, 500, 800].map((begun) => ({ rate, begun })));
    const all = await Promise.all(
      cases.map(({ rate, begun }) => simulate(byTheClock(rate, begun), { calls: 20 * rate, latency: 50 })),
    );
    for (const [index, { milliseconds }] of all.entries())
      expect(milliseconds, JSON.stringify(cases[index])).toBeLessThan(1.4 * 20_000);
  });

  test("is sent about as many as its tokens allow", async () => {
    const { milliseconds, refused } = await simulate(bucket(30, 60), { calls: 1_800, latency: 5 });
    expect(milliseconds).toBeLessThan(1.05 * 60_000);
    expect(refused).toBeLessThan(0.03);
  });

  test("is sent all that a minute takes at once: its limit is not spread over the minute", async () => {
    const { milliseconds } = await simulate(windowed(600, 60_000, true), { calls: 700, latency: 5 });
    expect(milliseconds).toBeLessThan(62_000);
  });

  test("is sent more once it takes more", async () => {
    const [narrow, wide] = [windowed(20, 1000, true), windowed(200, 1000, true)];
    const { milliseconds } = await simulate((time) => (time < 10_000 ? narrow(time) : wide(time)), {
      calls: 12_000,
      latency: 5,
    });
    expect(milliseconds).toBeLessThan(300_000);
  });
});

test("a server that refuses at random is not sent ever less", async () => {
  let turn = 0;
  const server: LimitedServer = () => ((turn += 1) % 20 === 0 ? 250 : undefined);
  const { milliseconds } = await simulate(server, { calls: 3_000, latency: 5 });
  expect(milliseconds).toBeLessThan(4 * 3_000 * 20);
});

test("a server that refuses nothing is never waited for", async () => {
  const { milliseconds } = await simulate(() => undefined, { calls: 1_000, latency: 7 });
  expect(milliseconds).toBe(700);
});
