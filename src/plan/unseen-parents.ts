import { listParents } from "../contract/binding.ts";
import type { BoundAddress, BoundKind } from "../contract/bound-kind.ts";
import { missingLookups } from "../contract/list-reading.ts";
import { isImplicit } from "../contract/offered.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { isAbsence } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import { advice } from "../messages/advice.ts";
import { kindOf, type Address } from "../model/address.ts";
import { declaredNames } from "../model/body.ts";
import type { Resource } from "../model/resource.ts";
import { idReferences } from "../order/order.ts";
import { mistakeOf, mistaken, type Planned, type Planning } from "./context.ts";
import { managedBody } from "./resource-steps.ts";

/** Refuses requests that need an object which the server makes with another one later, and which no step looks up, or its id. */
export function refuseBelowUnseen(input: Planning, kind: BoundKind, resource: Resource, planned: Planned): Planned {
  const calls = planned.steps.flatMap((step) => step.calls);
  if (calls.length === 0) return planned;
  // A set is read in its list before it is written.
  const listed = calls.some(({ operation }) => operation === "set")
    ? listParents(input.contract, { ...collectionOf(kind, resource.key), kind })
    : [];
  const byId = [...calls.flatMap(idReferences), ...listed];
  // A name in a path does not wait for what it names. Of alternatives another one may be there.
  const byName = parentsOf(kind, resource.key, {}, resource.fields);
  const needed = [...byId, ...byName.flatMap((alternatives) => (alternatives.length === 1 ? alternatives : []))];
  const parent = needed.find((each) => each !== resource.address && isUnseen(input, each));
  if (parent === undefined) return planned;
  const what = `needs ${byId.includes(parent) ? "the id of " : ""}${parent}, which the server makes together with another resource, and which does not exist yet`;
  return mistaken(mistakeOf(resource, "missing_parent", what, advice.applyParentFirst(parent)));
}

/** Refuses requests with a parameter that was looked up and not found. Where a list was not read whole, steps are refused for that. */
export function refuseUnfound({ live }: Planning, { address, kind, key }: BoundAddress, planned: Planned): Planned {
  const read = live.collections.get(collectionOf(kind, key).id);
  const calls = planned.steps.flatMap((step) => step.calls);
  const unfound = read?.incomplete === undefined ? missingLookups(kind, read, calls) : [];
  if (unfound.length === 0) return planned;
  const what = `takes a request below what is looked up, and the API has no single ${unfound.join(" and no single ")} for it`;
  const hint = "order it in the vendor's panel, or correct kinds.*.params.*.lookup in the contract, then plan again";
  return mistaken(mistakeOf({ address, at: planned.steps[0]?.at }, "not_offered", what, hint));
}

function isUnseen(input: Planning, address: Address): boolean {
  const { contract, live, desired, implicitlyCreatedBy } = input;
  const kind = kindNamed(kindOf(address));
  if (live.resources.has(address) || !(isImplicit(contract, kind) || implicitlyCreatedBy.has(address))) return false;
  const resource = desired.resources.get(address);
  // A declared field has a step, which looks the object up.
  return !resource || isAbsence(resource) || declaredNames(managedBody(kind, resource, [])).length === 0;
}
