import { everything, nothingOwned, type Ownership, type PlanInput } from "../model/plan-input.ts";
import type { Desired } from "../model/resource.ts";

/**
 * Returns the ownership and the selection to plan a saved plan again. The plan names all that it is about, so nothing is chosen, and
 * nothing goes for not being declared. An object with a longer name on the server is found by the inventory, or if none is kept, by the
 * names of the plan.
 */
export const byItself = (
  { resources, removed }: Desired,
  inventory: Ownership["inventory"],
): Pick<PlanInput, "ownership" | "selection"> => ({
  ownership: { ...nothingOwned, names: inventory?.addresses ?? new Set([...resources.keys(), ...removed.keys()]) },
  selection: everything,
});
