import type { LeaseHolder } from "../model/inventory.ts";

/** Describes the holder of the lock, and since when it is held, by the clock of that machine. */
export const holderText = (by: LeaseHolder | undefined): string =>
  by
    ? `the apply by ${by.by} since ${by.since} (process ${by.pid} on ${by.host})`
    : "another apply, whose process is unknown,";
