import type { Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { saysTheSame } from "./origin.ts";

type RevertingInput = Pick<PlanInput, "desired" | "ownership">;

/**
 * Returns the addresses at which this plan would delete something, or take back what the commit of the last apply has changed, where
 * this commit does not contain that one. A change that only this commit makes takes nothing back. What is not known counts.
 */
export function revertedBy(
  { desired, ownership }: RevertingInput,
  steps: readonly Step[],
  owned: Plan["owned"],
): Address[] {
  if (!ownership.rolledBack) return [];
  const { there, base } = ownership.missed ?? {};
  const reverts = (step: Step) => {
    if (step.action === "delete") return true;
    if (step.action === "renew") return false;
    if (!there || !base) return true;
    const [then, before, now] = [there, base, desired].map(({ resources }) => resources.get(step.address));
    if (!then && !before) return false;
    return !(then && now && saysTheSame(then, now, step)) && !(then && before && saysTheSame(before, then, step));
  };
  const unprotected = owned.addresses.filter(
    (address) =>
      ownership.inventory?.preventDestroy.has(address) === true &&
      !owned.preventDestroy.includes(address) &&
      base?.resources.get(address)?.lifecycle?.preventDestroy !== true,
  );
  return [...new Set([...steps.filter(reverts).map(({ address }) => address), ...unprotected])].sort();
}
