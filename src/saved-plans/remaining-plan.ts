import { consentFlags } from "../messages/advice.ts";
import { savedRefusal, type Refusal } from "../messages/refusals.ts";
import type { Address } from "../model/address.ts";
import type { Plan } from "../model/plan.ts";
import type { Consent, Ownership, PlanInput } from "../model/plan-input.ts";
import type { Desired } from "../model/resource.ts";
import type { CannotUndo, SavedPlan } from "../model/saved-plan.ts";
import { revertedBy } from "../plan/origin.ts";
import { prepare } from "../plan/prepare.ts";
import { refuseUnknown } from "../plan/unread.ts";
import { countScopes, isNamed } from "../policy/delete-scopes.ts";
import { checkPreventDestroy } from "../policy/guard-steps.ts";
import { refuseRollback } from "../policy/rollback.ts";
import { refuseUnknownOutcomes, type EarlierRequests } from "../policy/unknown-outcomes.ts";
import { ownedAfterFile } from "./ownership-change.ts";
import { planPossible } from "./plan-possible.ts";

/**
 * Makes the plan of what remains of a saved plan. `impossible`: the parts of an undo that cannot be done as things are now.
 * @param made the plan of the content of the file, from the live state of now.
 * @param ownership the addresses that are ours now; `input` is planned without them.
 */
export function remainingPlan(
  saved: SavedPlan,
  input: PlanInput,
  { plan: made, requests }: { readonly plan: Plan; readonly requests: EarlierRequests },
  ownership: Ownership,
) {
  const possible =
    saved.undo === true
      ? planPossible(input, ownership.inventory?.preventDestroy ?? new Set(), neededAndGone(saved, input))
      : undefined;
  const { desired, cannot: impossible } = possible ?? { desired: input.desired, cannot: [] };
  const planned = possible && impossible.length > 0 ? refuseUnknownOutcomes(possible.made, requests) : made;
  const guarded = { ...input, desired, ownership };
  const skipped = new Set(impossible.map(({ address }) => address));
  const owned = ownedAfterFile(saved, ownership.inventory, skipped);
  const refusals = [
    ...planned.refusals,
    ...mayBeThere(input, desired),
    ...refuseRollback(guarded, revertedBy(guarded, planned.steps, owned)),
    ...checkPreventDestroy(guarded, planned.steps),
  ];
  const isOpen = (address: Address) => ownership.inventory?.addresses.has(address) === false && !skipped.has(address);
  const adopts = saved.ownership?.adopts?.filter(isOpen) ?? [];
  const plan = {
    ...withWordsOf(saved, { ...planned, refusals }, input.consent),
    owned,
    ...(adopts.length > 0 && { adopts, lasting: saved.ownership?.lasting?.filter(isOpen) }),
    // Of what the file does not hold nothing is known.
    unmanaged: [],
  };
  return { plan, desired, impossible };
}

/** Returns what an undo needs as it is and does not find: often the other plan has taken it away, and failed before it made it again. */
function neededAndGone({ needs }: SavedPlan, input: PlanInput): CannotUndo[] {
  const { live } = prepare(input);
  const gone = needs.filter(({ address }) => !live.resources.has(address));
  return gone.map(({ address }) => ({ address, reason: "it is not there now, and this plan does not make it again" }));
}

/** Refuses what is to go and was not listed where its list was not read whole. */
const mayBeThere = (input: PlanInput, { removed }: Desired): Refusal[] =>
  [...removed.values()].flatMap((removal) => {
    const isListed = input.live.resources.has(removal.address);
    return isListed ? [] : (refuseUnknown(input, removal)?.refusals ?? []);
  });

/** Diagnostics about consent and removals that are done already: no mistake in a file that is not edited by hand. */
export const ofManifests: ReadonlySet<string> = new Set(["unused_consent", "already_removed"]);

const nameOf = ({ address, code }: Pick<Refusal, "address" | "code">) => `${address} ${code}`;

/** The plan made anew, with the reasons that `show` gives, and refused for what refused the saved one, where it is not allowed since. */
function withWordsOf(saved: SavedPlan, made: Plan, consent: Consent): Plan {
  const reasons = new Map(saved.steps.map(({ id, reason }) => [id, reason]));
  const counted = countScopes(consent, made.steps);
  const isAllowed = ({ address, flag }: Refusal) =>
    (flag === consentFlags.rollback && consent.rollback) ||
    (address !== undefined && flag === consentFlags.purchases && consent.purchases.has(address)) ||
    (address !== undefined && flag === consentFlags.deletes && isNamed(consent, counted, { address }));
  const ofFile = new Map(saved.refusals.map((refusal) => [nameOf(refusal), savedRefusal(refusal)]));
  const known = new Set(made.refusals.map(nameOf));
  const open = new Set(made.steps.map(({ action, address }) => `${action} ${address}`));
  // A step of the file may be done already.
  const isDone = ({ address, from: { step } }: Refusal) => step !== undefined && !open.has(`${step.action} ${address}`);
  const still = [...ofFile.values()].filter((each) => !known.has(nameOf(each)) && !isAllowed(each) && !isDone(each));
  const refusals = [...made.refusals.map((refusal) => ofFile.get(nameOf(refusal)) ?? refusal), ...still];
  return {
    ...made,
    isSaved: true,
    ...(made.steps.length > 0 && refusals.length === 0 && { hash: saved.hash }),
    refusals,
    diagnostics: made.diagnostics.filter(({ code }) => !ofManifests.has(code)),
    steps: made.steps.map(({ at: _at, ...step }) => ({ ...step, reason: reasons.get(step.id) ?? step.reason })),
  };
}
