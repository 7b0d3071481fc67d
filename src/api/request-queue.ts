import { noPace, paceAfterAnswer, paceAfterIdling, paceAfterRefusal } from "./pace.ts";
import type { LimitAnswer } from "./bucket.ts";
import type { Clock } from "../lib/repeat-until.ts";

/** Rate-limit feedback from one attempt. */
export interface RateFeedback extends Pick<LimitAnswer, "refused" | "remaining"> {
  /** Milliseconds for which nothing more is to start. */
  readonly pause?: number | undefined;
}

/** Decides when a request may be sent. There is one queue per origin, so that reads and writes share its rate limit. */
export interface RequestQueue {
  /**
   * Waits for a turn. Reads and writes take turns, so that polling holds up no write; what goes on with a list, or is tried again, goes before its like.
   * Undefined where the run was stopped: then whoever waits is turned away, and so is any write, and any read that a pause would hold up.
   * `finish`: it is let in all the same.
   */
  readonly enter: (turn: Turn) => Promise<Ticket | undefined>;
  /** To be called once for every ticket. */
  readonly leave: (ticket: Ticket, lesson: RateFeedback) => void;
  readonly isPaused: () => boolean;
}

interface Turn {
  readonly write: boolean;
  readonly again: boolean;
  readonly finish?: boolean;
}

interface Waiting {
  readonly finish: boolean;
  readonly start: (isLetIn: boolean) => void;
}

export interface Ticket {
  readonly cuts: number;
}

/** Milliseconds without requests that count as idling. Steps that end together wait for the disk together, which takes less. */
const shortestIdling = 100;

/** @param stop aborted once the run is to end. */
export function makeRequestQueue(most: number, { now, sleep }: Clock, stop: AbortSignal): RequestQueue {
  const queues: Record<Lane, Waiting[]> = { read: [], write: [] };
  let limit = startLimit(most);
  let remaining = Number.POSITIVE_INFINITY;
  const pacer = makePacer({ now, sleep }, stop);
  let underWay = 0;
  let lastAnswer = now();
  let pausedUntil = 0;
  let sleeping = false;
  let last: Lane = "read";
  const nextLane = () => [other(last), last].find((lane) => queues[lane].length > 0);
  const open = () => {
    for (let lane = nextLane(); lane; lane = nextLane()) {
      if (pausedUntil > now()) {
        if (stop.aborted) turnAway();
        return nextLane() === undefined ? undefined : void wake();
      }
      if (pausedUntil > 0) pacer.restart();
      pausedUntil = 0;
      // The server's number of those that remain may not count the requests under way yet.
      if (underWay >= Math.min(limit.now, remaining)) return;
      if (!pacer.isDue()) return void pacer.wait(open);
      pacer.start();
      last = lane;
      underWay += 1;
      queues[lane].shift()?.start(true);
    }
  };
  const turnAway = () => {
    for (const waiting of [...queues.read.splice(0), ...queues.write.splice(0)]) {
      if (waiting.finish) queues.write.push(waiting);
      else waiting.start(false);
    }
  };
  stop.addEventListener("abort", turnAway);
  // Only while someone waits: a timer that nobody waits for would keep the process alive.
  const wake = async () => {
    if (sleeping) return;
    sleeping = true;
    const until = pausedUntil;
    const wasStopped = stop.aborted;
    await sleep(until - now(), wasStopped ? undefined : stop);
    sleeping = false;
    if (pausedUntil === until && stop.aborted === wasStopped) pausedUntil = Math.min(until, now());
    open();
  };
  return {
    enter: ({ write, again, finish = false }) =>
      new Promise((resolve) => {
        const queue = queues[write ? "write" : "read"];
        const isIdle = underWay === 0 && nextLane() === undefined;
        if (isIdle && now() - lastAnswer >= shortestIdling) pacer.resume();
        const start = (isLetIn: boolean) => resolve(isLetIn ? { cuts: limit.cuts } : undefined);
        if (stop.aborted && write && !finish) start(false);
        else if (again) queue.unshift({ finish, start });
        else queue.push({ finish, start });
        open();
      }),
    leave: ({ cuts }, { refused, remaining: stated, pause = 0 }) => {
      underWay -= 1;
      lastAnswer = now();
      // Those that were under way together are refused together: only the first counts.
      if (!refused || cuts === limit.cuts) pacer.learn(refused, pause);
      limit = limitAfter(limit, cuts, refused);
      if (pacer.isPaced()) limit = { ...limit, now: limit.most };
      // None left, and no word of when there will be: then only a refusal can tell.
      remaining = stated || Number.POSITIVE_INFINITY;
      if (pause > 0) pausedUntil = Math.max(pausedUntil, now() + pause);
      open();
    },
    isPaused: () => pausedUntil > now(),
  };
}

/** Milliseconds that a start may be late without slowing the pace: timers are no more exact. */
const mostBehind = 20;

/** Requests a second from which on a server needs no pace. */
const fastest = 1000;

/** Keeps the starts of requests apart, once refusals have shown the server's rate. */
function makePacer({ now, sleep }: Clock, stop: AbortSignal) {
  let pace = noPace(now());
  let next = 0;
  let isWaiting = false;
  const answered: number[] = [];
  return {
    isPaced: () => pace.interval > 0,
    isDue: () => next <= now(),
    start: () => {
      next = Math.max(next, now() - mostBehind) + pace.interval;
    },
    /** Counts from now on: what was late before a pause is not caught up after it. */
    restart: () => {
      next = Math.max(next, now());
    },
    /** Calls `open` when the next request is due. */
    wait: async (open: () => void) => {
      if (isWaiting) return;
      isWaiting = true;
      const until = next;
      await sleep(until - now(), stop.aborted ? undefined : stop);
      isWaiting = false;
      // The wait counts where the clock has been put back meanwhile.
      if (next === until && next - now() > mostBehind) next = now();
      open();
    },
    resume: () => {
      pace = paceAfterIdling(pace, now());
    },
    learn: (refused: boolean, pause: number) => {
      if (refused) {
        const lastSecond = answered.filter((time) => time > now() - 1000).length;
        pace = paceAfterRefusal(pace, now(), { pause, lastSecond });
        return;
      }
      if (answered.push(now()) > 2 * fastest) answered.splice(0, fastest);
      pace = paceAfterAnswer(pace, now());
    },
  };
}

type Lane = "read" | "write";
const other = (lane: Lane): Lane => (lane === "read" ? "write" : "read");

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
