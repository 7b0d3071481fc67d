import type { Shown } from "../model/plan.ts";
import type { Json } from "../model/json.ts";
import type { Body, InterpolatedValue } from "../model/resource.ts";

/** How the desired value of a field is shown: secrets never, references as what apply will know. */
export function showDesired({ fields, late }: Body, field: string): Shown {
  const source = late[field];
  if (source) return showLate(source, fields[field]);
  return showValue(fields[field]);
}

/** How the live value of a field is shown: masked where the desired one is secret, since the old value is no less so. */
export function showLive(value: Json | undefined, source: InterpolatedValue | undefined): Shown {
  if (value === undefined) return { is: "absent" };
  return source?.sensitive === true ? { is: "sensitive" } : { is: "value", value };
}

export const showValue = (value: Json | undefined): Shown =>
  value === undefined ? { is: "absent" } : { is: "value", value };

function showLate({ sensitive, known }: InterpolatedValue, value: Json | undefined): Shown {
  if (sensitive) return { is: "sensitive" };
  return known && value !== undefined ? { is: "value", value } : { is: "known_after_apply" };
}
