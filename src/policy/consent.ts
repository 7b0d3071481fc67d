import { kindNamed } from "../kinds/index.ts";
import { refusals, type Refusal } from "../messages/refusals.ts";
import { kindOf } from "../model/address.ts";
import { openFields } from "../model/body.ts";
import type { Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { countScopes, isNamed } from "./delete-scopes.ts";

/** Returns the refusals of the kinds themselves, such as that of a change that would break a chain of trust. */
export function refusedByKind({ live, desired, consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  const counts = countScopes(consent, steps);
  return steps.flatMap((step): Refusal[] => {
    const before = live.resources.get(step.address)?.remotes[0]?.fields;
    if (!before || step.action === "create") return [];
    const wanted = step.action === "delete" && !step.replaces ? undefined : desired.resources.get(step.address);
    const refused = kindNamed(kindOf(step.address)).guard?.refuse?.(before, wanted && openFields(wanted.fields));
    if (!refused) return [];
    // A number of deletions says nothing of updates.
    const named = step.action === "delete" ? isNamed(consent, counts, step) : consent.deletes.has(step.address);
    if (refused.consent && named) return [];
    return [refused.consent ? refusals.needsConsent(step, refused.summary) : refusals.byKind(step, refused.summary)];
  });
}

/** Refuses each step that costs money or cannot be undone, and is not named. */
export function unnamedPurchases({ consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  return steps.filter(({ purchase, address }) => purchase && !consent.purchases.has(address)).map(refusals.purchase);
}
