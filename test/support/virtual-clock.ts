import { setImmediate } from "node:timers/promises";

/** Time that passes only while someone sleeps, so that no test waits. Those who sleep side by side sleep through the same time. */
export interface VirtualClock {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** How long each sleep was, in order. */
  readonly waits: readonly number[];
}

export function virtualClock(start = Date.now()): VirtualClock {
  let time = start;
  const waits: number[] = [];
  return {
    now: () => time,
    sleep: async (milliseconds) => {
      waits.push(milliseconds);
      const until = time + milliseconds;
      await setImmediate();
      time = Math.max(time, until);
    },
    waits,
  };
}
