import type { ApiRules } from "../model/contract.ts";
import type { Failure } from "../model/failure.ts";

export interface RetryDeps {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const maxAttempts = 6;
const firstWait = 250;
const longestBackoff = 10_000;
const longestRetryAfter = 60_000;

/**
 * Milliseconds to wait before the next attempt, or undefined where none is to be made.
 * A POST is repeated only if it was never processed (refused connection, rate limit) or carries an idempotency key.
 */
export function decideRetry(
  failure: Failure,
  attempt: number,
  request: { readonly method: string; readonly idempotencyKey?: string },
  rules: ApiRules,
  deps: RetryDeps,
): number | undefined {
  if (attempt >= maxAttempts || !passes(failure)) return undefined;
  const repeatable =
    request.method !== "POST" || (rules.request.idempotency !== undefined && request.idempotencyKey !== undefined);
  const unprocessed = failure.sort === "rate_limited" || failure.sort === "unreachable";
  if (!repeatable && !unprocessed) return undefined;
  return waitAsked(failure.retryAfter, deps.now()) ?? backoff(attempt, deps.random());
}

/** Whether the failure may pass by itself. */
function passes({ sort, status }: Failure): boolean {
  if (sort === "unreachable" || sort === "unknown_outcome" || sort === "rate_limited") return true;
  if (sort === "malformed") return status !== undefined && status >= 200 && status < 300;
  return sort === "server_error" && status !== 501 && status !== 505;
}

/** `Retry-After`: seconds, or an HTTP date. */
function waitAsked(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  const seconds = Number(value);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), longestRetryAfter) : undefined;
}

/** Full jitter: from half to the whole of a doubling wait. */
function backoff(attempt: number, random: number): number {
  return Math.min(firstWait * 2 ** (attempt - 1), longestBackoff) * (0.5 + random / 2);
}
