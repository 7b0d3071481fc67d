import type { Counts, Run, RunAccount, RunOptions } from "../../../src/fleet/model.ts";

/** Counts of a plan with so many updates, and deletions. */
export const counts = (update: number, deletions = 0): Counts => ({ create: 0, update, delete: deletions, replace: 0 });

/** An account of a run; its plan is made of its name. */
export const account = (name: string, more: Partial<RunAccount> = {}): RunAccount => ({
  account: name,
  owner: name,
  needs: [],
  state: "queued",
  planHash: `sha256:${name}`,
  ...more,
});

/** An account with so many changes to apply. */
export const changed = (name: string, changes = 1, more: Partial<RunAccount> = {}): RunAccount =>
  account(name, { state: "changed", counts: counts(changes), ...more });

/** A run that is planning. */
export const run = (options: Partial<RunOptions> = {}, more: Partial<Run> = {}): Run => ({
  id: "r1",
  kind: "apply",
  state: "planning",
  fleet: "shops",
  created: "2026-11-27T00:00:00Z",
  createdBy: "ci",
  options: { waves: [], allowDelete: [], allowPurchase: [], ...options },
  wave: 0,
  ...more,
});
