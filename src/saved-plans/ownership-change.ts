import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { addressOfMark } from "../model/inventory.ts";
import type { Plan } from "../model/plan.ts";
import type { CollectionId } from "../model/resource.ts";
import type { SavedOwnership, SavedPlan, SavedResource } from "../model/saved-plan.ts";
import type { Ownership } from "../model/plan-input.ts";

type PlannedInventory = Ownership["inventory"];

/** Returns the members of the first set that the second lacks, in order. */
export const without = <T extends string>(some: ReadonlySet<T>, others: ReadonlySet<T>): T[] =>
  [...some].filter((each) => !others.has(each)).sort();

/**
 * Returns the changes of the inventory that the steps of a plan do not show: what matches already and becomes ours, what is given up, and
 * marks. Undefined where there are none, and where no inventory is known.
 */
export function hiddenOwnership(before: PlannedInventory, { owned, steps }: Plan): SavedOwnership | undefined {
  if (!before) return undefined;
  const touched = new Set(steps.map(({ address }) => address));
  const isHidden = (address: Address) => !touched.has(address);
  const [after, preventDestroy] = [new Set(owned.addresses), new Set(owned.preventDestroy)];
  const [exclusive, exclusiveAfter] = [before.exclusive ?? new Set<CollectionId>(), new Set(owned.exclusive)];
  const [marks, marksAfter] = [before.secretFields ?? new Set<string>(), new Set(owned.secretFields)];
  const secret = without(marksAfter, marks).filter((mark) => isHidden(addressOfMark(mark)));
  const open = without(marks, marksAfter);
  const change: SavedOwnership = {
    ours: without(after, before.addresses).filter(isHidden),
    not_ours: without(before.addresses, after).filter(isHidden),
    prevent_destroy: without(preventDestroy, before.preventDestroy).filter(isHidden),
    not_prevent_destroy: without(before.preventDestroy, preventDestroy),
    exclusive: without(exclusiveAfter, exclusive),
    not_exclusive: without(exclusive, exclusiveAfter),
    ...(secret.length > 0 && { secret_fields: secret }),
    ...(open.length > 0 && { not_secret_fields: open }),
  };
  return Object.values(change).some((list: readonly string[]) => list.length > 0) ? change : undefined;
}

/**
 * Returns the inventory once a file is carried out: as it was, with what the file brings about, without what it deletes; of an undo as
 * it was before the plan that is undone. What was skipped stays as it is.
 */
export function ownedAfterFile(
  saved: SavedPlan,
  before: PlannedInventory,
  skipped: ReadonlySet<Address>,
): Plan["owned"] {
  const { undo = false, ownership } = saved;
  const gone = saved.removals.map(({ address }) => address);
  const stepped = new Set(saved.steps.map(({ address }) => address));
  const made = undo ? [] : saved.resources.filter(({ address }) => stepped.has(address));
  const kept = made.filter(({ lifecycle }) => lifecycle?.preventDestroy === true);
  const among = (addresses: readonly Address[] = []) => addresses.filter((address) => !skipped.has(address));
  return {
    addresses: changeSet(
      before?.addresses,
      [...made.map(addressOf), ...among(ownership?.ours)],
      among([...gone, ...(ownership?.not_ours ?? [])]),
    ),
    preventDestroy: changeSet(
      before?.preventDestroy,
      [...kept.map(addressOf), ...among(ownership?.prevent_destroy)],
      among([...gone, ...(ownership?.not_prevent_destroy ?? [])]),
    ),
    exclusive: changeSet(before?.exclusive, ownership?.exclusive ?? [], ownership?.not_exclusive ?? []),
    secretFields: changeSet(
      before?.secretFields,
      [...made.flatMap(secretMarks), ...(ownership?.secret_fields ?? [])],
      ownership?.not_secret_fields ?? [],
    ),
  };
}

const addressOf = ({ address }: SavedResource) => address;

function changeSet<T extends string>(
  before: ReadonlySet<T> | undefined,
  added: readonly T[],
  removed: readonly T[],
): T[] {
  const left = new Set(removed);
  return [...new Set([...(before ?? []), ...added])].filter((each) => !left.has(each)).sort();
}

/** Returns a mark for each field whose live value comes from a secret; write-only fields have none. */
const secretMarks = ({ address, late, members = [] }: SavedResource) =>
  [late, ...members.map((member) => member.late)].flatMap((each) =>
    Object.entries(each).flatMap(([field, { sensitive }]) =>
      sensitive && kindNamed(kindOf(address)).fields[field]?.access !== "write_only" ? [`${address} ${field}`] : [],
    ),
  );
