import { collectionAt } from "../kinds/derived/collection.ts";
import { refusals } from "../messages/refusals.ts";
import type { Address } from "../model/address.ts";
import type { Resource } from "../model/resource.ts";
import { nothing, type Planned } from "./context.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Whether an object may be there though it was not listed: the list that it would be in was not read whole. */
export const mayBeUnread = ({ live }: Pick<PlanInput, "live">, address: Address): boolean =>
  live.collections.get(collectionAt(address))?.incomplete !== undefined;

/** Refuses what cannot be done if a resource does not exist, while that is not known; undefined if it is. */
export function refuseUnknown(
  input: Pick<PlanInput, "live">,
  resource: Pick<Resource, "address" | "at">,
): Planned | undefined {
  return mayBeUnread(input, resource.address)
    ? { ...nothing, refusals: [refusals.unknownIfThere(resource)] }
    : undefined;
}
