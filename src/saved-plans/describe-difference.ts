import type { Diagnostic } from "../model/diagnostic.ts";
import type { Shown } from "../model/plan.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import type { Difference } from "./difference.ts";

/** What a person is told of each difference between a saved plan and what would be done now. */
export function describeDifferences(differences: readonly Difference[], { resources }: SavedPlan): Diagnostic[] {
  const places = new Map(resources.map(({ address, at }) => [address, at]));
  return differences.map((difference) => {
    const at = places.get(difference.address);
    return {
      severity: "error",
      code: difference.sort,
      summary: summaryOf(difference),
      hint: "nothing was changed; plan again, and look at what has changed since",
      ...(at && { at }),
    };
  });
}

function summaryOf({ address, sort, field, was, is }: Difference): string {
  if (sort === "moved") {
    if (field === undefined && is.is === "absent") return `${address} has moved since the plan was made: it is gone`;
    return `${address} has moved since the plan was made: ${field} was ${text(was)}, and is ${text(is)}`;
  }
  if (field === undefined) return `${address}: a step that the plan does not hold would be needed now (${text(is)})`;
  return was.is === "absent"
    ? `${address}: ${field} would become ${text(is)}, which the plan does not hold`
    : `${address}: ${field} would become ${text(is)}; the plan says ${text(was)}`;
}

function text(shown: Shown): string {
  switch (shown.is) {
    case "value":
      return typeof shown.value === "string" ? shown.value : JSON.stringify(shown.value);
    case "sensitive":
      return "(sensitive)";
    case "known_after_apply":
      return "(known after apply)";
    case "absent":
      return "not there";
  }
}
