import { resolve } from "node:path";
import { missingSecrets } from "../policy/missing-secrets.ts";
import { contractHash } from "../contract/load-contract.ts";
import { secretReader } from "../manifest/read/secrets.ts";
import type { Address } from "../model/address.ts";
import { hasErrors } from "../model/diagnostic.ts";
import type { Plan } from "../model/plan.ts";
import type { Ownership } from "../model/plan-input.ts";
import type { SavedPlan } from "../model/saved-plan.ts";
import { prepare } from "../plan/prepare.ts";
import { addConsent, withApproved } from "../saved-plans/approved-consent.ts";
import { compareSaved, satisfiedSteps } from "../saved-plans/compare-saved.ts";
import { describeDifferences } from "../saved-plans/compare-seen.ts";
import { nameOfSource, type TextSource } from "../lib/read-file.ts";
import { isHash, shortHash } from "../lib/short-hash.ts";
import { byItself, desiredOf } from "../saved-plans/portable-desired.ts";
import { remainingPlan } from "../saved-plans/remaining-plan.ts";
import type { ApplyManifestOptions } from "./apply.ts";
import { checkHash, mayHaveBegun } from "./run/approve.ts";
import type { Ending, Session } from "./session/host.ts";
import { keepFormerSecrets } from "./run/former-secrets.ts";
import { InputError } from "./session/input-error.ts";
import { allowedFolders } from "./session/load-manifest.ts";
import { secretCommands } from "./session/secret-commands.ts";
import { withTarget, type OpenTarget } from "./session/open-target.ts";
import { readOwnership } from "./session/ownership.ts";
import { recoverForApply, restoringUnused } from "./run/restore-held.ts";
import { runAlone, type Alone } from "./session/run-alone.ts";
import { alwaysConfirm } from "./session/run-options.ts";
import { outsideParts, emitHeader, readSealedPlan } from "./run/saved-plan-file.ts";
import { runPlan } from "./run/run-plan.ts";

export interface ApplySavedPlanOptions extends Omit<ApplyManifestOptions, "file" | "selection"> {
  readonly plan: TextSource;
}

/**
 * Carries out a saved plan: reads what it touches, plans again from what it holds, and runs that, if each of its steps is one that was
 * approved and nothing of it has moved.
 */
export async function applySavedPlan(options: ApplySavedPlanOptions, io: Session): Promise<Ending> {
  const { approve } = options;
  checkHash(approve);
  const saved = readSealedPlan(options.plan, io.emit);
  if (!saved) return "refused";
  const path = nameOfSource(options.plan);
  if (approve !== undefined && !isHash(approve, saved.hash)) {
    io.emit({ type: "other_plan", path, approved: approve, hash: shortHash(saved.hash) });
    return "refused";
  }
  emitHeader(io.emit, path, saved);
  const checkout = resolve(options.checkout ?? ".");
  const commands = secretCommands("run", options, [checkout], io);
  const allowed = allowedFolders(options.allowFile);
  const readSecret = secretReader(io.env, checkout, io.keepSecret, allowed, commands.outputOf);
  return withTarget(options, { desired: { name: saved.target.name } }, io, async (open) => {
    checkTarget(path, saved, open);
    await commands.run(outsideParts(saved).flatMap(({ part }) => ("exec" in part ? part.exec : [])));
    // A plan file may come from elsewhere: then the inventory is that of the checkout in which it is applied.
    const isOfGit = saved.source !== undefined && options.inventory === undefined;
    const place = {
      ...options,
      file: [typeof options.plan === "string" ? path : checkout],
      ...(isOfGit && { otherFolder: checkout }),
    };
    return runAlone({ options, io, open, readSecret }, place, (alone) => applySaved(alone, options, saved));
  });
}

