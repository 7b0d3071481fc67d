/** Adds up the milliseconds of the parts of a run: each moment counts for the part that was begun last. */
export type Stopwatch<Part extends string> = ReturnType<typeof startStopwatch<Part>>;

/** Starts a stopwatch at zero of the clock. */
export function startStopwatch<Part extends string>(first: Part, clock: () => number) {
  const sums = new Map<Part, number>();
  let [current, since] = [first, 0];
  const begin = (part: Part): void => {
    const now = clock();
    sums.set(current, (sums.get(current) ?? 0) + now - since);
    [current, since] = [part, now];
  };
  return {
    begin,
    /** Returns the parts in the order in which they began first. */
    read: () => {
      begin(current);
      return [...sums].map(([part, milliseconds]) => ({ part, milliseconds }));
    },
  };
}
