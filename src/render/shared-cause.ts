import type { Position } from "../model/diagnostic.ts";
import type { Plan } from "../model/plan.ts";
import { harmless, plural } from "../lib/shorten.ts";
import { groupBy } from "../lib/collect.ts";

/** From so many on, what shares a cause is printed once, and of its addresses at most so many are listed. */
const fewestTogether = 3;
const mostListed = 10;

/** Groups items with the same cause, in order of first occurrence. Groups that are too small are split into single items. */
export function groupByCause<T>(all: readonly T[], causeOf: (each: T) => readonly string[]): [T, ...T[]][] {
  const groups = groupBy(all, (each) => JSON.stringify(causeOf(each)));
  return [...groups.values()].flatMap((group) =>
    group.length < fewestTogether ? group.map((each): [T] => [each]) : [group],
  );
}

/** A line for each, or for the first `most` and what is left. */
export function listSome<T>(group: readonly T[], lineOf: (each: T) => string, most = mostListed): string[] {
  const more = group.length - most;
  return [...group.slice(0, most).map(lineOf), ...(more > 0 ? [`and ${more} more`] : [])];
}

/** Returns a sentence for each reason for which lists were not read whole: those below a parent share that of its list. */
export const incompleteLists = (incomplete: Plan["incomplete"]): string[] =>
  [...groupBy(incomplete, ({ reason }) => reason)].map(([reason, lists]) => {
    const names = listSome(lists, ({ collection }) => collection).join(", ");
    return `The ${plural(lists.length, "list")} of ${names} ${lists.length === 1 ? "is" : "are"} incomplete: ${reason}`;
  });

/** ` (FILE:LINE)` in a manifest, or nothing. */
export const positionText = (at: Position | undefined) => (at ? ` (${harmless(at.file)}:${at.line})` : "");