/** Plans and runs what remains of the file, while other applies are kept out. */
async function applySaved(alone: Alone, options: ApplySavedPlanOptions, saved: SavedPlan): Promise<Ending> {
  const { io, open, readSecret, store } = alone;
  const planned = saved.undo === true ? undefined : saved.source;
  const owned = await readOwnership(store, { files: [], partial: true, planned, undoes: saved.undo }, io);
  io.emit({ type: "diagnostics", diagnostics: owned.notices });
  const owners = store.keeps ? [] : (saved.standing?.ours ?? []);
  if (owners.length > 0) {
    // Without it, a deleted address would stay in the inventory, and a later apply would delete what somebody makes there.
    const summary = `The plan deletes or buys ${owners.length} that an inventory names as ours, such as ${owners[0] ?? ""}, and this run has no inventory`;
    const hint = "apply the plan in the checkout of its manifest, or pass --inventory FILE as the plan did";
    io.emit({ type: "diagnostics", diagnostics: [{ severity: "error", code: "no_inventory", summary, hint }] });
    return "refused";
  }
  const desired = desiredOf(saved, readSecret);
  const { contract, target } = open;
  // The consent of the flags, of the file, and of its hash, if that was given.
  const given = addConsent(options.consent, saved.consent);
  const consent = options.approve === undefined ? given : withApproved(given, saved);
  const { selection, ownership: named } = byItself(desired, owned.ownership.inventory, saved.live);
  const ownership = { ...named, afterDue: owned.ownership.afterDue };
  const request = { desired, contract, target, consent, selection, ownership };
  const recovered = await recoverForApply(alone, request, owned);
  if (!recovered.ok) return recovered.error;
  const { live, leftover } = recovered.value;
  keepFormerSecrets({ desired, ownership: owned.ownership, contract, live }, io);
  const input = { ...request, live, now: io.now() };
  const { impossible, plan, ...possible } = remainingPlan(saved, input, recovered.value, owned.ownership);
  for (const { address, reason } of impossible) io.emit({ type: "cannot_undo", address, reason });
  const asked = { ...request, ...possible };
  return restoringUnused(alone, recovered.value, async (onBegin) => {
    const isInterrupted = mayHaveBegun(alone.journal, saved);
    const differences = compareSaved(saved, plan, { ...prepare({ ...asked, live }), contract, isInterrupted });
    if (differences.length > 0) {
      // Beside a value that is not there, all that it should equal looks like a change.
      const unset = missingSecrets(plan, readSecret);
      const diagnostics = unset.length > 0 ? unset : describeDifferences(differences, saved);
      io.emit({ type: "diagnostics", diagnostics });
      return unset.length > 0 ? "wrong_input" : "refused";
    }
    const disowned = disownedSince(saved, plan, owned.ownership);
    if (disowned.length > 0) {
      const summary = `The plan deletes ${disowned.length} that the inventory named as ours when it was made, and does not name now, such as ${disowned[0] ?? ""}`;
      const hint =
        "nothing was changed; apply the plan in the checkout of its manifest, with --inventory FILE if it was made with that, or plan again";
      io.emit({ type: "diagnostics", diagnostics: [{ severity: "error", code: "moved", summary, hint }] });
      return "refused";
    }
    const skipped = new Set([...impossible, ...plan.refusals].map(({ address }) => address));
    for (const { id, address } of hasErrors(plan.diagnostics) ? [] : satisfiedSteps(saved, plan))
      if (!skipped.has(address)) io.emit({ type: "satisfied", step: id });
    const run = {
      ...alone,
      options: { ...options, confirm: options.approve === undefined ? options.confirm : alwaysConfirm },
      owned,
      asked,
      leftover,
      onBegin,
      knowsAllDeclared: false,
    };
    return runPlan(run, plan, live);
  });
}

/**
 * Returns what is still to be deleted, was ours when the plan was made, and is not known to be now: somebody has forgotten it, this is another
 * inventory, or one that cannot be read.
 */
const disownedSince = (
  { standing }: SavedPlan,
  { steps }: Plan,
  { inventory, isUndecided = false }: Ownership,
): readonly Address[] =>
  steps.flatMap(({ action, address }) => {
    const isOurs = !isUndecided && inventory?.addresses.has(address) === true;
    return action === "delete" && !isOurs && standing?.ours.includes(address) === true ? [address] : [];
  });

/** The file names its target, but does not choose it: the key must not go where a file says. Throws an InputError where they differ. */
function checkTarget(path: string, { target: planned }: SavedPlan, { target, contract }: OpenTarget): void {
  const same = target.emulator ? planned.emulator : !planned.emulator && planned.baseUrl === target.baseUrl;
  if (same && planned.contract === target.contract) {
    if (planned.contractHash === contractHash(contract)) return;
    throw new InputError({ type: "plan_for_other_contract", path, contract: planned.contract });
  }
  throw new InputError({ type: "plan_for_other_target", path, planned, now: target });
}
