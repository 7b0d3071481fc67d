import type * as Os from "node:os";
import { afterEach, expect, test, vi } from "vitest";

let uptime = 5000;
let awake = 0;
vi.mock("node:os", async (original) => ({ ...(await original<typeof Os>()), uptime: () => uptime }));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("the time that has elapsed counts while the machine sleeps, whatever the clock was set to", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(process, "uptime").mockImplementation(() => awake);
  // Another test may have loaded it with the real clock.
  vi.resetModules();
  const { nodeHost } = await import("../../src/engine/session/node-host.ts");
  const { elapsed } = nodeHost();
  const start = elapsed();
  const pass = (milliseconds: number) => {
    vi.advanceTimersByTime(milliseconds);
    awake += milliseconds / 1000;
    uptime += milliseconds / 1000;
    return elapsed() - start;
  };
  expect(pass(1000)).toBeCloseTo(1000);
  // It sleeps: the monotonic clock stands still, and the others jump when it wakes up.
  vi.setSystemTime(Date.now() + 3_600_000);
  uptime += 3600;
  expect(elapsed() - start).toBeCloseTo(3_601_000);
  expect(pass(1)).toBeCloseTo(3_601_001);
  vi.setSystemTime(0);
  expect(pass(500)).toBeCloseTo(3_601_501);
});
