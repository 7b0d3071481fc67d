import type { Clock } from "../lib/repeat-until.ts";
import type { ApiRules } from "../model/contract.ts";
import { mayBeDone, type Failure, type Result } from "../model/failure.ts";
import type { Pause } from "../model/attempt.ts";
import type { Header } from "./read-text.ts";

export interface RetryDeps extends Clock {
  /** A number in [0, 1). */
  readonly random: () => number;
}

const maxAttempts = 6;
/** A request to slow down is not a failure: it ends with the time. */
const maxRefusals = 30;
const longestTotal = 5 * 60_000;
const firstWait = 250;
const longestBackoff = 10_000;
/** However long a server asks to wait, it is asked again after a minute: much is done by then, and nobody waits for nothing. */
export const longestWait = 60_000;

/** The attempts at one request so far. */
export interface Tried {
  readonly attempts: number;
  /** Milliseconds since the first attempt began, or since the server began to ask all requests to come back later. */
  readonly elapsed: number;
}

/**
 * Returns the milliseconds to wait before the next attempt, or undefined where none is to be made: all of them together take 5 minutes
 * at most. A request that may not be repeated is sent again only if it was never processed (refused connection, rate limit).
 */
export function decideRetry(
  failure: Failure,
  { attempts, elapsed }: Tried,
  isRepeatable: boolean,
  deps: RetryDeps,
): number | undefined {
  const limited = failure.sort === "rate_limited";
  if (attempts >= (limited ? maxRefusals : maxAttempts) || !passes(failure)) return undefined;
  if (!isRepeatable && !limited && failure.sort !== "unreachable") return undefined;
  const asked = retryAsked(failure, deps.now());
  const wait = asked === undefined ? backoff(attempts, deps.random()) : Math.min(asked, longestWait);
  return elapsed + wait > longestTotal ? undefined : wait;
}

/** Whether a request may be sent twice: a POST only with an idempotency key, and never one that must be done once. */
export function mayRepeat(
  request: { readonly method: string; readonly idempotencyKey?: string; readonly once?: boolean },
  { request: { idempotency } }: ApiRules,
): boolean {
  const hasKey = idempotency !== undefined && request.idempotencyKey !== undefined;
  return request.once !== true && (request.method !== "POST" || hasKey);
}

/** Whether the failure may pass by itself. */
const passes = (failure: Failure): boolean =>
  failure.sort === "rate_limited" ||
  (failure.sort === "unreachable" && failure.lasting !== true) ||
  (mayBeDone(failure) && !isRedirect(failure));

const isRedirect = ({ status = 0 }: Failure): boolean => status >= 300 && status < 400;

/** Milliseconds after which a server asks for another attempt; undefined where that is at once, or in the past: that would be a storm. */
export function retryAsked({ retryAfter }: Failure, now: number): number | undefined {
  const asked = waitAsked(retryAfter, now);
  return asked !== undefined && asked >= firstWait ? asked : undefined;
}

/** Milliseconds that a server asks to wait: it tells seconds, seconds since the epoch, or an HTTP date. */
export function waitAsked(value: string | undefined, now: number): number | undefined {
  if (value === undefined || value.trim() === "") return undefined;
  const seconds = Number(value);
  const isTime = seconds > 1_000_000_000;
  const wait = Number.isFinite(seconds) ? seconds * 1000 - (isTime ? now : 0) : Date.parse(value) - now;
  return Number.isFinite(wait) ? Math.max(wait, 0) : undefined;
}

/** Equal jitter: from half to the whole of a doubling wait. */
function backoff(attempts: number, random: number): number {
  return Math.min(firstWait * 2 ** (attempts - 1), longestBackoff) * (0.5 + random / 2);
}

/** The number of requests that the server still takes, and the milliseconds until it takes more; where it says so. */
export interface Quota {
  readonly remaining?: number | undefined;
  readonly reset?: number | undefined;
}

/** @param now milliseconds since the epoch. */
export function readQuota({ answer }: ApiRules, header: Header, now: number): Quota {
  const { remaining, reset } = answer.rate_limit;
  const stated = header(remaining) ?? "";
  return { remaining: /^\d{1,15}$/u.test(stated) ? Number(stated) : undefined, reset: waitAsked(header(reset), now) };
}

/** Those who are turned away wait together, and so does everyone where a limit is used up. `wait`: of the request that was answered so. */
export function pauseForAll(
  result: Result<unknown>,
  wait: number | undefined,
  { remaining, reset }: Quota,
  now: number,
): Pause | undefined {
  if (wait !== undefined && !result.ok && isThrottled(result))
    return { milliseconds: wait, asked: retryAsked(result.error, now), status: result.error.status };
  if (remaining !== 0 || reset === undefined) return undefined;
  return { milliseconds: Math.min(reset, longestWait), asked: reset };
}

/**
 * Keeps the time since which each answer has been to come back later, whatever was asked: those who wait for one limit wait together, not one
 * after another. What it returns is called for every attempt, with its beginning, in milliseconds since the epoch; undefined if no request waits.
 */
export function trackThrottling() {
  let since: number | undefined;
  return (result: Result<unknown>, began: number): number | undefined => {
    if (isThrottled(result)) since = Math.min(since ?? began, began);
    // A request without any answer says nothing of a limit.
    else if (result.ok || result.error.status !== undefined) since = undefined;
    return since;
  };
}

/** Whether the server throttled the request (rate limit or Retry-After). Throttling affects all requests, not only this one. */
const isThrottled = (result: Result<unknown>): boolean =>
  !result.ok && (result.error.sort === "rate_limited" || result.error.retryAfter !== undefined);
