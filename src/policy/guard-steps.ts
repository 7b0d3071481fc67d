import { refusals, type Refusal } from "../messages/refusals.ts";
import type { Address } from "../model/address.ts";
import { bodiesOf, referencesIn } from "../model/body.ts";
import { addressesOf, type Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { refusedByKind, unnamedPurchases } from "./consent.ts";
import { deletionsWithoutConsent, isUndeclared } from "./deletions.ts";
import { blockedDeletions, madeAnewFor, parentsWithChildren, undeletable } from "./children.ts";
import { refuseRollback } from "./rollback.ts";
import { addressesBehind } from "./waiting-steps.ts";
import { collectionAt, locate, uniqueNamesAt } from "../kinds/derived/collection.ts";
import { isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import type { LiveResource } from "../model/resource.ts";
import { addTo } from "../lib/collect.ts";

/**
 * Applies the safety rules to valid steps. Returns one refusal per violation; a plan with a refusal is not applied.
 * @param reverted the addresses at which an older commit would take something back: until that is allowed, no other consent to it counts.
 */
export function guardSteps(input: PlanInput, steps: readonly Step[], reverted: readonly Address[]): Refusal[] {
  const older = refuseRollback(input, reverted);
  if (older.length === 0) return refuseSteps(input, steps);
  const among = new Set<Address | undefined>(reverted);
  return [...older, ...refuseSteps(input, steps).filter(({ address }) => !among.has(address))];
}

function refuseSteps(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const blocked = blockedDeletions(input, steps);
  const declaredElsewhere = presentLeftOut(input).length > 0 ? undeclared(input, steps) : [];
  const held = [
    ...othersMayDeclare(input, steps),
    ...checkPreventDestroy(input, steps),
    ...refusedByKind(input, steps),
    ...incompleteReads(input, steps),
    ...undeletable(input, blocked),
  ];
  // Naming these would not help, or they are to be named already.
  const refused = new Set([...held, ...declaredElsewhere].map(({ address }) => address));
  const final = new Set([...refused, ...madeAnewFor(steps, refused)]);
  const conflicts = [
    ...nameConflicts(input, steps),
    ...parentsWithChildren(
      input,
      blocked.filter(({ step }) => !final.has(step.address)),
    ),
  ];
  const never = new Set([...held, ...conflicts].flatMap(({ flag, address }) => (flag === undefined ? [address] : [])));
  const staying = addressesBehind(steps, (address) => never.has(address));
  return [
    ...held,
    ...deletionsWithoutConsent(input, steps, staying).filter(({ address }) => !final.has(address)),
    ...unnamedPurchases(input, steps),
    ...conflicts,
  ];
}

/** Returns the manifest files of the last apply that exist, and were not given. */
function presentLeftOut({ ownership: { manifestsLeftOut = [], manifestsMissing } }: PlanInput): string[] {
  const missing = new Set(manifestsMissing);
  return manifestsLeftOut.filter((each) => !missing.has(each));
}

const undeclared = (input: PlanInput, steps: readonly Step[]) =>
  steps.filter((step) => step.action === "delete" && isUndeclared(input, step));

/** Refuses deletions while a manifest file of the last apply exists but was not given, because that file may declare the resources. */
function othersMayDeclare(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const present = presentLeftOut(input);
  const files = present.length > 0 ? present : (input.ownership.manifestsLeftOut ?? []);
  const going = undeclared(input, steps);
  const [first] = going;
  if (files.length === 0 || !first) return [];
  return [refusals.manifestLeftOut({}, files, present.length > 0, going.length, first.address)];
}

/** `prevent_destroy` outlives its block: only a manifest that declares the resource without it lifts it. */
export function checkPreventDestroy(
  { desired, ownership }: Pick<PlanInput, "desired" | "ownership">,
  steps: readonly Step[],
): Refusal[] {
  return steps.flatMap((step): Refusal[] => {
    if (step.action !== "delete") return [];
    const declared = desired.resources.get(step.address);
    const kept = declared
      ? declared.lifecycle?.preventDestroy === true
      : ownership.inventory?.preventDestroy.has(step.address) === true;
    return kept ? [refusals.preventDestroy(step, declared !== undefined)] : [];
  });
}

/**
 * Refuses steps in a collection that was not read whole: creations, deletions, changes of sets, and updates of an address with several
 * objects, or none; and steps that send a value of what was not listed there, for the live one may be the same.
 */
function incompleteReads({ live, desired }: PlanInput, steps: readonly Step[]): Refusal[] {
  if (![...live.collections.values()].some(({ incomplete }) => incomplete !== undefined)) return [];
  const isRead = (address: Address) => live.collections.get(collectionAt(address))?.incomplete === undefined;
  return steps.flatMap((step): Refusal[] => {
    const resource = step.action === "delete" ? undefined : desired.resources.get(step.address);
    const source = referencesIn(bodiesOf(resource)).find(({ ref }) => !isRead(ref) && !live.resources.has(ref));
    if (source) return [refusals.incompleteRead(step, source.ref)];
    const inSet = locate(step.address).kind.members !== undefined;
    const nameless = step.calls.some(({ params }) => Object.values(params).includes(""));
    const isListed = live.resources.get(step.address)?.remotes.length === 1;
    if (isRead(step.address) || (step.action === "update" && !nameless && !inSet && isListed)) return [];
    return [refusals.incompleteRead(step)];
  });
}

/** A live resource that is neither declared nor deleted, and holds what a declared one needs, is named and never removed silently. */
function nameConflicts({ live, desired }: PlanInput, steps: readonly Step[]): Refusal[] {
  const created = steps.filter(({ action }) => action === "create");
  if (created.length === 0) return [];
  const deleted = addressesOf(steps, "delete");
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
        .map(({ holder }) =>
          refusals.nameTaken(step, {
            holder: holder.address,
            name: slot.name,
            isPlatforms: isWhollyPlatformOwned(holder),
            isRemoved: desired.removed.has(holder.address),
          }),
        ),
    ),
  );
}
