import { describeReason } from "../model/step-reason.ts";
import type { Address } from "../model/address.ts";
import type { Refusal, Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { refusedByKind, unnamedPurchases } from "./consent.ts";
import { deletionCause, deletionsWithoutConsent } from "./deletions.ts";
import { blockedDeletions, madeAnewFor, parentsWithChildren, undeletable } from "./children.ts";
import { refuseRollback } from "./missed-apply.ts";
import { addressesBehind } from "./waiting-steps.ts";
import { collectionAt } from "../kinds/derived/collection.ts";
import { isWhollyPlatformOwned } from "../kinds/derived/server-made.ts";
import { locate, uniqueNamesAt } from "../kinds/derived/locate.ts";
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
  steps.filter((step) => step.action === "delete" && !step.replaces && deletionCause(input, step) !== "removed");

/** Refuses deletions while a manifest file of the last apply exists but was not given, because that file may declare the resources. */
function othersMayDeclare(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const present = presentLeftOut(input);
  const [file, ...more] = present.length > 0 ? present : (input.ownership.manifestsLeftOut ?? []);
  const going = undeclared(input, steps);
  if (file === undefined || going.length === 0) return [];
  const [isOne, count] = [more.length === 0, going.length];
  const files = `${file}${isOne ? "" : ` and ${more.length} more`}`;
  const lost = `${count === 1 ? "1 resource" : `${count} resources`} would be deleted, such as ${going[0]?.address}`;
  const texts =
    present.length > 0
      ? {
          summary: `${files} ${isOne ? "was" : "were"} part of the last apply, and this run was not given ${isOne ? "it" : "them"}; ${lost}`,
          hint: "pass it with -f too, give it its own name:, or commit its deletion",
        }
      : {
          summary: `${files} ${isOne ? "was part of the last apply and is missing now, but its deletion is" : "were part of the last apply and are missing now, but their deletion is"} not committed; ${lost}`,
          hint: "commit the deletion, or restore what git has: git checkout HEAD -- FILE",
        };
  return [{ code: "manifest_left_out", ...texts }];
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
    if (!kept) return [];
    const reason = describeReason(step);
    const what = step.replaces ? `replaced, because ${reason}` : `deleted (${reason})`;
    return [
      {
        address: step.address,
        code: "prevent_destroy",
        summary: `${step.address} would be ${what}; its lifecycle sets prevent_destroy`,
        hint: declared
          ? "no flag allows it: take prevent_destroy out of its lifecycle, and apply that first"
          : "no flag allows it: declare it once more without prevent_destroy, apply that, then take it out",
        ...(step.at && { at: step.at }),
      },
    ];
  });
}

/** Refuses steps in a collection that was not read whole: creations, deletions, changes of sets, and updates of an address with several objects, or none. */
function incompleteReads({ live }: PlanInput, steps: readonly Step[]): Refusal[] {
  if (![...live.collections.values()].some(({ incomplete }) => incomplete !== undefined)) return [];
  return steps.flatMap((step): Refusal[] => {
    const incomplete = live.collections.get(collectionAt(step.address))?.incomplete;
    const inSet = locate(step.address).kind.members !== undefined;
    const nameless = step.calls.some(({ params }) => Object.values(params).includes(""));
    const isListed = live.resources.get(step.address)?.remotes.length === 1;
    if (incomplete === undefined || (step.action === "update" && !nameless && !inSet && isListed)) return [];
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
function nameConflicts({ live, desired }: PlanInput, steps: readonly Step[]): Refusal[] {
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
