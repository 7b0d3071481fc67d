import { nameSome } from "../lib/name-some.ts";
import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Plan, Refusal } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";

type RollbackInput = Pick<PlanInput, "ownership" | "consent" | "now">;

/**
 * Refuses a plan that would delete something or take a change back, if HEAD is not known to contain the commit of the last apply.
 * @param reverted the addresses at which it would.
 */
export function refuseRollback(given: RollbackInput, reverted: readonly Address[]): Refusal[] {
  if (!given.ownership.rolledBack || given.consent.rollback || reverted.length === 0) return [];
  return [{ code: "rolled_back", summary: describe(given), hint: listed(given, reverted), flag: "--rollback" }];
}

/** Says the same as a notice, where the plan takes nothing back. */
export function noticeMissedApply(given: RollbackInput, reverted: readonly Address[]): Diagnostic[] {
  if (!given.ownership.rolledBack || given.consent.rollback || reverted.length > 0) return [];
  const hint = "nothing of it would be deleted or reverted";
  return [{ severity: "notice", code: "rolled_back", summary: describe(given), hint }];
}

/** Returns what was found, behind a warning of the missed apply that may explain it. */
export function explainedFirst({ refusals }: Pick<Plan, "refusals">, found: readonly Diagnostic[]): Diagnostic[] {
  const older = found.length === 0 ? [] : refusals.filter(({ code }) => code === "rolled_back");
  return [
    ...older.map(({ summary, hint }) => ({ severity: "warning" as const, code: "rolled_back", summary, hint })),
    ...found,
  ];
}

function listed({ ownership: { missed } }: RollbackInput, addresses: readonly Address[]): string {
  const isKnown = missed?.there !== undefined && missed.base !== undefined;
  const named = nameSome(addresses, 10);
  return isKnown
    ? `this plan would delete or revert ${named}`
    : `this plan deletes or changes ${named}, and git cannot tell whether that takes back the last apply`;
}

function describe({ ownership: { missed }, now }: RollbackInput): string {
  const onlyIf = "Only if you mean to go back: --rollback";
  if (!missed) return `This branch is not known to contain the commit of the last apply. ${onlyIf}`;
  const { commit, by, time, branch = "main", isHere, isCertain, dirty } = missed;
  const short = commit.slice(0, 7);
  const known = [by, ageOf(time, now), dirty === true ? "with uncommitted changes" : undefined]
    .filter((each) => each !== undefined)
    .join(", ");
  const applied = `${branch} was applied at ${short}${known === "" ? "" : ` (${known})`}`;
  if (!isCertain)
    return `${applied}, and this clone cannot tell whether this branch contains it: fetch the whole history (\`git fetch --unshallow\`, or fetch-depth: 0 in CI). ${onlyIf}`;
  const merge = isHere
    ? `\`git merge ${short}\``
    : `\`git fetch && git merge ${short}\` (if git does not know that commit, it has not been pushed yet)`;
  return `${applied}, and this branch does not contain it: ${merge}. ${onlyIf}`;
}

const units = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;

/** Returns how long ago a time was, in the largest unit that fits. */
function ageOf(time: string | undefined, now: number): string | undefined {
  const age = now - Date.parse(time ?? "");
  if (Number.isNaN(age)) return undefined;
  const [unit, length] = units.find(([, each]) => age >= each) ?? [];
  if (unit === undefined || length === undefined) return "just now";
  const count = Math.floor(age / length);
  return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
}
