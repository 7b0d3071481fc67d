import type { Counts } from "../model.ts";

/**
 * Returns whether an account has more deletions than a run allows: more than `surprise` beyond those of its approved plan (default: none),
 * or in all where nobody approved one (default: as many as it likes). A replacement deletes, too.
 */
export function isSurprise(now: Counts, approved: Counts | undefined, surprise: number | undefined): boolean {
  const allowed = approved ? deletionsOf(approved) + (surprise ?? 0) : (surprise ?? Infinity);
  return deletionsOf(now) > allowed;
}

const deletionsOf = (counts: Counts) => counts.delete + counts.replace;
