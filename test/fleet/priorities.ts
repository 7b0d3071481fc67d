import type { Work } from "../../src/api/bucket.ts";

/** Between two kinds of work: more jobs than an owner has in the queue. */
const step = 10_000_000;

const ranks: Readonly<Record<Work, number>> = { recovery: 3, apply: 2, plan: 1, drift: 0 };

/**
 * Returns the priority of each job that is put into the queue; the highest runs first. Within a kind of work the first jobs of all owners
 * come before the second ones, so that one with many does not hold up one with few.
 * @param owners the owner of each job, in the order in which the jobs of one are to run.
 * @param waiting the number of jobs of the kind that each owner has in the queue already.
 */
export function priorities(
  work: Work,
  owners: readonly string[],
  waiting: ReadonlyMap<string, number>,
): readonly number[] {
  const counts = new Map(waiting);
  return owners.map((owner) => {
    const count = counts.get(owner) ?? 0;
    counts.set(owner, count + 1);
    return ranks[work] * step - Math.min(count, step - 1);
  });
}
