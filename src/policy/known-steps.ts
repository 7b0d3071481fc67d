import type { Address } from "../model/address.ts";
import type { Plan, Step } from "../model/plan.ts";

/** Returns the addresses of which nothing is known, because their list was not read whole: no step for them counts. */
export const unknownAddresses = ({ refusals }: Pick<Plan, "refusals">): ReadonlySet<Address> =>
  new Set(refusals.flatMap(({ code, address }) => (code === "incomplete_read" && address ? [address] : [])));

/** Returns the steps of a plan, as far as its changes are known. */
export function knownSteps(plan: Pick<Plan, "steps" | "refusals">): readonly Step[] {
  const unknown = unknownAddresses(plan);
  return plan.steps.filter(({ address }) => !unknown.has(address));
}

/** Returns a plan as far as its changes are known. */
export const knownPart = (plan: Plan): Plan => ({
  ...plan,
  steps: knownSteps(plan),
  refusals: plan.refusals.filter(({ code }) => code !== "incomplete_read"),
});

/** Returns those that count: a reference that is detached is set again by another step of the same address. */
export const countedSteps = (plan: Pick<Plan, "steps" | "refusals">): readonly Step[] =>
  knownSteps(plan).filter(({ detaches }) => detaches !== true);
