import { syncBuiltinESMExports } from "node:module";
import os from "node:os";
import { afterEach, expect, test, vi } from "vitest";
import { nodeHost } from "../../src/engine/session/node-host.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test("the time that has elapsed counts while the machine sleeps, whatever the clock was set to", () => {
  let [awake, uptime] = [0, os.uptime()];
  vi.useFakeTimers({ toFake: ["Date"] });
  vi.spyOn(process, "uptime").mockImplementation(() => awake);
  vi.spyOn(os, "uptime").mockImplementation(() => uptime);
  syncBuiltinESMExports();
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
