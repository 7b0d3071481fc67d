import type { PlanInput } from "../model/plan-input.ts";
import { inheritValues } from "./inherit-values.ts";
import { matchPrefixed, type Matched } from "./match.ts";
import { resolveReferences } from "./resolve-references.ts";

/** What is desired and what is live as the planner compares them: references looked up, values inherited, prefixed names found. */
export function prepare({
  desired,
  live,
  contract,
  ownership,
}: Omit<PlanInput, "target" | "consent" | "now">): Matched {
  return matchPrefixed(
    inheritValues(resolveReferences(desired, live), live),
    live,
    contract,
    ownership.inventory?.addresses,
  );
}
