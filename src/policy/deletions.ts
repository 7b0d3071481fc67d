import { describeReason } from "../model/step-reason.ts";
import { isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { locate } from "../kinds/derived/locate.ts";
import { kindNamed } from "../kinds/index.ts";
import { kindOf, toAddress } from "../model/address.ts";
import type { Refusal, Step } from "../model/plan.ts";
import type { CollectionId } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { causeOfDeletion } from "./cause-of-deletion.ts";
import { deletionsByKind, isNamed } from "./consent.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/** How many may go without being named, where the manifest does not say. */
const defaultBudget = "10%";

interface DeletionRules {
  readonly input: PlanInput;
  readonly steps: readonly Step[];
  readonly counts: ReadonlyMap<string, number>;
}

/**
 * Deletions that need naming (`--allow-delete`) and are not named. One reason each: the first that holds; what one rule refuses
 * is no concern of the next, since it will be named or taken out.
 */
export function deletionsWithoutConsent(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const deletions = steps.filter(({ action }) => action === "delete");
  const going: DeletionRules = { input, steps, counts: deletionsByKind(steps) };
  let left = deletions.filter((step) => !isNamed(input.consent, going.counts, step));
  return [miscounted, ofProtectedKinds, byOtherReading, byFirstExclusive, emptying, overBudget].flatMap((rule) => {
    const refused = left.length === 0 ? [] : rule(going, left);
    const told = new Set(refused.map(({ address }) => address));
    left = left.filter(({ address }) => !told.has(address));
    return refused;
  });
}

/** `kind/*=N` holds for exactly N: any other number is not what was meant. */
function miscounted({ input, counts }: DeletionRules, left: readonly Step[]): Refusal[] {
  return left.flatMap((step) => {
    const kind = kindOf(step.address);
    const meant = input.consent.deleteCounts.get(kind);
    if (meant === undefined) return [];
    const found = counts.get(kind) ?? 0;
    return [
      needsNaming(
        step,
        "over_budget",
        `the plan deletes ${found} of this kind, but --allow-delete ${kind}/*=${meant} allows exactly ${meant}`,
      ),
    ];
  });
}

/** Kinds that hold data, cost money or can black out a domain. */
function ofProtectedKinds({ input: { desired } }: DeletionRules, left: readonly Step[]): Refusal[] {
  const isProtected = (kind: string) => kindNamed(kind).guard?.protected === true || desired.protect.includes(kind);
  return left
    .filter(({ address }) => isProtected(kindOf(address)))
    .map((step) => needsNaming(step, "protected", "its kind is protected"));
}

/** A name that is read in another way than before would move what is ours: the same key then means another record. */
function byOtherReading({ steps }: DeletionRules, left: readonly Step[]): Refusal[] {
  const created = new Set(steps.flatMap(({ action, address }) => (action === "create" ? [address] : [])));
  return left.flatMap((step) => {
    const { kind, key } = locate(step.address);
    const { addressParts, relative } = kind.naming;
    const other = relative && toAddress(kind.name, addressParts(relative.otherReading(key)));
    if (other === undefined || !created.has(other)) return [];
    return [needsNaming(step, "protected", `${other} would be created: the same name, read in another way`)];
  });
}

/** `exclusive` on a collection that was not so at the last apply: whatever was there before would go. */
function byFirstExclusive({ input }: DeletionRules, left: readonly Step[]): Refusal[] {
  const exclusive = left.filter((step) => causeOf(input, step) === "exclusive");
  if (exclusive.length === 0) return [];
  const known = input.ownership.inventory?.exclusive;
  return exclusive
    .filter(({ address }) => known?.has(collectionAt(address)) !== true)
    .map((step) => needsNaming(step, "first_exclusive", "no earlier apply recorded its collection as exclusive"));
}

/** The last of a collection goes only by name: a source that could not be read looks just like that. */
function emptying({ input, steps }: DeletionRules, left: readonly Step[]): Refusal[] {
  const deleted = new Set(steps.filter(({ action }) => action === "delete").map(({ address }) => address));
  const filled = new Set(steps.filter(({ action }) => action === "create").map(({ address }) => collectionAt(address)));
  const isEmptied = (id: CollectionId) =>
    !filled.has(id) &&
    (input.live.collections.get(id)?.addresses ?? []).every(
      (address) => deleted.has(address) || isWhollyPlatformOwned(input.live.resources.get(address)),
    );
  const emptied = new Map<CollectionId, boolean>();
  return left.flatMap((step) => {
    if (!isCounted(input, step)) return [];
    const id = collectionAt(step.address);
    return getOrMake(emptied, id, () => isEmptied(id))
      ? [needsNaming(step, "emptied", `nothing would be left in ${id}`)]
      : [];
  });
}

/** Deletions beyond the manifest's `max_deletes`, in one collection or in all. */
function overBudget({ input }: DeletionRules, left: readonly Step[]): Refusal[] {
  const { live, desired } = input;
  const limit = desired.maxDeletes ?? defaultBudget;
  const counted = left.filter((step) => isCounted(input, step));
  const byCollection = new Map<CollectionId, Step[]>();
  for (const step of counted) addTo(byCollection, collectionAt(step.address), step);
  const size = (id: CollectionId) => live.collections.get(id)?.addresses.length ?? 0;
  const all = [...byCollection.keys()].reduce((sum, id) => sum + size(id), 0);
  const over = [...byCollection].flatMap(([id, going]) => (going.length > budget(limit, size(id)) ? going : []));
  return (counted.length > budget(limit, all) ? counted : over).map((step) => ({
    ...needsNaming(
      step,
      "over_budget",
      `deletions without --allow-delete: ${counted.length}, more than max_deletes ${String(limit)} allows`,
    ),
    hint: `--allow-delete ${step.address}, or raise policy.max_deletes`,
  }));
}

/** How many may go: a number as it is; of a percentage at least three. */
function budget(maxDeletes: number | string, size: number): number {
  return typeof maxDeletes === "number"
    ? maxDeletes
    : Math.max(3, Math.floor((size * Number.parseInt(maxDeletes, 10)) / 100));
}

/** Whether a deletion only follows from what is not declared: one that `removed:` names was meant, and a replace leaves no hole. */
const isCounted = (input: PlanInput, step: Step) => !step.replaces && causeOf(input, step) !== "removed";

export function causeOf(input: PlanInput, { address }: Step) {
  const live = input.live.resources.get(address);
  return live && causeOfDeletion(input, live);
}

function needsNaming(step: Step, code: Refusal["code"], why: string): Refusal {
  const reason = describeReason(step);
  const what = step.replaces ? `replaced, because ${reason}` : `deleted (${reason})`;
  return {
    address: step.address,
    code,
    summary: `${step.address} would be ${what}; ${why}`,
    hint: `--allow-delete ${step.address}`,
    flag: "--allow-delete",
    ...(step.at && { at: step.at }),
  };
}
