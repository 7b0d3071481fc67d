import { configureGlobal } from "fast-check";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The mutant that is on, if any, the calls of its switch that are taken for an endless loop, and the tests to run. */
    mutant: { readonly id?: string; readonly mostCalls: number; readonly tests?: readonly string[] };
  }
  interface TaskMeta {
    /** The calls of each switch in this test and before it, while its file was loaded. */
    switches?: Record<string, number>;
  }
}

// Each run draws the same cases, so that a mutant has the same fate in each. A failure is not shrunk: the mutant is killed.
configureGlobal({ seed: 1, endOnFailure: true });

const mostMilliseconds = 240_000;
const { id: active, mostCalls, tests } = inject("mutant");
let outsideTests: Record<string, number> = {};
let counted = outsideTests;
let calls = 0;

if (active !== undefined) {
  // A loop that never ends and has no switch in it can only be ended from another thread.
  const end = `setTimeout(() => process.kill(process.pid, "SIGKILL"), ${mostMilliseconds})`;
  new Worker(end, { eval: true }).unref();
}

Object.assign(globalThis, {
  mutantSwitch(id: string): boolean {
    if (active === undefined) counted[id] = (counted[id] ?? 0) + 1;
    if (active !== id) return false;
    calls += 1;
    if (calls > mostCalls) throw new Error("The mutant runs in an endless loop.");
    return true;
  },
});

beforeEach(({ task, skip }) => {
  if (tests !== undefined && !tests.includes(task.id)) skip();
  counted = {};
});

afterEach(({ task }) => {
  task.meta.switches = { ...outsideTests };
  for (const [id, count] of Object.entries(counted)) task.meta.switches[id] = (outsideTests[id] ?? 0) + count;
  counted = outsideTests;
});
