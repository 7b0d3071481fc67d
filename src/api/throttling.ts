import type { Result } from "../model/failure.ts";

/**
 * Keeps since when each answer has been to come back later, whatever was asked: those who wait for one limit wait together, not one
 * after another. It is told of every attempt, and when that began; milliseconds since the epoch, undefined where nobody waits.
 */
export type ThrottleTracker = (result: Result<unknown>, began: number) => number | undefined;

export function trackThrottling(): ThrottleTracker {
  let since: number | undefined;
  return (result, began) => {
    if (isThrottled(result)) since = Math.min(since ?? began, began);
    // That no answer came says nothing of a limit.
    else if (result.ok || result.error.status !== undefined) since = undefined;
    return since;
  };
}

/** Whether the server throttled the request (rate limit or Retry-After). Throttling affects all requests, not only this one. */
export const isThrottled = (result: Result<unknown>): boolean =>
  !result.ok && (result.error.sort === "rate_limited" || result.error.retryAfter !== undefined);
