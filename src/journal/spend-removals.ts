import type { Ownership } from "../model/plan-input.ts";
import type { ReadJournal } from "../model/journal.ts";
import type { PreparedLive } from "../model/resource.ts";

/**
 * Takes back the consent of entries under `removed:` whose deletion an interrupted apply has carried out: what stands at the address now
 * was made since. Returns the same ownership where there are none.
 */
export function spendRemovals(
  ownership: Ownership,
  { deleted, inFlight }: Pick<ReadJournal, "deleted" | "inFlight">,
  { resources }: Pick<PreparedLive, "resources">,
): Ownership {
  const { removals = new Set(), inventory } = ownership;
  const spent = [...removals].filter((address) => {
    const sent = inFlight.flatMap(({ intent }) =>
      intent.address === address && intent.operation === "delete" ? (intent.ids ?? []) : [],
    );
    const ids = new Set([...sent, ...(deleted.get(address) ?? [])]);
    const remotes = resources.get(address)?.remotes ?? [];
    return ids.size > 0 && remotes.length > 0 && remotes.every(({ id }) => !ids.has(id));
  });
  if (spent.length === 0) return ownership;
  return {
    ...ownership,
    removals: new Set([...removals].filter((address) => !spent.includes(address))),
    inventory: inventory && { ...inventory, removed: new Set([...(inventory.removed ?? []), ...spent]) },
  };
}
