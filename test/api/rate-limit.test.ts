import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { answeringService, json, post } from "./answering-service.ts";

const { service, told, clock, open } = answeringService();

describe("a server that allows so many requests a second", () => {
  /** Answers 429 to what is beyond `allowed` in each second of the clock. A request takes 2 ms. */
  function limitTo(allowed: number, headers: (left: number, reset: number) => Record<string, string>) {
    const counts = new Map<number, number>();
    const done = { refused: 0 };
    let ticks = 0;
    service.answer = (_request, response) => {
      ticks += 0.2;
      const now = clock.now() + ticks;
      const second = Math.floor(now / 1000);
      const count = (counts.get(second) ?? 0) + 1;
      counts.set(second, count);
      const reset = Math.max(0, (second + 1) * 1000 - now) / 1000;
      if (count > allowed) done.refused += 1;
      json(response, count > allowed ? 429 : 200, { data: {} }, headers(Math.max(0, allowed - count), reset));
    };
    return done;
  }
  const ask = async (requests: number) => {
    const connection = open({ parallelism: 10 });
    const started = clock.now();
    const results = await Promise.all(
      Array.from({ length: requests }, (_, index) =>
        index % 2 === 0 ? connection.get({ path: "/x" }) : connection.send({ ...post, idempotencyKey: `k${index}` }),
      ),
    );
    expect(results.every(({ ok }) => ok)).toBe(true);
    return (clock.now() - started) / 1000;
  };

  test("and tells what remains is never asked for one too many", async () => {
    const server = limitTo(50, (left, reset) => ({
      "x-ratelimit-remaining": `${left}`,
      "x-ratelimit-reset": `${reset}`,
    }));
    const seconds = await ask(400);
    expect(server.refused).toBe(0);
    expect(seconds).toBeLessThan(8.5);
  });

  test("and says only how long to wait refuses few, and loses no time", async () => {
    const server = limitTo(50, (_left, reset) => ({ "retry-after": `${Math.ceil(reset)}` }));
    const seconds = await ask(400);
    // Ten lanes that each wait for themselves are refused ten times a second.
    expect(server.refused).toBeLessThan(35);
    expect(seconds).toBeLessThanOrEqual(9);
  });

  test("is waited for aloud where it takes long, once for all who wait", async () => {
    let refusals = 4;
    service.answer = (_request, response) => {
      refusals -= 1;
      json(response, refusals >= 0 ? 429 : 200, { data: {} }, refusals >= 0 ? { "retry-after": "30" } : {});
    };
    // All four answers come while the first pause lasts.
    let answers = 0;
    const areAllHere = () => answers === 4;
    const sleep = async () => {
      do await setImmediate();
      while (!areAllHere());
    };
    const onAttempt = () => void (answers += 1);
    const connection = open({ parallelism: 4, deps: { now: () => 0, random: () => 0, sleep }, onAttempt });
    await Promise.all(Array.from({ length: 4 }, () => connection.get({ path: "/x" })));
    expect(told).toEqual([{ milliseconds: 30_000, asked: 30_000, status: 429, method: "GET", path: "/x" }]);
  });

  test("may tell its reset as a time", async () => {
    const reset = String(1_700_000_000 + 20);
    service.answer = (_request, response, nth) =>
      json(response, 200, {}, { "x-ratelimit-remaining": nth === 1 ? "0" : "9", "x-ratelimit-reset": reset });
    const connection = open();
    await connection.get({ path: "/x" });
    await connection.get({ path: "/x" });
    expect(clock.waits).toEqual([20_000]);
    expect(told).toEqual([{ milliseconds: 20_000, asked: 20_000, method: "GET", path: "/x" }]);
  });
});
