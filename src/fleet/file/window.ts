import { getOrMake } from "../../lib/collect.ts";
import type { Window } from "../model.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

export const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/** Returns whether a window is open at a moment, in milliseconds since the epoch: the clock on a wall in its time zone says so. */
export const isOpen = (window: Window, at: number): boolean => untilOpen(window, wallTime(window.timeZone, at)) === 0;

/**
 * Returns the first moment, from one on, at which a window is open. Where the clocks are put forward, it is the first one that the wall
 * shows of the window; a window that the wall does not show that day is open the next time.
 */
export function opensAt(window: Window, from: number): number {
  const wall = wallTime(window.timeZone, from);
  const opens = from + untilOpen(window, wall);
  const isChanged = wallTime(window.timeZone, opens) - opens !== wall - from;
  return isChanged ? opensAt(window, nextChange(window.timeZone, from, opens)) : opens;
}

export const describeShut = (window: Window, now: number): string =>
  `its window opens at ${new Date(opensAt(window, now)).toISOString()}`;

/** Returns the milliseconds from a time of the wall to the next one in the window, as if no clock were ever changed. */
function untilOpen({ days, from, to }: Window, wall: number): number {
  const length = to > from ? to - from : to + 24 * 60 - from;
  const today = Math.floor(wall / day) * day;
  // The window of yesterday may still be open; that of a week later is the last that can be next.
  for (let begins = today - day + from * minute; ; begins += day) {
    const isOf = days.length === 0 || days.includes(new Date(begins).getUTCDay());
    if (isOf && wall < begins + length * minute) return Math.max(0, begins - wall);
  }
}

/** Returns the first moment at which the clock of the wall differs from that at `from`; at `to` it does. */
function nextChange(timeZone: string, from: number, to: number): number {
  const offset = wallTime(timeZone, from) - from;
  let [before, after] = [from, to];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTime(timeZone, middle) - middle === offset) before = middle;
    else after = middle;
  }
  return after;
}

// A cache only: making a formatter takes a hundred times as long as using it.
const formatters = new Map<string, Intl.DateTimeFormat>();

const formatterOf = (timeZone: string) =>
  getOrMake(formatters, timeZone, () => {
    const parts = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
    return new Intl.DateTimeFormat("en-US", { ...parts, second: "numeric", hourCycle: "h23", timeZone });
  });

/** Returns the moment at which a clock in UTC shows what a wall of the time zone shows at `at`. */
function wallTime(timeZone: string, at: number): number {
  const parts = formatterOf(timeZone).formatToParts(at);
  const [year = 0, month = 1, ...rest] = ["year", "month", "day", "hour", "minute", "second"].map((type) =>
    Number(parts.find((part) => part.type === type)?.value),
  );
  return Date.UTC(year, month - 1, ...rest) + (((at % 1000) + 1000) % 1000);
}
