import type { Refusal, Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { refusedByKind, unnamedPurchases } from "./consent.ts";
import { causeOf, deletionsWithoutConsent } from "./deletions.ts";
import { blockedDeletions, madeAnewFor, parentsWithChildren, undeletable } from "./children.ts";
import { incompleteReads, nameConflicts } from "./conflicts.ts";

/** What forbids steps that are right in themselves. Each is one reason; a plan with any of them changes nothing. */
export function guardSteps(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const blocked = blockedDeletions(input, steps);
  const held = [
    ...refuseRollback(input),
    ...othersMayDeclare(input, steps),
    ...checkPreventDestroy(input, steps),
    ...refusedByKind(input, steps),
    ...incompleteReads(input, steps),
    ...undeletable(input, blocked),
  ];
  // Naming these would not help, or they are to be named already.
  const refused = new Set(held.map(({ address }) => address));
  const final = new Set([...refused, ...madeAnewFor(steps, refused)]);
  return [
    ...held,
    ...deletionsWithoutConsent(input, steps).filter(({ address }) => !final.has(address)),
    ...unnamedPurchases(input, steps),
    ...nameConflicts(input, steps),
    ...parentsWithChildren(blocked.filter(({ step }) => !final.has(step.address))),
  ];
}

/** An older commit than that of the last apply deletes nothing, since what it does not declare may be newer than it. */
export function refuseRollback({ ownership, consent }: Pick<PlanInput, "ownership" | "consent">): Refusal[] {
  if (!ownership.rolledBack || consent.rollback) return [];
  return [
    {
      code: "rolled_back",
      summary:
        "the last apply was of a commit that this one is not known to contain (an old job run again, a rewritten history, a shallow clone), so nothing is deleted for not being declared",
      hint: "run it from a commit that contains that one, with its whole history; or pass --rollback if this manifest is to hold",
      flag: "--rollback",
    },
  ];
}

/** What a file of the last apply declares, which is still there but was not given, is not undeclared. */
function othersMayDeclare(input: PlanInput, steps: readonly Step[]): Refusal[] {
  const { manifestsLeftOut: [file, ...more] = [] } = input.ownership;
  const isUndeclared = (step: Step) => step.action === "delete" && !step.replaces && causeOf(input, step) !== "removed";
  const going = steps.filter(isUndeclared);
  if (file === undefined || going.length === 0) return [];
  const others = more.length === 0 ? "" : ` and ${more.length} more`;
  return [
    {
      code: "manifest_left_out",
      summary: `${file}${others} took part in the last apply, is still there and was not given: it may declare what would be deleted (${going.length}, such as ${going[0]?.address})`,
      hint: "give it with -f as well; or give it a name: of its own, or delete it",
    },
  ];
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
    const what = step.replaces ? `deleted and made anew, because ${step.reason}` : `deleted (${step.reason})`;
    return [
      {
        address: step.address,
        code: "prevent_destroy",
        summary: `${step.address} would be ${what}; its lifecycle says prevent_destroy`,
        hint: declared
          ? "no flag allows it: take prevent_destroy out of its lifecycle, and apply that first"
          : "no flag allows it: declare it once more without prevent_destroy, apply that, then take it out",
        ...(step.at && { at: step.at }),
      },
    ];
  });
}
