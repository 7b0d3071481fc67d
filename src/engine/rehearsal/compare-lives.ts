import { collectionAt } from "../../kinds/derived/collection.ts";
import { locate } from "../../kinds/derived/locate.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import type { Address } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import type { Live } from "../../model/resource.ts";
import { seenAt } from "../../saved-plans/fingerprint.ts";

/** Returns the addresses that changed during a plan although it neither contains them nor creates or deletes their parent. */
export function unplannedChanges({ steps }: Plan, before: Live, after: Live): Address[] {
  const named = new Set(steps.flatMap(({ address, takesAlong = [] }) => [address, ...takesAlong]));
  const moved = new Set(
    steps.flatMap(({ address, action }) => (action === "create" || action === "delete" ? [address] : [])),
  );
  const known = new Set([...before.resources.keys(), ...after.resources.keys()]);
  return [...known].filter((address) => {
    const collection = collectionAt(address);
    if (named.has(address) || !before.collections.has(collection) || !after.collections.has(collection)) return false;
    return writable(address, before) !== writable(address, after) && !belongsTo(address, moved);
  });
}

function writable(address: Address, live: Live): string {
  const { objects } = seenAt(address, live.resources.get(address), () => true);
  return objects
    .map((fields) => JSON.stringify(fields))
    .sort()
    .join("\n");
}

function belongsTo(address: Address, parents: ReadonlySet<Address>): boolean {
  const { kind, key } = locate(address);
  return parentsOf(kind, key, {}).some((alternatives) => alternatives.some((parent) => parents.has(parent)));
}
