import { collectionAt } from "../kinds/derived/collection.ts";
import type { Address } from "../model/address.ts";
import type { StepReason } from "../model/step-reason.ts";
import type { Refusal } from "../model/plan.ts";
import type { Resource } from "../model/resource.ts";
import { nothing, type Planned } from "./context.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Whether an object may be there though it was not listed: the list that it would be in was not read whole. */
export const mayBeUnread = ({ live }: Pick<PlanInput, "live">, address: Address): boolean =>
  live.collections.get(collectionAt(address))?.incomplete !== undefined;

/** Returns why something is created that was not listed. */
export const whyCreated = (input: Pick<PlanInput, "live">, address: Address): StepReason =>
  mayBeUnread(input, address) ? notListed : notLive;

const notListed: StepReason = { is: "not_listed" };
const notLive: StepReason = { is: "not_live" };

/** Refuses what cannot be done if a resource does not exist, while that is not known; undefined if it is. */
export function refuseUnknown(input: Pick<PlanInput, "live">, { address, at }: Resource): Planned | undefined {
  const incomplete = input.live.collections.get(collectionAt(address))?.incomplete;
  if (incomplete === undefined) return undefined;
  const refusal: Refusal = {
    address,
    code: "incomplete_read",
    summary: `it is not known whether ${address} exists: the list of its collection is incomplete (${incomplete})`,
    hint: "run again when the API returns the complete list, or use an API key that may read it",
    at,
  };
  return { ...nothing, refusals: [refusal] };
}
