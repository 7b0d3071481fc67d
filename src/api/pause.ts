import type { Pause } from "../model/attempt.ts";
import type { ApiRules } from "../model/contract.ts";
import type { Result } from "../model/failure.ts";
import type { Header } from "./read-text.ts";
import { longestWait, retryAsked, waitAsked } from "./retry.ts";

/** The number of requests that the server still takes, and the milliseconds until it takes more; where it says so. */
export interface Quota {
  readonly remaining: number | undefined;
  readonly reset: number | undefined;
}

/** @param now milliseconds since the epoch. */
export function readQuota({ answer }: ApiRules, header: Header, now: number): Quota {
  const { remaining, reset } = answer.rate_limit;
  const stated = header(remaining) ?? "";
  return { remaining: /^\d+$/u.test(stated) ? Number(stated) : undefined, reset: waitAsked(header(reset), now) };
}

/** Those who are turned away wait together, and so does everyone where a limit is used up. `wait`: of the request that was answered so. */
export function pauseForAll(
  result: Result<unknown>,
  wait: number | undefined,
  { remaining, reset }: Quota,
  now: number,
): Pause | undefined {
  if (wait !== undefined && !result.ok && isThrottled(result)) {
    const { status } = result.error;
    const asked = retryAsked(result.error, now);
    return { milliseconds: wait, ...(asked !== undefined && { asked }), ...(status !== undefined && { status }) };
  }
  if (remaining !== 0 || reset === undefined) return undefined;
  return { milliseconds: Math.min(reset, longestWait), asked: reset };
}

/**
 * Keeps the time since which each answer has been to come back later, whatever was asked: those who wait for one limit wait together, not one
 * after another. It is called for every attempt, with its beginning, in milliseconds since the epoch. Undefined if no request waits.
 */
export type ThrottleTracker = (result: Result<unknown>, began: number) => number | undefined;

export function trackThrottling(): ThrottleTracker {
  let since: number | undefined;
  return (result, began) => {
    if (isThrottled(result)) since = Math.min(since ?? began, began);
    // A request without any answer says nothing of a limit.
    else if (result.ok || result.error.status !== undefined) since = undefined;
    return since;
  };
}

/** Whether the server throttled the request (rate limit or Retry-After). Throttling affects all requests, not only this one. */
export const isThrottled = (result: Result<unknown>): boolean =>
  !result.ok && (result.error.sort === "rate_limited" || result.error.retryAfter !== undefined);
