import { offers } from "../contract/entry.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Plan } from "../model/plan.ts";
import type { Desired, Live, Resource } from "../model/resource.ts";
import type { CannotUndo, SavedPlan } from "../model/saved-plan.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import { madeAnew } from "../plan/belongings.ts";
import { prepare, forgetReferences } from "../plan/prepare.ts";
import { byItself } from "./portable-desired.ts";
import { planPossible } from "./plan-possible.ts";
import { savePlan, type Saved, type SaveOptions } from "./save-plan.ts";
import { changeOfOwnership, ownedAfter } from "./ownership-change.ts";
import { simulate } from "./simulate.ts";
import { invertPlan, type InversePlan } from "./invert-plan.ts";

/**
 * The plan that takes another one back, saved: what is live now is what it desires, planned against what the other will leave. It
 * allows nothing that needs consent, and names what cannot be brought back.
 */
export function planUndo(input: PlanInput, made: Plan, options: SaveOptions): Saved {
  const { desired: prepared, live } = prepare(input);
  const desired = forgetReferences(
    prepared,
    madeAnew({ ...input, desired: prepared, live }, made.steps),
    input.contract,
  );
  const after = simulate(live, desired, made);
  const back = invertPlan({ ...input, desired, live }, made, options.holdsSecret);
  const wanted: Desired = {
    name: input.desired.name,
    resources: withParents(back, after, input),
    collections: new Map(),
    removed: new Map(back.removals.map((removal) => [removal.address, removal])),
    protect: input.desired.protect,
  };
  const undoing: PlanInput = {
    ...input,
    desired: wanted,
    live: after,
    consent: nothingAllowed,
    ...byItself(wanted, input.ownership.inventory),
  };
  const { desired: possible, made: undo, cannot } = planPossible(undoing, new Set(made.owned.preventDestroy));
  const asked = { ...undoing, desired: possible };
  const end = simulate(after, prepare(asked).desired, undo);
  const known = [...back.cannot, ...cannot];
  return savePlan(asked, undo, {
    ...options,
    undo: {
      cannot_undo: [...known, ...notRestored(live, end, made, known)],
      ownership: ownershipBefore(input, made, end),
    },
  });
}

/** Returns the addresses whose existence the undo does not restore and that are not reported yet. */
function notRestored(before: Live, end: Live, { steps }: Plan, known: readonly CannotUndo[]): CannotUndo[] {
  const reported = new Set(known.map(({ address }) => address));
  const touched = new Set(steps.flatMap(({ address, takesAlong = [] }) => [address, ...takesAlong]));
  return [...touched].flatMap((address): CannotUndo[] => {
    const [was, is] = [before.resources.has(address), end.resources.has(address)];
    if (reported.has(address) || was === is || kindNamed(kindOf(address)).members) return [];
    return [{ address, reason: is ? "it stays, because what it belongs to stays" : "it is not made again" }];
  });
}

/**
 * Returns the ownership before a plan, as far as the plan changes that, of the resources that are there again once it is taken back. A
 * resource that the plan made and that cannot be taken away stays ours.
 */
function ownershipBefore({ ownership, live }: PlanInput, made: Plan, end: Live): SavedPlan["ownership"] {
  const isThere = (address: Address) => end.resources.has(address);
  const isMade = (address: Address) => !live.resources.has(address) && isThere(address);
  const { inventory } = ownership;
  return inventory && changeOfOwnership(ownedAfter(made), inventory, isThere, (address) => !isMade(address));
}

/** The resources, and what must be there for them, which is only referred to. */
function withParents({ resources, removals }: InversePlan, after: Live, { contract }: PlanInput): Desired["resources"] {
  const removed = new Set(removals.map(({ address }) => address));
  const all = new Map(resources.map((resource): [Address, Resource] => [resource.address, resource]));
  for (const { kind, key, fields, at } of resources) {
    for (const address of parentsOf(kindNamed(kind), key, {}, fields).flat()) {
      const parent = after.resources.get(address);
      const parentKind = kindNamed(kindOf(address));
      if (!parent || all.has(address) || removed.has(address) || !offers(contract, parentKind, "create")) continue;
      all.set(address, { address, kind: parentKind.name, key: parent.key, fields: {}, at });
    }
  }
  return all;
}
