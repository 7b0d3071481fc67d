import type { Counts } from "../model.ts";

/** Returns whether an account has more deletions than a run allows. A replacement deletes, too. */
export const isSurprise = (counts: Counts, surprise = Infinity): boolean => counts.delete + counts.replace > surprise;
