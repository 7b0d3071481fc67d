const longestWait = 5_000;

/** The time, and the way to let it pass. */
export interface Clock {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Ends early once `stop` is aborted. */
  readonly sleep: (milliseconds: number, stop?: AbortSignal) => Promise<void>;
}

interface Bounds {
  readonly milliseconds: number;
  readonly firstWait: number;
  readonly stop: AbortSignal;
}

/**
 * Looks, and looks again with doubling waits until it is done, the time is over or the run is stopped. The last look is when
 * `milliseconds` are over, not before. Returns the result of the last look.
 */
export async function repeatUntil<T>(
  { now, sleep }: Clock,
  { milliseconds, firstWait, stop }: Bounds,
  look: (isFirst: boolean) => Promise<T>,
  isDone: (seen: T) => boolean,
): Promise<T> {
  const deadline = now() + milliseconds;
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    const isLast = now() >= deadline;
    const seen = await look(wait === firstWait);
    if (isDone(seen) || isLast) return seen;
    await sleep(Math.min(wait, Math.max(deadline - now(), 0)), stop);
    if (stop.aborted) return seen;
  }
}
