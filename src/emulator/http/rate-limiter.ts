/** The requests of a key in the current minute. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the minute ends, at least 1. */
  readonly reset: number;
  readonly exceeded: boolean;
}

const minuteMs = 60_000;

/** The number that is reported if there is no limit, so that it slows no client which paces itself by it. */
const unlimited = 1_000_000;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Counts requests per key and minute, each minute beginning with its first request. Without a limit nothing is counted. */
export function createRateLimiter(limit: number | undefined) {
  const uncharged = { limit: limit ?? unlimited, remaining: limit ?? unlimited, reset: 60, exceeded: false };
  const windows = new Map<string, { readonly start: number; readonly used: number }>();
  return {
    /** The allowance of a request that no key is charged for. */
    uncharged,
    /** Counts a request of a key; `now` in ms since 1970. */
    count(keyId: string, now: number): Allowance {
      if (limit === undefined) return uncharged;
      const last = windows.get(keyId);
      const open = last !== undefined && now - last.start < minuteMs ? last : { start: now, used: 0 };
      const used = Math.min(open.used + 1, limit + 1);
      windows.set(keyId, { start: open.start, used });
      const reset = Math.max(1, Math.ceil((open.start + minuteMs - now) / 1000));
      return { limit, remaining: Math.max(0, limit - used), reset, exceeded: used > limit };
    },
  };
}
