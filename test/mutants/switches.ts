import { configureGlobal } from "fast-check";
import { setMaxListeners } from "node:events";
import { Worker } from "node:worker_threads";
import { beforeEach, inject, type RunnerTestCase, type RunnerTestSuite } from "vitest";
import { getFn, getHooks, setFn } from "vitest/suite";

declare module "vitest" {
  interface ProvidedContext {
    /**
     * Either the mutant that is on in each of these tests; or the mutants that each test runs again on, if it meets them, with the milliseconds
     * that are left for each, and the milliseconds of the longest test to run again.
     */
    mutants:
      | { readonly on: string; readonly mostCalls: number; readonly tests: readonly string[] }
      | { readonly left: Readonly<Record<string, number>>; readonly mostMilliseconds: number };
  }
  interface TaskMeta {
    /** The calls of each switch in this test and before it, while its file was loaded. */
    switches?: Record<string, number>;
    /** The duration of the test without a mutant. */
    milliseconds?: number;
    /** The mutants that the test was run again on: those that it kills, and the milliseconds of those that it does not find. */
    killed?: readonly string[];
    survived?: Record<string, number>;
  }
}

// Each run draws the same cases, so that a mutant has the same fate in each. A failure is not shrunk: the mutant is killed.
configureGlobal({ seed: 1, endOnFailure: true });

// Each run of a test adds a listener to the signal of its time-out.
setMaxListeners(0);

/** A mutant that makes a test longer than this loops without an end. */
const mostMilliseconds = 120_000;
const spareCalls = 1_000_000;
const given = inject("mutants");
const left = new Map(Object.entries("left" in given ? given.left : {}));
const whileLoaded: Record<string, number> = {};
let counted = whileLoaded;
let active = "on" in given ? given.on : undefined;
let callsLeft = "on" in given ? given.mostCalls : 0;
let isRepeatable = true;

Object.assign(globalThis, {
  mutantSwitch(id: string): boolean {
    if (active === undefined) counted[id] = (counted[id] ?? 0) + 1;
    if (active !== id) return false;
    callsLeft -= 1;
    if (callsLeft < 0) throw new Error("The mutant runs in an endless loop.");
    return true;
  },
});

/**
 * The processor's time, in milliseconds, at which a mutant was put on; 0 while none is. A loop that never ends and has no switch in it can
 * only be ended from another thread.
 */
const onSince = new Float64Array(new SharedArrayBuffer(8));
const endLoops = `
  const { workerData } = require("node:worker_threads");
  const now = () => Object.values(process.cpuUsage()).reduce((sum, each) => sum + each / 1000, 0);
  const isOver = () => workerData[0] > 0 && now() - workerData[0] > ${mostMilliseconds};
  setInterval(() => isOver() && process.kill(process.pid, "SIGKILL"), 1000);
`;
new Worker(endLoops, { eval: true, workerData: onSince }).unref();
if (active !== undefined) onSince[0] = millisecondsSince();

beforeEach(({ task, skip }) => {
  if ("on" in given) {
    if (!given.tests.includes(task.id)) skip();
    return;
  }
  const run = getFn(task);
  setFn(task, async () => {
    counted = {};
    const begin = process.cpuUsage();
    await run();
    const milliseconds = millisecondsSince(begin);
    const calls = counted;
    counted = {};
    const switches = { ...whileLoaded };
    for (const [id, count] of Object.entries(calls)) switches[id] = (whileLoaded[id] ?? 0) + count;
    Object.assign(task.meta, { switches, milliseconds });
    if (milliseconds <= given.mostMilliseconds) await runOnMutants(task, run, calls);
  });
});

type Run = () => unknown;

/** The time of the processor: the time of the clock would depend on what else the machine does. */
function millisecondsSince(begin?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** Runs a test again on each mutant that it meets. After a failure it must pass again without one, or nothing that follows is believed. */
async function runOnMutants(task: Readonly<RunnerTestCase>, run: Run, calls: Record<string, number>): Promise<void> {
  const killed: string[] = [];
  const survived: Record<string, number> = {};
  for (const id of Object.keys(calls)) {
    const most = left.get(id) ?? 0;
    if (!isRepeatable || most <= 0 || id in whileLoaded) continue;
    callsLeft = spareCalls + 20 * (calls[id] ?? 0);
    const begin = process.cpuUsage();
    const isFound = !(await passes(task, run, id));
    const milliseconds = millisecondsSince(begin);
    left.set(id, isFound ? 0 : most - milliseconds);
    if (!isFound) survived[id] = milliseconds;
    else if (await passes(task, run)) killed.push(id);
    else isRepeatable = false;
  }
  Object.assign(task.meta, { killed, survived });
}

async function passes(task: Readonly<RunnerTestCase>, run: Run, id?: string): Promise<boolean> {
  try {
    await callHooks(task, "afterEach");
    await callHooks(task, "beforeEach");
    onSince[0] = millisecondsSince();
    active = id;
    await run();
    return true;
  } catch {
    return false;
  } finally {
    active = undefined;
    onSince[0] = 0;
  }
}

/** Calls the hooks of the suites that a test is in, but not the first of its file, which is that of this module. */
async function callHooks(task: Readonly<RunnerTestCase>, name: "beforeEach" | "afterEach"): Promise<void> {
  const { file } = task;
  const suites: RunnerTestSuite[] = [file];
  for (let suite = task.suite ?? file; suite !== file; suite = suite.suite ?? file) suites.splice(1, 0, suite);
  const hooks = suites.flatMap((suite) => {
    const own = getHooks(suite)[name];
    return (suite === file && name === "beforeEach" ? own.slice(1) : own).map(
      (hook) => () => hook(task.context, suite),
    );
  });
  for (const hook of name === "afterEach" ? hooks.toReversed() : hooks) await hook();
}
