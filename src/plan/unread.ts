import { collectionOf } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import type { StepReason } from "../messages/step-reasons.ts";
import { refusals } from "../messages/refusals.ts";
import type { Resource } from "../model/resource.ts";
import { nothing, type Planned } from "./context.ts";
import type { PlanInput } from "../model/plan-input.ts";

type Named = Pick<Resource, "kind" | "key">;

/** Whether an object may be there though it was not listed: the list that it would be in was not read whole. */
export const mayBeUnread = ({ live }: Pick<PlanInput, "live">, { kind, key }: Named): boolean =>
  live.collections.get(collectionOf(kindNamed(kind), key).id)?.incomplete !== undefined;

/** Returns why something is created that was not listed. `unsure`: whether it may be there. */
export const whyCreated = (unsure: boolean): StepReason => ({ is: unsure ? "not_listed" : "not_live" });

/** Refuses what cannot be done if a resource does not exist, while that is not known; undefined if it is. */
export function refuseUnknown(
  input: Pick<PlanInput, "live">,
  resource: Named & Pick<Resource, "address" | "at">,
): Planned | undefined {
  return mayBeUnread(input, resource) ? { ...nothing, refusals: [refusals.unknownIfThere(resource)] } : undefined;
}
