import { isImplicit } from "../contract/offered.ts";
import { isAbsence } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import { advice } from "../messages/advice.ts";
import { kindOf, type Address } from "../model/address.ts";
import { declaredNames } from "../model/body.ts";
import type { Resource } from "../model/resource.ts";
import { idReferences } from "../order/order.ts";
import { mistakeOf, mistaken, type Planned, type Planning } from "./context.ts";
import { managedBody } from "./resource-steps.ts";

/** Refuses requests that need the id of an object which the server makes with another one later, and which no step looks up. */
export function refuseBelowUnseen(input: Planning, resource: Resource, planned: Planned): Planned {
  const parent = planned.steps
    .flatMap(({ calls }) => calls.flatMap(idReferences))
    .find((each) => each !== resource.address && isUnseen(input, each));
  if (parent === undefined) return planned;
  const what = `needs the id of ${parent}, which the server makes together with another resource, and which does not exist yet`;
  return mistaken(mistakeOf(resource, "missing_parent", what, advice.applyParentFirst(parent)));
}

function isUnseen(input: Planning, address: Address): boolean {
  const { contract, live, desired, implicitlyCreatedBy } = input;
  const kind = kindNamed(kindOf(address));
  if (live.resources.has(address) || !(isImplicit(contract, kind) || implicitlyCreatedBy.has(address))) return false;
  const resource = desired.resources.get(address);
  // A declared field has a step, which looks the object up.
  return !resource || isAbsence(resource) || declaredNames(managedBody(kind, resource, [])).length === 0;
}
