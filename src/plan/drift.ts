import type { Address } from "../model/address.ts";
import { isUnknown } from "../model/body.ts";
import type { DriftItem } from "../model/drift.ts";
import type { Change, Plan, Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { LiveResource } from "../model/resource.ts";
import { nothingOwned } from "../model/plan-input.ts";
import { withoutRotation } from "./origin.ts";
import { showUnmanaged } from "./unmanaged.ts";

/** Returns the input for a plan of what an earlier apply declared: what that plan changes by itself is drift. */
export function inputAsApplied<T extends Pick<PlanInput, "desired" | "ownership">>(
  asked: T,
  desired: PlanInput["desired"],
): T {
  const { inventory, afterDue } = asked.ownership;
  // An entry that deletes has done its work or was refused: neither is drift. One that forgets leaves its resource alone for good.
  const removed = new Map([...desired.removed].filter(([, { action }]) => action === "forget"));
  const declared = { ...desired, removed };
  const ownership = { ...nothingOwned, inventory, afterDue, declaredThen: declared };
  return { ...asked, desired: declared, ownership };
}

/** Returns what differs from the manifest that a plan is of, without what the account holds beside it. */
export function driftIn(input: PlanInput, { steps, mistaken = new Map() }: Plan): DriftItem[] {
  const drifted = new Map<Address, Step[]>();
  for (const step of steps)
    if (step.origin === "drift") drifted.set(step.address, [...(drifted.get(step.address) ?? []), step]);
  const planned = [...drifted].map(([address, all]) => itemOf(input, address, all));
  const others = [...mistaken].flatMap(([address, note]) => unplanned(input, address, note));
  return [...planned, ...others].toSorted(byAddress);
}

/** Compares by address; what has none comes first. */
export const byAddress = ({ address: a = "" }: { address?: string }, { address: b = "" }: { address?: string }) =>
  a < b ? -1 : Number(a > b);

function itemOf(input: PlanInput, address: Address, steps: readonly Step[]): DriftItem {
  const then = input.desired.resources.get(address);
  const live = input.live.resources.get(address);
  if (!then && live) return appeared(live);
  const at = then?.at ?? steps[0]?.at;
  // The server gave a value to a field that nobody declared.
  const isKnown = ({ path, after }: Change) => !isUnknown(then?.fields[path]) && after.is !== "known_after_apply";
  const changes = steps.flatMap((step) =>
    withoutRotation(step)
      .changes.filter((each) => !each.carried && isKnown(each))
      .map(reversed),
  );
  // Two values that are masked look the same.
  const differing = changes.filter(
    ({ before, after }) => after.is === "sensitive" || JSON.stringify(before) !== JSON.stringify(after),
  );
  return { address, is: live ? "differs" : "gone", changes: differing, ...(at && { at }) };
}

/** From the change that takes a drift back to the drift. */
const reversed = ({ path, before, after }: Change): Change => ({ path, before: after, after: before });

/** A resource that no plan can make as it was: without its password, it cannot be created again. */
function unplanned({ desired, live, ownership }: PlanInput, address: Address, note: string): DriftItem[] {
  const at = desired.resources.get(address)?.at;
  const is = live.resources.has(address) ? "differs" : "gone";
  const isOurs = ownership.inventory?.addresses.has(address) === true;
  const isUnreached = ownership.inventory?.unreached?.has(address) === true;
  return isOurs && !isUnreached ? [{ address, is, changes: [], note, ...(at && { at }) }] : [];
}

/** A live resource that no manifest declares. */
export function appeared(resource: LiveResource): DriftItem {
  const [created] = resource.remotes
    .map(({ fields }) => fields["created_at"])
    .filter((each) => typeof each === "string" && !Number.isNaN(Date.parse(each)));
  const changes = showUnmanaged(resource).map(reversed);
  return { address: resource.address, is: "appeared", changes, ...(typeof created === "string" && { created }) };
}
