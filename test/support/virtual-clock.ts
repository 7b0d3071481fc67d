import { setImmediate } from "node:timers/promises";

/** Time that passes only while someone sleeps, so that no test waits. Those who sleep side by side sleep through the same time. */
export interface VirtualClock {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Calls the handler again and again, at its times, until the returned function is called. */
  readonly every: (milliseconds: number, handler: () => void) => () => void;
  /** Calls the handler before each sleep, until the returned function is called. */
  readonly onSleep: (handler: () => Promise<void>) => () => void;
  /** How long each sleep was, in order. */
  readonly waits: readonly number[];
}

export function virtualClock(start = Date.now()): VirtualClock {
  let time = start;
  const waits: number[] = [];
  const timers = new Set<Timer>();
  const watchers = new Set<() => Promise<void>>();
  const passTo = (until: number) => {
    for (let due = firstDue(timers, until); due; due = firstDue(timers, until)) {
      time = Math.max(time, due.at);
      due.at += due.milliseconds;
      due.handler();
    }
    time = Math.max(time, until);
  };
  return {
    now: () => time,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      for (const handler of watchers) await handler();
      const until = time + milliseconds;
      await setImmediate();
      passTo(until);
    },
    every: (milliseconds, handler) => {
      const timer = { at: time + milliseconds, milliseconds, handler };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    onSleep: (handler) => {
      watchers.add(handler);
      return () => watchers.delete(handler);
    },
    waits,
  };
}

interface Timer {
  at: number;
  readonly milliseconds: number;
  readonly handler: () => void;
}

const firstDue = (timers: ReadonlySet<Timer>, until: number) =>
  [...timers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at)[0];
