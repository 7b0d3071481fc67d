import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Json } from "../model/json.ts";
import { jsonText } from "../model/json.ts";
import type { Shown } from "../model/plan.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { absent } from "../plan/shown.ts";

/** A change that is needed now and was not approved: it starts from a value that has moved since, or it is not in the plan. */
export interface Difference {
  readonly address: Address;
  readonly sort: "moved" | "not_in_plan";
  /** Undefined where it is the resource as a whole. */
  readonly field?: string;
  readonly was: Shown;
  readonly is: Shown;
}

const words = (value: Json): Shown => ({ is: "value", value });

export const isGone = (address: Address): Difference => ({ address, sort: "moved", was: words("there"), is: absent });

export const isAnother = (address: Address): Difference => ({
  address,
  sort: "moved",
  was: words("the object that the plan saw"),
  is: words("another object, which was made since"),
});

export const notInPlan = (address: Address, text: string): Difference => ({
  address,
  sort: "not_in_plan",
  was: absent,
  is: words(text),
});

/** Describes to a person each difference between a saved plan and the changes that would be made now. */
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
    if (field === undefined) return `${address} has moved since the plan was made: there is ${text(is)}`;
    return `${address} has moved since the plan was made: ${field} was ${text(was)}, and is ${text(is)}`;
  }
  if (field === undefined) return `${address}: a step that the plan does not hold would be needed now (${text(is)})`;
  return was.is === "absent"
    ? `${address}: ${field} would become ${text(is)}, which the plan does not hold`
    : `${address}: ${field} would become ${text(is)}; the plan says ${text(was)}`;
}

function text(shown: Shown): string {
  if (shown.is === "value") return jsonText(shown.value);
  return { sensitive: "(sensitive)", known_after_apply: "(known after apply)", absent: "not there" }[shown.is];
}
