import { offers } from "../../contract/binding.ts";
import { collectionAt } from "../../kinds/derived/collection-at.ts";
import { locate } from "../../kinds/derived/locate.ts";
import { parentsOf } from "../../kinds/derived/parents.ts";
import { kindNamed } from "../../kinds/index.ts";
import type { Kind, Slot } from "../../kinds/kind.ts";
import type { Address } from "../../model/address.ts";
import type { Refusal, Step } from "../../model/plan.ts";
import type { LiveResource } from "../../model/resource.ts";
import type { PlanInput } from "../context.ts";

/**
 * Nothing is created or deleted in a collection that may not be whole, nor is a set changed whose members may not all be known, or be told
 * twice, nor what several objects answer to.
 */
export function incompleteReads({ live }: PlanInput, steps: readonly Step[]): Refusal[] {
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
        summary: `cannot ${step.action} ${step.address}: its collection was not read whole (${incomplete})`,
        hint: "run again when the API gives the whole list, or ask for a key that may read it",
        ...(step.at && { at: step.at }),
      },
    ];
  });
}

/** A live resource that is neither declared nor deleted, and holds what a declared one needs, is named and never removed silently. */
export function thingsInTheWay({ live, desired }: PlanInput, steps: readonly Step[]): Refusal[] {
  const deleted = new Set(steps.filter(({ action }) => action === "delete").map(({ address }) => address));
  const holders = new Map<string, { readonly shared: boolean; readonly holder: LiveResource }[]>();
  for (const holder of live.resources.values()) {
    if (desired.resources.has(holder.address) || deleted.has(holder.address)) continue;
    for (const { name, shared } of kindNamed(holder.kind).slots?.(holder.key) ?? []) {
      const known = holders.get(name);
      if (known) known.push({ shared, holder });
      else holders.set(name, [{ shared, holder }]);
    }
  }
  return steps
    .filter(({ action }) => action === "create")
    .flatMap((step) =>
      slotsOf(step.address).flatMap((slot) =>
        (holders.get(slot.name) ?? [])
          .filter(({ shared }) => !(shared && slot.shared))
          .map(({ holder }): Refusal => ({
            address: step.address,
            code: "in_the_way",
            summary: `${holder.address} exists, is not declared, and holds ${slot.name}`,
            hint: isPlatformOwned(kindNamed(holder.kind), holder)
              ? "it is the platform's own: only the platform can take it away"
              : `to delete it, add to the manifest  removed: [{ address: ${holder.address}, action: delete }]`,
            ...(step.at && { at: step.at }),
          })),
      ),
    );
}

/** A parent is not deleted or replaced while something below it stays. */
export function parentsWithChildren({ live, desired, contract }: PlanInput, steps: readonly Step[]): Refusal[] {
  const deleted = new Map(steps.filter(({ action }) => action === "delete").map((step) => [step.address, step]));
  if (deleted.size === 0) return [];
  const staying = new Map<Address, Address[]>();
  for (const child of live.resources.values()) {
    // What the server makes and removes by itself (mail settings) holds nothing back.
    if (!offers(contract, kindNamed(child.kind), "create")) continue;
    if (deleted.has(child.address) || isPlatformOwned(kindNamed(child.kind), child)) continue;
    for (const alternatives of parentsOf(kindNamed(child.kind), child.key, {
      ...child.remotes[0]?.fields,
      ...desired.resources.get(child.address)?.fields,
    })) {
      const remaining = alternatives.filter((parent) => live.resources.has(parent) && !deleted.has(parent));
      if (remaining.length > 0) continue;
      for (const parent of alternatives) staying.set(parent, [...(staying.get(parent) ?? []), child.address]);
    }
  }
  return [...deleted.values()].flatMap((step): Refusal[] => {
    const children = staying.get(step.address) ?? [];
    if (children.length === 0) return [];
    const named = children.sort().slice(0, 10).join(", ");
    return [
      {
        address: step.address,
        code: "has_children",
        summary: `${step.address} cannot be deleted: ${children.length} below it would stay (${named}${children.length > 10 ? ", …" : ""})`,
        hint: step.replaces
          ? "delete it, move it elsewhere, or (a domain) set its service to null first; then apply this change"
          : "name each of them under removed: with action: delete, or keep the parent",
        ...(step.at && { at: step.at }),
      },
    ];
  });
}

const isPlatformOwned = (kind: Kind, { remotes }: LiveResource) =>
  remotes.every(({ fields }) => kind.platformOwned?.(fields) === true);

function slotsOf(address: Address): readonly Slot[] {
  const { kind, key } = locate(address);
  return kind.slots?.(key) ?? [];
}
