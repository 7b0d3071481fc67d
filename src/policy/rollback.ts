import { describeMissed } from "../messages/missed-apply.ts";
import { refusals, type Refusal } from "../messages/refusals.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";

type RollbackInput = Pick<PlanInput, "ownership" | "consent" | "now">;

/**
 * Refuses a plan that would delete something or take a change back, if HEAD is not known to contain the commit of the last apply.
 * @param reverted the addresses at which it would.
 */
export function refuseRollback(given: RollbackInput, reverted: readonly Address[]): Refusal[] {
  if (!given.ownership.rolledBack || given.consent.rollback || reverted.length === 0) return [];
  const { missed } = given.ownership;
  const isKnown = missed?.there !== undefined && missed.base !== undefined;
  return [refusals.rolledBack({}, missed && whatIsMissed(missed), given.now, reverted, isKnown)];
}

/** Returns the apply that is missed, without what was read from git to find out. */
const whatIsMissed = ({ base: _base, there: _there, ...missed }: NonNullable<RollbackInput["ownership"]["missed"]>) =>
  missed;

/** Says the same as a notice, where the plan takes nothing back. */
export function noticeMissedApply(given: RollbackInput, reverted: readonly Address[]): Diagnostic[] {
  if (!given.ownership.rolledBack || given.consent.rollback || reverted.length > 0) return [];
  const hint = "nothing of it would be deleted or reverted";
  return [
    { severity: "notice", code: "rolled_back", summary: describeMissed(given.ownership.missed, given.now), hint },
  ];
}

/** Returns what was found, behind a warning of the missed apply that may explain it. */
export function explainedFirst({ refusals: all }: Pick<Plan, "refusals">, found: readonly Diagnostic[]): Diagnostic[] {
  const older = found.length === 0 ? [] : all.filter(({ code }) => code === "rolled_back");
  return [
    ...older.map(({ summary, hint }) => ({ severity: "warning" as const, code: "rolled_back", summary, hint })),
    ...found,
  ];
}
