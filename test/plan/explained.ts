import type { Address } from "../../src/model/address.ts";
import type { Explanation } from "../../src/model/explanation.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { explain } from "../../src/plan/explain.ts";
import { plan } from "../../src/plan/plan.ts";

/** What `why` is told of an address. Throws where there is nothing to tell. */
export function explained(input: PlanInput, address: string): Explanation {
  const explanation = explain(input, plan(input), address as Address);
  if (!explanation) throw new Error(`${address} is not explained`);
  return explanation;
}
