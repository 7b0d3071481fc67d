import { collectionAt } from "../kinds/derived/collection.ts";
import { isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { locate, uniqueNamesAt } from "../kinds/derived/locate.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Refusal, Step } from "../model/plan.ts";
import type { LiveResource } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { addTo } from "../lib/collect.ts";

/** Refuses steps in a collection that was not read whole: creations, deletions, changes of sets, and updates of an address with several objects. */
export function incompleteReads({ live }: PlanInput, steps: readonly Step[]): Refusal[] {
  if (![...live.collections.values()].some(({ incomplete }) => incomplete !== undefined)) return [];
  return steps.flatMap((step): Refusal[] => {
    const incomplete = live.collections.get(collectionAt(step.address))?.incomplete;
    const inSet = locate(step.address).kind.members !== undefined;
    const nameless = step.calls.some(({ params }) => Object.values(params).includes(""));
    const several = (live.resources.get(step.address)?.remotes.length ?? 0) > 1;
    if (incomplete === undefined || (step.action === "update" && !nameless && !inSet && !several)) return [];
    return [
      {
        address: step.address,
        code: "incomplete_read",
        summary: `cannot ${step.action} ${step.address}: the list of its collection is incomplete (${incomplete})`,
        hint: "run again when the API returns the complete list, or use an API key that may read it",
        ...(step.at && { at: step.at }),
      },
    ];
  });
}

/** A live resource that is neither declared nor deleted, and holds what a declared one needs, is named and never removed silently. */
export function nameConflicts({ live, desired }: PlanInput, steps: readonly Step[]): Refusal[] {
  const created = steps.filter(({ action }) => action === "create");
  if (created.length === 0) return [];
  const deleted = new Set(steps.filter(({ action }) => action === "delete").map(({ address }) => address));
  const holders = new Map<string, { shared: boolean; holder: LiveResource }[]>();
  for (const holder of live.resources.values()) {
    if (desired.resources.has(holder.address) || deleted.has(holder.address)) continue;
    for (const { name, shared } of kindNamed(holder.kind).relations?.uniqueNames?.(holder.key) ?? [])
      addTo(holders, name, { shared, holder });
  }
  return created.flatMap((step) =>
    uniqueNamesAt(step.address).flatMap((slot) =>
      (holders.get(slot.name) ?? [])
        .filter(({ shared }) => !(shared && slot.shared))
        .map(({ holder }): Refusal => ({
          address: step.address,
          code: "in_the_way",
          summary: `${step.address} cannot be created: ${holder.address}, which is not declared, already uses ${slot.name}`,
          hint: isWhollyPlatformOwned(holder)
            ? "the platform manages it: only the platform can remove it"
            : desired.removed.has(holder.address)
              ? "to delete it, write action: delete in its entry under removed:"
              : `to delete it, add to the manifest  removed: [{ address: ${holder.address}, action: delete }]`,
          ...(step.at && { at: step.at }),
        })),
    ),
  );
}
