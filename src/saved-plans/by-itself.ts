import { everything, nothingOwned, type PlanInput } from "../model/plan-input.ts";

/** How a saved plan is planned again: it names all that it is about, so nothing is chosen, and nothing goes for not being declared. */
export const byItself: Pick<PlanInput, "ownership" | "selection"> = {
  ownership: nothingOwned,
  selection: everything,
};
