import type { Address } from "../model/address.ts";
import type { Inventory } from "../model/inventory.ts";
import type { Plan } from "../model/plan.ts";
import type { Outcome, Report } from "../model/report.ts";

/** Failures after which it is certain that nothing was made. */
const nothingMade: ReadonlySet<string> = new Set([
  "unreachable",
  "untrusted",
  "unauthorized",
  "forbidden",
  "invalid",
  "rate_limited",
]);

type Owned = Pick<Inventory, "addresses" | "preventDestroy">;

/**
 * What is ours while a plan runs: all that was, and all that it may make. A run that is cut off leaves this behind, so that
 * nothing it has made is forgotten.
 */
export function ownedDuring(before: Owned, { owned }: Plan): Owned {
  return {
    addresses: new Set([...before.addresses, ...owned.addresses]),
    preventDestroy: new Set([...before.preventDestroy, ...owned.preventDestroy]),
  };
}

/**
 * What is ours after a plan has run, whole or in part: what was to go and did not stays ours, what was to be made and surely was
 * not is not ours.
 */
export function ownedAfter(before: Owned, { owned }: Plan, { outcomes }: Pick<Report, "outcomes">): Owned {
  const addresses = new Set<Address>(owned.addresses);
  const preventDestroy = new Set<Address>(owned.preventDestroy);
  for (const { step, outcome } of outcomes) {
    if (outcome.is === "done") continue;
    if (step.action === "delete" && !step.replaces && before.addresses.has(step.address)) {
      addresses.add(step.address);
      if (before.preventDestroy.has(step.address)) preventDestroy.add(step.address);
    }
    if (step.action === "create" && !before.addresses.has(step.address) && !step.replaces && madeNothing(outcome)) {
      addresses.delete(step.address);
      preventDestroy.delete(step.address);
    }
  }
  return { addresses, preventDestroy };
}

function madeNothing(outcome: Outcome): boolean {
  if (outcome.is !== "failed") return outcome.is !== "done";
  return outcome.callsDone === 0 && nothingMade.has(outcome.failure.sort);
}
