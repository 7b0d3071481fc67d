import type { FlagsToRepeat, RepeatedFlag } from "../messages/findings.ts";
import { kindNamed } from "../kinds/index.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Plan } from "../model/plan.ts";
import { isRotatable } from "../plan/rotation.ts";

/** Finds the flags that are no part of an approval, and so must be given to the apply as they were to the plan. */
export function flagsToRepeat({ desired, live, consent, selection, ownership }: PlanInput, made: Plan): FlagsToRepeat {
  const { only, except } = selection;
  const declared = [...desired.resources.values()];
  const isLive = declared.filter(({ address }) => live.resources.has(address));
  const mayRotate = isLive.some((resource) => isRotatable(kindNamed(resource.kind), resource));
  const mayRetry = made.diagnostics.some(({ code }) => code === "failed_on_server");
  const canChoose = made.steps.length > 1 || made.refusals.length > 0;
  const flags: readonly (readonly [flag: RepeatedFlag, isGiven: boolean, mayMatter: boolean])[] = [
    ["only", only.length > 0, canChoose],
    ["except", except.length > 0, canChoose],
    ["rotate", consent.rotations.size > 0, mayRotate],
    ["retry", consent.retries.size > 0, mayRetry],
    ["rollback", consent.rollback, ownership.rolledBack],
  ];
  return {
    missing: flags.flatMap(([flag, isGiven, mayMatter]) => (!isGiven && mayMatter ? [flag] : [])),
    given: flags.flatMap(([flag, isGiven]) => (isGiven ? [flag] : [])),
  };
}
