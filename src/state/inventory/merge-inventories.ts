import type { Address } from "../../model/address.ts";
import type { Inventory, Unconfirmed } from "../../model/inventory.ts";

/** The sets that an inventory may lack. */
const optionalSets = ["exclusive", "secretFields", "removed", "unreached", "afterDue"] as const;

/**
 * Three-way merge of inventories: applies the additions and removals between `before` and `after` to `onto`. The last apply is the
 * later of the two; the running one stays the third's.
 */
export function mergeInventories(before: Inventory, after: Inventory, onto: Inventory): Inventory {
  const lastApply = later(onto.lastApply, after.lastApply);
  const unconfirmed = movedSet(textsOf(before), textsOf(after), textsOf(onto));
  const dropped = movedSet(droppedOf(before), droppedOf(after), droppedOf(onto));
  const sets = optionalSets
    .map((name) => [name, movedSet<string>(before[name], after[name], onto[name])] as const)
    .filter(([, set]) => set.size > 0);
  return {
    addresses: movedSet(before.addresses, after.addresses, onto.addresses),
    preventDestroy: movedSet(before.preventDestroy, after.preventDestroy, onto.preventDestroy),
    ...(Object.fromEntries(sets) as Pick<Inventory, (typeof optionalSets)[number]>),
    ...(unconfirmed.size > 0 && { unconfirmed: [...unconfirmed].map((text) => JSON.parse(text) as Unconfirmed) }),
    ...(dropped.size > 0 && { dropped: new Map([...dropped].map((text) => JSON.parse(text) as [Address, string])) }),
    ...(lastApply && { lastApply }),
    ...(onto.running && { running: onto.running }),
  };
}

const textsOf = ({ unconfirmed = [] }: Inventory): ReadonlySet<string> =>
  new Set(unconfirmed.map((each) => JSON.stringify(each)));

const droppedOf = ({ dropped = new Map() }: Inventory): ReadonlySet<string> =>
  new Set([...dropped].map((each) => JSON.stringify(each)));

function movedSet<T>(
  before: ReadonlySet<T> = new Set(),
  after: ReadonlySet<T> = new Set(),
  onto: ReadonlySet<T> = new Set(),
): ReadonlySet<T> {
  const kept = [...onto].filter((each) => after.has(each) || !before.has(each));
  return new Set([...kept, ...[...after].filter((each) => !before.has(each))]);
}

function later(a: Inventory["lastApply"], b: Inventory["lastApply"]): Inventory["lastApply"] {
  return a && b ? (Date.parse(a.time) >= Date.parse(b.time) ? a : b) : (a ?? b);
}
