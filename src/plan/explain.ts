import { collectionOf } from "../kinds/derived/collection.ts";
import { isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { locate } from "../kinds/derived/locate.ts";
import type { Address } from "../model/address.ts";
import type { Explanation, Undeclared } from "../model/explanation.ts";
import type { Plan } from "../model/plan.ts";
import type { LiveResource } from "../model/resource.ts";
import { compareFields } from "./compare-fields.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { leaveIgnored } from "./ignored-changes.ts";
import { madeAnew } from "./belongings.ts";
import { prepare } from "./prepare.ts";
import { forgetReferences } from "./resolve-references.ts";
import { ignoringGlob, policyOf } from "../policy/cause-of-deletion.ts";
import { relationsOf } from "./relations.ts";

/**
 * Why one resource is planned as it is: its fields on both sides, what it hangs together with, and the steps that `plan` holds for it.
 * Pure. Undefined where no declared or live resource has this address.
 * @param plan what the same input was planned to.
 */
export function explain(given: PlanInput, plan: Plan, address: Address): Explanation | undefined {
  const { desired: prepared, live } = prepare(given);
  const desired = forgetReferences(
    prepared,
    madeAnew({ ...given, desired: prepared, live }, plan.steps),
    given.contract,
  );
  const resource = desired.resources.get(address);
  const found = live.resources.get(address);
  if (!resource && !found) return undefined;
  const compared = leaveIgnored(desired, live).resources.get(address);
  const { kind, key } = locate(address);
  const { id } = collectionOf(kind, key);
  const incomplete = live.collections.get(id)?.incomplete;
  return {
    address,
    ...(resource && { at: resource.at }),
    live: found !== undefined,
    collection: id,
    ...(incomplete !== undefined && { incomplete }),
    ...(found && !resource && { undeclared: undeclared({ ...given, desired }, found) }),
    objects: compareFields(given.contract, kind, resource && { resource, compared: compared ?? resource }, found),
    relations: relationsOf(desired, live, address),
    steps: plan.steps.filter((step) => step.address === address),
    refusals: plan.refusals.filter((refusal) => refusal.address === address),
  };
}

/** Returns the reasons for which a live resource that the manifest does not declare stays or goes. */
function undeclared(input: PlanInput, found: LiveResource): Undeclared {
  const { desired, ownership } = input;
  const policy = policyOf(input, found);
  const ignoredBy = ignoringGlob(input, found);
  const removed = desired.removed.get(found.address)?.action;
  return {
    exclusive: policy?.exclusive === true,
    ...(policy?.exclusiveAt && { exclusiveAt: policy.exclusiveAt }),
    ...(ignoredBy !== undefined && { ignoredBy }),
    platformOwned: isWhollyPlatformOwned(found),
    ...(ownership.inventory && { ours: ownership.inventory.addresses.has(found.address) }),
    ...(removed !== undefined && { removed }),
  };
}
