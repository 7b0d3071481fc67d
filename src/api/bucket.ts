/**
 * The requests that all who use one API may send now: a token each, which come back at a steady rate. A value with pure functions, each of
 * which one statement of a database can do: `least`, `greatest` and arithmetic over one row. Points in time are milliseconds since the epoch.
 */
export interface Bucket {
  /** Tokens that were not taken at `refilled`. */
  readonly tokens: number;
  readonly refilled: number;
  /** Tokens that come back in a second. */
  readonly rate: number;
  /** The rate that refusals have not made smaller. */
  readonly most: number;
  /** The most tokens that wait to be taken. */
  readonly cap: number;
  /** Nothing is sent before. */
  readonly pausedUntil: number;
  /** The longest time, in seconds, of which an answer said how many requests it takes; 0 where none did, undefined until there was one. */
  readonly window: number | undefined;
}

/** The purpose of a request, the most urgent first. */
export type Work = "recovery" | "apply" | "plan" | "drift";

/** The share of a full bucket that each leaves to what is more urgent: while that waits, the bucket never fills so far. */
const reserve: Readonly<Record<Work, number>> = { recovery: 0, apply: 0.2, plan: 0.4, drift: 0.6 };

/** The share of a limit that may be sent at once, and the one of its time for which a token may be held before it is used. */
const burst = 1 / 40;
const held = 1 / 120;

/** After a refusal the rate is this share of it, and it grows by so much of itself in a second. */
const slower = 0.5;
const growth = 0.001;

/**
 * Returns the bucket of an API that takes `limit` requests in `window` seconds, whenever these begin: a full bucket and what comes back in
 * the window are no more than the limit.
 */
export function bucketFor(limit: number, window: number, now: number): Bucket {
  const cap = Math.max(1, limit * burst, Math.min(4, limit / 20));
  const most = Math.max(1, limit - cap) / (window * (1 + held));
  return { tokens: cap, refilled: now, rate: most, most, cap, pausedUntil: 0, window };
}

/** Milliseconds for which a worker may hold what it took of a bucket. */
export const holdTime = (window: number): number => 1000 * window * held;

/** The bucket of an API that has not been asked yet: one request at a time, until an answer says how many it takes, or nothing of that. */
export const unknownLimit = (now: number): Bucket => ({
  tokens: 1,
  refilled: now,
  rate: 2,
  most: 2,
  cap: 1,
  pausedUntil: 0,
  window: undefined,
});

const withoutLimit = (now: number): Bucket => ({ ...bucketFor(60_000, 60, now), tokens: 50, cap: 50, window: 0 });

/** Returns the bucket at a time: with the tokens that came back, though none did in a pause. */
function refill(bucket: Bucket, now: number): Bucket {
  // The clock of a database may be put back.
  const seconds = Math.max(0, now - Math.max(bucket.refilled, bucket.pausedUntil)) / 1000;
  const rate = Math.min(bucket.most, bucket.rate * (1 + growth * seconds));
  return { ...bucket, tokens: Math.min(bucket.cap, bucket.tokens + bucket.rate * seconds), refilled: now, rate };
}

/**
 * Takes up to `count` tokens for one kind of work. Returns how many requests a worker may send, or the milliseconds that it waits before it
 * asks again.
 */
export function takeTokens(before: Bucket, count: number, work: Work, now: number) {
  const bucket = refill(before, now);
  if (bucket.pausedUntil > now) return { bucket: before, count: 0, wait: bucket.pausedUntil - now };
  const kept = reserve[work] * (bucket.cap - 1);
  const taken = Math.max(0, Math.min(count, Math.floor(bucket.tokens - kept)));
  const wait = taken > 0 ? 0 : Math.ceil((1000 * (1 + kept - bucket.tokens)) / bucket.rate);
  return { bucket: { ...bucket, tokens: bucket.tokens - taken }, count: taken, wait };
}

/** The limit as an answer shows it. */
export interface LimitAnswer {
  /** It was refused for being one too many. */
  readonly refused: boolean;
  /** Requests that the API still takes before it counts anew, where it says so. */
  readonly remaining?: number | undefined;
  /** Milliseconds until it counts anew, or until it may be asked again, where it says so. */
  readonly after?: number | undefined;
}

/** Milliseconds without requests after a refusal that does not say how long. */
const shortestPause = 1000;

/** Returns the bucket after an answer. Of requests that are refused together, the first alone makes it slower. */
export function learnLimit(before: Bucket, { refused, remaining, after: asked }: LimitAnswer, now: number): Bucket {
  // A limit that counts longer than an hour is learned by its refusals: a wrong number does not hold up everybody for years.
  const after = asked && Math.floor(Math.min(asked, 3_600_000));
  const known = before.window === undefined ? { ...withoutLimit(now), pausedUntil: before.pausedUntil } : before;
  if (refused || (remaining === 0 && after !== undefined)) {
    const bucket = refill(refused ? known : before, now);
    const isFirst = refused && before.pausedUntil <= now;
    const pausedUntil = Math.max(before.pausedUntil, now + (after ?? shortestPause));
    return { ...bucket, tokens: 0, rate: isFirst ? bucket.rate * slower : bucket.rate, pausedUntil };
  }
  const bucket = refill(known, now);
  if (!remaining) return bucket;
  if (!after) return { ...bucket, tokens: Math.min(bucket.tokens, remaining) };
  // Of a limit an answer shows what is left of it: the one with the longest time before it shows the most.
  const { window = 0, most } = bucket;
  const stated = bucketFor(remaining, after / 1000, now);
  const isMore = after / 1000 > window || (after / 1000 === window && stated.most > most);
  const next = isMore ? { ...stated, pausedUntil: bucket.pausedUntil } : bucket;
  const tokens = Math.min(bucket.tokens, next.cap, remaining);
  // The rest is spread over the time for which it must do.
  return { ...next, tokens, rate: Math.min(next.most, (1000 * Math.max(1, remaining - tokens)) / after) };
}
