import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { addressOfMark } from "../model/inventory.ts";
import type { Plan } from "../model/plan.ts";
import type { SavedOwnership, SavedPlan, SavedResource } from "../model/saved-plan.ts";
import type { Ownership } from "../model/plan-input.ts";
import { pickValues } from "../model/body.ts";
import { isManaged } from "../plan/owned-when-done.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

type KnownInventory = NonNullable<Ownership["inventory"]>;

/** Returns the members of the first set that the second lacks, in order. Default: of an empty set. */
const without = <T extends string>(some: ReadonlySet<T> = new Set(), others?: ReadonlySet<T>): T[] =>
  [...some].filter((each) => others?.has(each) !== true).sort();

/** Returns what an inventory gains and loses on the way to another; `enters`, `leaves`: whether an address counts that does. */
export function changeOfOwnership(
  { addresses, preventDestroy, exclusive }: KnownInventory,
  to: KnownInventory,
  enters: (address: Address) => boolean,
  leaves: (address: Address) => boolean,
): SavedOwnership {
  return {
    ours: without(to.addresses, addresses).filter(enters),
    not_ours: without(addresses, to.addresses).filter(leaves),
    prevent_destroy: without(to.preventDestroy, preventDestroy).filter(enters),
    not_prevent_destroy: without(preventDestroy, to.preventDestroy).filter(leaves),
    exclusive: without(to.exclusive, exclusive),
    not_exclusive: without(exclusive, to.exclusive),
  };
}

/** Returns the inventory that a plan leaves. */
export const ownedAfter = ({ owned }: Pick<Plan, "owned">): KnownInventory => ({
  addresses: new Set(owned.addresses),
  preventDestroy: new Set(owned.preventDestroy),
  exclusive: new Set(owned.exclusive),
  secretFields: new Set(owned.secretFields),
  removed: new Set(owned.removed),
});

/**
 * Returns the changes of the inventory that the steps of a plan do not show: what matches already and becomes ours, what is given up, and
 * marks. Undefined where there are none, and where no inventory is known.
 */
export function hiddenOwnership(before: Ownership["inventory"], plan: Plan): SavedOwnership | undefined {
  if (!before) return undefined;
  const { owned, steps, adopts = [], lasting = [] } = plan;
  const touched = new Set(steps.map(({ address }) => address));
  const isHidden = (address: Address) => !touched.has(address);
  const after = ownedAfter({ owned });
  const marks = {
    secret_fields: without(after.secretFields, before.secretFields).filter((mark) => isHidden(addressOfMark(mark))),
    not_secret_fields: without(before.secretFields, after.secretFields),
    removed: without(after.removed, before.removed),
    not_removed: without(before.removed, after.removed),
    forgotten: owned.forgotten ?? [],
    adopts,
    lasting,
  };
  const change: SavedOwnership = {
    ...changeOfOwnership(before, after, isHidden, isHidden),
    not_prevent_destroy: without(before.preventDestroy, after.preventDestroy),
    ...Object.fromEntries(Object.entries(marks).filter(([, list]) => list.length > 0)),
  };
  return Object.values(change).some((list: readonly string[]) => list.length > 0) ? change : undefined;
}

/**
 * Returns the inventory once a file is carried out: as it was, with what the file brings about, without what it deletes; of an undo as
 * it was before the plan that is undone. What was skipped stays as it is.
 */
export function ownedAfterFile(
  saved: SavedPlan,
  before: Ownership["inventory"],
  skipped: ReadonlySet<Address>,
): Plan["owned"] {
  const { undo = false, ownership } = saved;
  // The signing of a zone that an undo switches off can have been ours while it was off.
  const stays = new Set(undo ? ownership?.ours : []);
  const gone = saved.removals.flatMap(({ address }) => (stays.has(address) ? [] : [address]));
  const last = new Map(saved.steps.map(({ address, action }) => [address, action]));
  // Values that a replacement only carries over make nothing ours.
  const isOurs = ({ address, fields, late, carried = [], ...resource }: SavedResource) => {
    const written = pickValues<unknown>({ ...fields, ...late }, (name) => !carried.includes(name));
    return last.get(address) === "create" || (last.has(address) && isManaged({ ...resource, fields: written }));
  };
  const made = undo ? [] : saved.resources.filter(isOurs);
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
    removed: changeSet(before?.removed, among(ownership?.removed), ownership?.not_removed ?? []),
    forgotten: ownership?.forgotten ?? [],
  };
}

const addressOf = ({ address }: SavedResource) => address;

function changeSet<T extends string>(
  before: ReadonlySet<T> | undefined,
  added: readonly T[],
  removed: readonly T[],
): T[] {
  const gone = new Set(removed);
  return [...new Set([...(before ?? []), ...added])].filter((each) => !gone.has(each)).sort();
}

/** Returns a mark for each field whose live value comes from a secret; write-only fields have none. */
const secretMarks = ({ address, late, members = [] }: SavedResource) =>
  [late, ...members.map((member) => member.late)].flatMap((each) =>
    Object.entries(each).flatMap(([field, { sensitive }]) =>
      sensitive && !isWriteOnly(kindNamed(kindOf(address)), field) ? [`${address} ${field}`] : [],
    ),
  );
