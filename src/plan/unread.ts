import { collectionAt } from "../kinds/derived/collection.ts";
import type { Address } from "../model/address.ts";
import type { StepReason } from "../model/step-reason.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Whether an object may be there though it was not listed: the list that it would be in was not read whole. */
export const mayBeUnread = ({ live }: Pick<PlanInput, "live">, address: Address): boolean =>
  live.collections.get(collectionAt(address))?.incomplete !== undefined;

/** Returns why something is created that was not listed. */
export const whyCreated = (input: Pick<PlanInput, "live">, address: Address): StepReason => ({
  is: mayBeUnread(input, address) ? "not_listed" : "not_live",
});
