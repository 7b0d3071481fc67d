/**
 * The limit of requests under way, as a value that answers change: one more for every `growEvery` that went well, half after a
 * refusal for being too many (additive increase, multiplicative decrease). Pure.
 */
export interface Limit {
  /** Requests under way at most: from 1 to `most`. */
  readonly now: number;
  readonly most: number;
  /** The number of times it was halved. A request gets the number when it starts. */
  readonly cuts: number;
  /** The number of requests that went well since it last changed. */
  readonly good: number;
}

/** So slow that little of what is gained between two refusals is lost at the next. `pace.ts` adds what a server shows that counts per second. */
const growEvery = 50;

/** It starts at the most: a server that has no limit is not to be slow at first. */
export const startLimit = (most: number): Limit => ({ now: most, most, cuts: 0, good: 0 });

/**
 * The limit after one answer.
 * @param cutsAtStart `cuts` when the request started: of those that were under way together, only the first refusal counts.
 */
export function limitAfter(limit: Limit, cutsAtStart: number, refused: boolean): Limit {
  if (refused) {
    if (cutsAtStart < limit.cuts) return limit;
    return { ...limit, now: Math.max(1, Math.floor(limit.now / 2)), cuts: limit.cuts + 1, good: 0 };
  }
  if (limit.now === limit.most) return limit;
  const grows = limit.good + 1 >= growEvery;
  return grows ? { ...limit, now: limit.now + 1, good: 0 } : { ...limit, good: limit.good + 1 };
}
