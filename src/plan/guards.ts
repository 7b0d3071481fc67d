import { offers } from "../contract/binding.ts";
import { locate } from "../kinds/derived/locate.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import type { Kind, Slot } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Refusal, Step } from "../model/plan.ts";
import type { CollectionId, LiveResource } from "../model/resource.ts";
import type { PlanInput } from "./context.ts";

/** What forbids steps that are right in themselves. Each is one reason; a plan with any of them changes nothing. */
export function guardSteps(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const refusedAnyway = refusedByKind(input, steps);
  const final = new Set(refusedAnyway.map(({ address }) => address));
  return [
    ...unnamedDeletions(input, steps).filter(({ address }) => !final.has(address)),
    ...refusedAnyway,
    ...unnamedPurchases(input, steps),
    ...overBudget(input, steps),
    ...incompleteReads(input, steps),
    ...thingsInTheWay(input, steps),
    ...parentsWithChildren(input, steps),
  ];
}

/** Kinds that hold data, cost money or can black out a domain are deleted and replaced only where the command line names them. */
function unnamedDeletions({ desired, consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  return steps.flatMap((step): Refusal[] => {
    const isProtected = locate(step.address).kind.protected || desired.protect.includes(kindOf(step.address));
    if (step.action !== "delete" || !isProtected || consent.deletes.has(step.address)) return [];
    const what = step.replaces ? `deleted and made anew, because ${step.reason}` : `deleted (${step.reason})`;
    return [
      {
        address: step.address,
        code: "protected",
        summary: `${step.address} would be ${what}; its kind is protected`,
        hint: `--allow-delete ${step.address}`,
        ...(step.at && { at: step.at }),
      },
    ];
  });
}

/** Deletions beyond the manifest's `max_deletes`, in one collection or in all, but for those that the command line names. */
function overBudget({ live, desired, consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  const { maxDeletes } = desired;
  if (maxDeletes === undefined) return [];
  const unnamed = steps.filter(
    ({ action, replaces, address }) => action === "delete" && !replaces && !consent.deletes.has(address),
  );
  const byCollection = new Map<CollectionId, Step[]>();
  for (const step of unnamed)
    byCollection.set(collectionIdOf(step.address), [...(byCollection.get(collectionIdOf(step.address)) ?? []), step]);
  const size = (id: CollectionId) => live.collections.get(id)?.addresses.length ?? 0;
  const all = [...byCollection.keys()].reduce((sum, id) => sum + size(id), 0);
  const over = [...byCollection].flatMap(([id, going]) => (going.length > budget(maxDeletes, size(id)) ? going : []));
  return (unnamed.length > budget(maxDeletes, all) ? unnamed : over).map(({ address, at }) => ({
    address,
    code: "over_budget",
    summary: `${address} would be deleted, one of ${unnamed.length}: more than max_deletes ${String(maxDeletes)} allows`,
    hint: `--allow-delete ${address}, or raise policy.max_deletes`,
    ...(at && { at }),
  }));
}

function collectionIdOf(address: Address): CollectionId {
  const { kind, key } = locate(address);
  return collectionOf(kind, key).id;
}

/** How many may go: a number as it is; of a percentage at least three (DESIGN.md section 3). */
function budget(maxDeletes: number | string, size: number): number {
  return typeof maxDeletes === "number"
    ? maxDeletes
    : Math.max(3, Math.floor((size * Number.parseInt(maxDeletes, 10)) / 100));
}

/** What a kind itself refuses, such as a change that would break a chain of trust. */
function refusedByKind({ live, desired, consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  return steps.flatMap((step): Refusal[] => {
    const before = live.resources.get(step.address)?.remotes[0]?.fields;
    if (!before || step.action === "create") return [];
    const after = step.action === "delete" && !step.replaces ? undefined : desired.resources.get(step.address)?.fields;
    const refused = locate(step.address).kind.refuse?.(before, after);
    if (!refused || (refused.consent && consent.deletes.has(step.address))) return [];
    return [
      {
        address: step.address,
        code: refused.consent ? "protected" : "refused_by_kind",
        summary: `${step.address}: ${refused.summary}`,
        hint: refused.consent
          ? `--allow-delete ${step.address}`
          : "no flag allows it; take the change out of the manifest",
        ...(step.at && { at: step.at }),
      },
    ];
  });
}

function unnamedPurchases({ consent }: PlanInput, steps: readonly Step[]): Refusal[] {
  return steps
    .filter(({ purchase, address }) => purchase && !consent.purchases.has(address))
    .map(({ address, at }) => ({
      address,
      code: "purchase",
      summary: `${address} costs money and cannot be undone`,
      hint: `--allow-purchase ${address}`,
      ...(at && { at }),
    }));
}

/** Nothing is created or deleted in a collection that may not be whole. */
function incompleteReads({ live }: PlanInput, steps: readonly Step[]): Refusal[] {
  return steps.flatMap((step): Refusal[] => {
    const incomplete = live.collections.get(collectionIdOf(step.address))?.incomplete;
    const nameless = step.calls.some(({ params }) => Object.values(params).includes(""));
    if (incomplete === undefined || (step.action === "update" && !nameless)) return [];
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
function thingsInTheWay({ live, desired }: PlanInput, steps: readonly Step[]): Refusal[] {
  const deleted = new Set(steps.filter(({ action }) => action === "delete").map(({ address }) => address));
  const holders = new Map<string, { readonly shared: boolean; readonly holder: LiveResource }[]>();
  for (const holder of live.resources.values()) {
    if (desired.resources.has(holder.address) || deleted.has(holder.address)) continue;
    for (const { name, shared } of kindNamed(holder.kind).slots?.(holder.key) ?? []) {
      holders.set(name, [...(holders.get(name) ?? []), { shared, holder }]);
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
function parentsWithChildren({ live, desired, contract }: PlanInput, steps: readonly Step[]): Refusal[] {
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
