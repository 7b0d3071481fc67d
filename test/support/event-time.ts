import { setImmediate } from "node:timers/promises";

/** Time that passes from the end of one sleep to that of the next, once nothing else is left to do. */
export interface EventTime {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Lets time pass until the promise is settled. */
  readonly until: <T>(done: Promise<T>) => Promise<T>;
}

export function eventTime(): EventTime {
  const sleepers: { readonly at: number; readonly wake: () => void }[] = [];
  let time = 0;
  return {
    now: () => time,
    sleep: (milliseconds) =>
      new Promise((wake) => {
        const at = time + Math.max(0, milliseconds);
        const place = sleepers.findIndex((each) => each.at > at);
        sleepers.splice(place < 0 ? sleepers.length : place, 0, { at, wake });
      }),
    until: async (done) => {
      let isDone = false;
      const end = () => void (isDone = true);
      done.then(end, end);
      for (;;) {
        await setImmediate();
        if (isDone) return done;
        const next = sleepers.shift();
        if (!next) throw new Error("nobody sleeps, and it is not done");
        time = next.at;
        next.wake();
      }
    },
  };
}
