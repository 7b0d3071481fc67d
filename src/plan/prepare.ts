import type { PlanInput } from "../model/plan-input.ts";
import type { PreparedLive } from "../model/resource.ts";
import { inheritValues } from "./inherit-values.ts";
import { matchPrefixed, type Matched } from "./match.ts";
import { resolveReferences } from "./resolve-references.ts";

/** A manifest and the live state, ready to be compared: no function that compares takes another. */
export interface Prepared extends Matched {
  readonly live: PreparedLive;
}

/** What is desired and what is live as the planner compares them: references looked up, values inherited, prefixed names found. */
export function prepare({
  desired,
  live,
  contract,
  ownership,
}: Omit<PlanInput, "target" | "consent" | "now">): Prepared {
  const matched = matchPrefixed(
    inheritValues(resolveReferences(desired, live), live),
    live,
    contract,
    ownership.inventory?.addresses,
  );
  // The only place that mints the type.
  return { ...matched, live: matched.live as PreparedLive };
}
