import type { Address } from "../model/address.ts";
import type { Shown } from "../model/plan.ts";

/** Why a step that is needed now is not one that was approved: `field` was one thing and is another, or it was no part of the plan. */
export interface Difference {
  readonly address: Address;
  readonly sort: "moved" | "not_in_plan";
  /** Undefined where it is the resource as a whole. */
  readonly field?: string;
  readonly was: Shown;
  readonly is: Shown;
}
