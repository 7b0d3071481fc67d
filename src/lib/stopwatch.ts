/** Adds up the milliseconds of the parts of a run: each moment counts for the part that was begun last. */
export interface Stopwatch<Part extends string> {
  readonly begin: (part: Part) => void;
  /** Does work as a part, and goes on with the part that was interrupted. */
  readonly during: <Result>(part: Part, work: () => Result) => Result;
  /** Returns the parts in the order in which they began first. */
  readonly read: () => readonly { readonly part: Part; readonly milliseconds: number }[];
}

/** Starts a stopwatch at zero of the clock. */
export function startStopwatch<Part extends string>(first: Part, clock: () => number): Stopwatch<Part> {
  const sums = new Map<Part, number>([[first, 0]]);
  let current = first;
  let since = 0;
  const begin = (part: Part) => {
    const now = clock();
    sums.set(current, (sums.get(current) ?? 0) + now - since);
    if (!sums.has(part)) sums.set(part, 0);
    current = part;
    since = now;
  };
  return {
    begin,
    during: (part, work) => {
      const interrupted = current;
      begin(part);
      const result = work();
      begin(interrupted);
      return result;
    },
    read: () => {
      begin(current);
      return [...sums].map(([part, milliseconds]) => ({ part, milliseconds }));
    },
  };
}
