import { isFromOutside, openValue } from "../model/body.ts";
import type { Json } from "../model/json.ts";
import type { Shown } from "../model/plan.ts";
import type { Body, Value } from "../model/resource.ts";

/** Shows the desired value of a field: secrets never, references as values that apply will know. */
export function showDesired({ fields }: Body, field: string): Shown {
  const value = fields[field];
  if (value?.is === "secret") return { is: "sensitive" };
  return value && openValue(value) === undefined ? { is: "known_after_apply" } : showValue(openValue(value));
}

/** Shows the live value of a field: masked where the desired one is secret, since the old value is no less so. */
export const showLive = (value: Json | undefined, desired: Value | undefined): Shown =>
  value !== undefined && isFromOutside(desired) ? { is: "sensitive" } : showValue(value);

/** One for all, since a plan may create a hundred thousand resources. */
export const absent: Shown = { is: "absent" };

export const showValue = (value: Json | undefined): Shown => (value === undefined ? absent : { is: "value", value });
