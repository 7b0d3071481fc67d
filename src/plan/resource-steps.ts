import { creationParents, fieldsLeftOut, updateCalls } from "../contract/binding.ts";
import { writeCalls } from "../contract/set-calls.ts";
import { trimmed } from "../lib/collect.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import { offers, offersUpdate } from "../contract/entry.ts";
import { hasField } from "../contract/offered.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import type { Field, Kind } from "../kinds/kind.ts";
import { declaredNames, openFields, pickValues } from "../model/body.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Step } from "../model/plan.ts";
import type { StepReason } from "../messages/step-reasons.ts";
import type { Body, Resource } from "../model/resource.ts";
import { mistakeOf, mistaken, nothing, type Planned, type Planning } from "./context.ts";
import { pairObjects } from "./pair-objects.ts";
import { change, changesOf } from "./shown.ts";
import { mayBeUnread } from "./unread.ts";

/** @param pairing what is live beside it, if that is not to be replaced. */
export function createStep(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  replaces: boolean,
  pairing = pairObjects(kind, resource, undefined),
): Step {
  const { address, key } = resource;
  const { live, pairs, shared } = pairing;
  return {
    ...stepBase(resource, "create"),
    replaces,
    changes: trimmed(changesOf(kind, pairing)),
    purchase: kind.guard?.purchase?.(openFields(resource.fields)) === true,
    calls: trimmed(writeCalls(input, kind, { address, key, live, pairs, shared: shared.fields })),
    reason: { is: mayBeUnread(input, resource.address) ? "not_listed" : "not_live" },
  };
}

/** An update sends every managed field, not only the changed ones, so that what is sent does not depend on what was read; and what is rotated. */
export const managedBody = (kind: Kind, { fields }: Body, rotated: readonly string[]): Body => ({
  fields: pickValues(fields, (name) => kind.fields[name]?.access === "mutable" || rotated.includes(name)),
});

/** Plans what the server makes by itself: an update of the fields that are written. `made` tells how it is made. */
export function planImplicit(
  input: Planning,
  kind: BoundKind,
  resource: Resource,
  made: string,
  reason: StepReason,
): Planned {
  const body = managedBody(kind, resource, []);
  const sent = declaredNames(body);
  if (sent.length === 0) return nothing;
  if (!offersUpdate(input.contract, kind, sent))
    return mistaken(notOffered(resource, `is made ${made}, its fields are to be written`, "update"));
  return steps({
    ...stepBase(resource, "update"),
    changes: sent.map((path) => change(resource, undefined, path)),
    calls: updateCalls(input, { ...resource, kind, remote: undefined }, body),
    reason,
  });
}

/** The fields that nothing can be created without, as far as the API has them. */
export const missingToCreate = (contract: Contract, kind: Kind, resource: Resource) =>
  Object.entries(kind.fields).filter(
    ([name, { required, requiredFor }]) =>
      (required === true || requiredFor?.(resource.key) === true) &&
      resource.fields[name] === undefined &&
      hasField(contract, kind, name),
  );

/** Words for what a person does in place of an operation. */
const inPanel = {
  creation: "make it in the vendor's panel, then plan again",
  update: "make the change in the vendor's panel, then plan again",
  deletion: "make the change in the vendor's panel, then plan again",
} as const;

/** The mistake of declaring what takes an operation that the API does not offer. `needs` tells why it takes it. */
export function notOffered(resource: Resource, needs: string, operation: keyof typeof inPanel): Diagnostic {
  const what = `${needs}, and the API offers no ${operation} of a ${resource.kind}`;
  return mistakeOf(resource, "not_offered", what, inPanel[operation]);
}

/** Returns the mistakes that keep a resource from being created through this API, whatever is written. */
export function creationMistakes(input: Planning, kind: BoundKind, resource: Resource, needs: string): Diagnostic[] {
  const { contract } = input;
  if (!offers(contract, kind, "create")) return [notOffered(resource, needs, "creation")];
  const parent = missingParent(input, kind, resource);
  if (parent !== undefined) {
    const what = `${needs}, and the API creates it below ${parent}, which does not exist`;
    const hint = `declare ${parent}, or make it in the vendor's panel, then plan again`;
    return [mistakeOf(resource, "missing_parent", what, hint)];
  }
  const late = fieldsLeftOut(kind, Object.keys(resource.fields));
  if (late.length === 0 || offersUpdate(contract, kind, late)) return [];
  return [notOffered(resource, `${needs}, a creation does not take its ${late.join(", ")}`, "update")];
}

/** Returns what the API creates a resource below, and the manifest does not demand, where it neither exists nor is declared. */
function missingParent(
  { contract, live, desired, implicitlyCreatedBy }: Planning,
  kind: BoundKind,
  { key, fields }: Resource,
): Address | undefined {
  const isDemanded = (address: Address) =>
    parentsOf(kind, key, {}, fields).some((alternatives) => alternatives.length === 1 && alternatives[0] === address);
  return creationParents(contract, { kind, key }).find(
    (address) =>
      !live.resources.has(address) &&
      !desired.resources.has(address) &&
      !implicitlyCreatedBy.has(address) &&
      !isDemanded(address) &&
      !mayBeUnread({ live }, address),
  );
}

const none: readonly never[] = [];

/** Returns a step that changes nothing so far. It has all members, since those that are added later take room of their own. */
export const stepBase = ({ address, at }: Resource, action: Step["action"]): Step => ({
  id: `${action} ${address}`,
  address,
  action,
  replaces: false,
  purchase: false,
  after: none,
  at,
  changes: none,
  calls: none,
  reason: { is: "not_live" },
});

export const steps = (...all: Step[]): Planned => ({ ...nothing, steps: all });

export function missingFields(resource: Resource, missing: readonly (readonly [string, Field])[]): Diagnostic {
  const names = missing.map(([name, field]) => field.from ?? name);
  const what = `does not exist, and cannot be created without ${names.join(", ")}`;
  const hint = `write ${names.join(" and ")}, or check the name if it should exist already`;
  return mistakeOf(resource, "missing_to_create", what, hint);
}
