import { offeredParents } from "../contract/offered.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Address } from "../model/address.ts";
import type { Refusal } from "../messages/refusals.ts";
import type { Plan } from "../model/plan.ts";
import type { LiveResource } from "../model/resource.ts";
import type { CannotUndo } from "../model/saved-plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { checkPreventDestroy } from "../policy/guard-steps.ts";
import { plan } from "../plan/plan.ts";
import { ownObjects } from "../kinds/derived/server-made.ts";
import type { Kind } from "../kinds/kind.ts";

/** Refusals that no flag lifts, and that are the same the next time. */
const lasting: ReadonlySet<Refusal["code"]> = new Set([
  "has_children",
  "in_the_way",
  "managed_by_platform",
  "prevent_destroy",
  "refused_by_kind",
]);

/**
 * Plans an undo without what cannot be done, and without what depends on that. Whatever is left out of one plan is missing in the next,
 * so it is planned again until nothing is to be left out. Returns that part with its plan, and what is left out.
 * @param preventDestroy what a manifest keeps from being deleted.
 * @param known what is known not to be possible.
 */
export function planPossible(
  input: PlanInput,
  preventDestroy: ReadonlySet<Address>,
  known: readonly CannotUndo[] = [],
) {
  const cannot = [...known];
  for (;;) {
    const skipped = new Set(cannot.map(({ address }) => address));
    const desired = {
      ...input.desired,
      resources: new Map([...input.desired.resources].filter(([address]) => !skipped.has(address))),
      removed: new Map([...input.desired.removed].filter(([address]) => !skipped.has(address))),
    };
    const made = plan({ ...input, desired });
    const found = impossible({ ...input, desired }, made, preventDestroy);
    if (found.length === 0) return { desired, made, cannot };
    cannot.push(...found);
  }
}

function impossible(input: PlanInput, made: Plan, preventDestroy: ReadonlySet<Address>): CannotUndo[] {
  const { desired } = input;
  const ownership = { ...input.ownership, inventory: { addresses: new Set<Address>(), preventDestroy } };
  const refusals = [...made.refusals, ...checkPreventDestroy({ desired, ownership }, made.steps)];
  const refused = refusals.flatMap(({ address, code, flag, summary }) =>
    address !== undefined && flag === undefined && lasting.has(code) ? [{ address, reason: summary }] : [],
  );
  const mistaken = [...(made.mistaken ?? [])].map(([address, reason]) => ({ address, reason }));
  const all = [...refused, ...mistaken, ...withoutParent(input)].filter(
    ({ address }) => desired.resources.has(address) || desired.removed.has(address),
  );
  const byAddress = new Map(all.toReversed().map((each) => [each.address, each]));
  return [...byAddress.values()].map(({ address, reason }) => ({
    address,
    reason: desired.removed.has(address) ? `it stays, because ${reason}` : reason,
  }));
}

/** Finds the resources that would be made without any of those that they need. */
function withoutParent({ contract, desired, live }: PlanInput): CannotUndo[] {
  // A saved undo plan is applied after its own lists were read: nothing is known of a parent whose list was not.
  const isUnread = (address: Address) => !live.collections.has(collectionAt(address));
  const isThere = (address: Address) =>
    desired.resources.has(address) ||
    ((live.resources.has(address) || isUnread(address)) && !desired.removed.has(address));
  return [...desired.resources.values()].flatMap(({ address, kind, key, fields }) => {
    const parents = offeredParents(contract, parentsOf(kindNamed(kind), key, {}, fields));
    const missing = parents.find((alternatives) => !alternatives.some(isThere));
    return missing ? [{ address, reason: `it needs ${missing.join(" or ")}, which is not brought back` }] : [];
  });
}

/** Returns the objects of an address that may be written: of a set, all but the platform's own. */
export const writableObjects = (kind: Kind, { remotes }: Pick<LiveResource, "remotes"> = { remotes: [] }) =>
  kind.members ? ownObjects(kind, remotes) : remotes;
