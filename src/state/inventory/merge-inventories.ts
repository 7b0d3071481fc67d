import type { Inventory, Unconfirmed } from "../../model/inventory.ts";

/**
 * Three-way merge of inventories: applies the additions and removals between `before` and `after` to `onto`. The last apply is the
 * later of the two; the running one stays the third's.
 */
export function mergeInventories(before: Inventory, after: Inventory, onto: Inventory): Inventory {
  const lastApply = later(onto.lastApply, after.lastApply);
  const unconfirmed = movedSet(textsOf(before), textsOf(after), textsOf(onto));
  return {
    addresses: movedSet(before.addresses, after.addresses, onto.addresses),
    preventDestroy: movedSet(before.preventDestroy, after.preventDestroy, onto.preventDestroy),
    exclusive: movedSet(before.exclusive ?? new Set(), after.exclusive ?? new Set(), onto.exclusive ?? new Set()),
    secretFields: movedSet(
      before.secretFields ?? new Set(),
      after.secretFields ?? new Set(),
      onto.secretFields ?? new Set(),
    ),
    removed: movedSet(before.removed ?? new Set(), after.removed ?? new Set(), onto.removed ?? new Set()),
    afterDue: movedSet(before.afterDue ?? new Set(), after.afterDue ?? new Set(), onto.afterDue ?? new Set()),
    ...(unconfirmed.size > 0 && { unconfirmed: [...unconfirmed].map((text) => JSON.parse(text) as Unconfirmed) }),
    ...(lastApply && { lastApply }),
    ...(onto.running && { running: onto.running }),
  };
}

const textsOf = ({ unconfirmed = [] }: Inventory): ReadonlySet<string> =>
  new Set(unconfirmed.map((each) => JSON.stringify(each)));

function movedSet<T>(before: ReadonlySet<T>, after: ReadonlySet<T>, onto: ReadonlySet<T>): ReadonlySet<T> {
  const kept = [...onto].filter((each) => after.has(each) || !before.has(each));
  return new Set([...kept, ...[...after].filter((each) => !before.has(each))]);
}

function later(a: Inventory["lastApply"], b: Inventory["lastApply"]): Inventory["lastApply"] {
  return a && b ? (Date.parse(a.time) >= Date.parse(b.time) ? a : b) : (a ?? b);
}
