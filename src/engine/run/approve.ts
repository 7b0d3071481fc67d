import type { Emit } from "../session/events.ts";
import { rmSync, existsSync } from "node:fs";
import { join } from "node:path";
import type { Plan } from "../../model/plan.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import type { Consent, PlanInput } from "../../model/plan-input.ts";
import type { EarlierJournals, EarlierRequests } from "../../policy/unknown-outcomes.ts";
import { consentToRefused, stillApproved, flagsToRepeat } from "../../saved-plans/approved-consent.ts";
import { plan } from "../../plan/plan.ts";
import { prepare } from "../../plan/prepare.ts";
import { compareSaved, type Now } from "../../saved-plans/compare-saved.ts";
import { describeDifferences } from "../../saved-plans/compare-seen.ts";
import { isSealed } from "../../saved-plans/plan-hash.ts";
import { digitsOf, isHash, shortHash } from "../../lib/short-hash.ts";
import { byItself, desiredOf } from "../../saved-plans/portable-desired.ts";
import { ofManifests } from "../../saved-plans/remaining-plan.ts";
import type { SavedPlan } from "../../model/saved-plan.ts";
import type { Saved } from "../../saved-plans/save-plan.ts";
import type { Ending } from "../session/host.ts";
import { inputError } from "../session/input-error.ts";
import { makeStateFolder, stateFolder } from "../session/state-folder.ts";
import { saveable, withHash, readSavedPlan, writeSavedPlan } from "./saved-plan-file.ts";

/** A plan that may run without asking, and what keeps its approval until all of it is done. */
export interface Approved {
  readonly plan: Plan;
  /** The consent given, with that of the approval. */
  readonly consent: Consent;
  /** Called with how the run ended: what is left of an approved plan stays approved. */
  readonly ended: (status: Ending) => void;
}

interface PlanToApprove {
  readonly plan: Plan;
  readonly input: PlanInput;
  readonly requests: EarlierRequests;
  readonly save: (input: PlanInput, made: Plan) => Saved;
}

/**
 * Whether the plan is the one that the hash stands for, or what an interrupted run of that one has left; undefined where it is not,
 * and the reasons are said. The hash is consent to every step of its plan, so the plan is compared as it is with that consent.
 */
export function approvePlan(
  given: string,
  { plan: made, input, requests, save }: PlanToApprove,
  { readSecret, emit }: { readonly readSecret: ReadSecret; readonly emit: Emit },
): Approved | undefined {
  const record = recordPath(given);
  const keep: Approved["ended"] = (status) => {
    if (!unfinished.has(status)) rmSync(record, { force: true });
  };
  const { consent } = input;
  if (made.steps.length === 0) return { plan: made, consent, ended: keep };
  const allowed = consentToRefused(input, made, requests);
  const saved = save(allowed.input, allowed.plan);
  if (isHash(given, saved.hash)) {
    if (allowed.plan.refusals.length > 0) return { plan: made, consent, ended: () => undefined };
    makeStateFolder();
    // A plan that no file can hold is approved for this run alone.
    if (saved.unsaveable.length === 0 && saved.follows) writeSavedPlan(record, saveable(saved));
    return { plan: withHash(allowed.plan, saved), consent: allowed.input.consent, ended: keep };
  }
  const begun = readBegun(record, given);
  const still = begun ? stillApproved(consent, begun, input.ownership.inventory) : consent;
  const isInterrupted = begun !== undefined && mayHaveBegun(requests.journal, begun);
  const rest = begun && planRest(begun, made, { ...input, consent: still, isInterrupted }, readSecret);
  if (!begun || !rest || rest.differences.length > 0) {
    const differences = begun && rest ? describeDifferences(rest.differences, begun) : [];
    const shown = withHash(made, saved);
    const hash = shown.hash === undefined ? undefined : shortHash(shown.hash);
    emit({ type: "plan", plan: shown });
    emit({ type: "plan_changed", approved: given, hash, flags: flagsToRepeat(input, made), differences });
    return undefined;
  }
  emit({ type: "remainder", hash: shortHash(begun.hash), begun: begun.created_at });
  // Only the whole manifest's plan knows which addresses are ours, and which nobody manages.
  const kept = made.refusals.filter(({ code }) =>
    ["prevent_destroy", "rolled_back", "journal_lost", "unconfirmed"].includes(code),
  );
  const { afterRequests, owned, unmanaged } = made;
  const diagnostics = rest.plan.diagnostics.filter(({ code }) => !ofManifests.has(code));
  return {
    plan: { ...rest.plan, afterRequests, owned, unmanaged, diagnostics, refusals: [...rest.plan.refusals, ...kept] },
    consent: still,
    ended: keep,
  };
}

/** Throws an InputError for what cannot be a hash. */
export function checkHash(given: string | undefined): void {
  if (given === undefined || digitsOf(given) !== undefined) return;
  const hint = "give it as plan prints it: sha256: and at least 32 digits";
  throw inputError("bad_hash", `--approve: ${given || "an empty text"} is not a plan hash`, hint);
}

/** Returns the approved plan that an earlier run has begun; undefined if there is none, or if its file was altered. */
function readBegun(record: string, given: string): SavedPlan | undefined {
  const begun = existsSync(record) ? readSavedPlan(record) : undefined;
  return begun && isSealed(begun) && isHash(given, begun.hash) ? begun : undefined;
}

/** Plans what remains of an approved plan that was begun, and compares it with that plan. */
function planRest(begun: SavedPlan, made: Plan, input: Omit<Now, "live"> & PlanInput, readSecret: ReadSecret) {
  // Only the record still has the parts of the live object that a half-done replace has kept.
  const desired = desiredOf(begun, readSecret);
  const alone = { ...input, desired, ...byItself(desired, input.ownership.inventory, begun.live) };
  const rest = plan(alone);
  const differences = [
    ...compareSaved(begun, made, { ...input, ...prepare(input) }),
    ...compareSaved(begun, rest, { ...input, ...prepare(alone) }),
  ];
  return { plan: rest, differences };
}

/** Whether the last apply, which was interrupted, may have been one of this plan. What remains of an approved plan has no hash. */
export const mayHaveBegun = (journal: EarlierJournals | undefined, { hash }: SavedPlan): boolean =>
  journal?.last !== undefined && [undefined, hash].includes(journal.last.begin.plan);

const unfinished: ReadonlySet<Ending> = new Set(["failed_in_part", "interrupted", "api_unavailable"]);

const recordPath = (given: string) => join(stateFolder, `approved-${digitsOf(given)?.slice(0, 32)}.json`);
