import type { PlanInput } from "../model/plan-input.ts";
import type { Plan } from "../model/plan.ts";
import { runPlan } from "./run/run-plan.ts";
import { runAlone, type Alone } from "./session/run-alone.ts";
import { alwaysConfirm, type RunOptions } from "./session/run-options.ts";
import { approvePlan, checkHash } from "./run/approve.ts";
import type { Ending, Session } from "./session/host.ts";
import type { JournalOptions } from "./session/with-journal.ts";
import { manifestFolder } from "./session/load-manifest.ts";
import { loadUsableManifest, ownedPart, planRequest, type UsableManifest } from "./session/open-manifest.ts";
import { withTarget } from "./session/open-target.ts";
import { readOwnership } from "./session/ownership.ts";
import { askedFor, type PlanOptions } from "./plan.ts";
import { recoverForApply, restoringUnused } from "./run/restore-held.ts";
import { planToSave, withHash } from "./run/saved-plan-file.ts";

export interface ApplyManifestOptions
  extends
    Omit<PlanOptions, "detailedExitcode" | "showUnmanaged" | "live" | "out" | "undoOut">,
    JournalOptions,
    RunOptions {
  /** The hash of the plan that may run without asking. */
  readonly approve?: string | undefined;
}

/** Plans, asks, runs exactly that plan, reads back and plans again. */
export async function applyManifest(options: ApplyManifestOptions, io: Session): Promise<Ending> {
  checkHash(options.approve);
  const loaded = await loadUsableManifest({ ...options, use: "run" }, io);
  if (!loaded) return "wrong_input";
  const { desired, readSecret } = loaded;
  io.emit({ type: "valid", resources: desired.resources.size, files: options.file });
  return withTarget(options, { ...loaded, manifests: options.file }, io, (open) =>
    runAlone({ options, io, open, readSecret }, options, (alone) => planAndRun(alone, options, loaded)),
  );
}

/** Plans and runs, while other applies are kept out. */
async function planAndRun(
  alone: Alone,
  options: ApplyManifestOptions,
  { desired, files, outside }: UsableManifest,
): Promise<Ending> {
  const { io, open, readSecret, store } = alone;
  const owned = await readOwnership(store, { files, outside, ...ownedPart(options, desired) }, io);
  io.emit({ type: "diagnostics", diagnostics: [...owned.notices, ...owned.uncommitted, ...(await owned.unpushed())] });
  const given = await askedFor(
    { source: open.connection, readSecret, owned: { ...owned, inventory: { where: store.where } } },
    planRequest({ ...open, desired, owned }, options),
    options,
    io,
  );
  if (typeof given === "string") return given;
  const recovered = await recoverForApply(alone, given, owned);
  if (!recovered.ok) return recovered.error;
  const { live, leftover, asked, requests, plan } = recovered.value;
  const input = { ...asked, live, now: io.now() };
  const save = (given: PlanInput, made: Plan) =>
    planToSave(given, made, { folder: manifestFolder(options.file), checkout: options.checkout }, io);
  return restoringUnused(alone, recovered.value, async (onBegin) => {
    const run = { ...alone, owned, asked, leftover, onBegin, knowsAllDeclared: true };
    if (options.approve === undefined) return runPlan(run, withHash(plan, save(input, plan)), live);
    const approved = approvePlan(options.approve, { plan, input, requests, save }, { readSecret, emit: io.emit });
    if (!approved) return "refused";
    const withConsent = { ...run, asked: { ...asked, consent: approved.consent } };
    const unasked = { ...withConsent, options: { ...options, confirm: alwaysConfirm } };
    const status = await runPlan(unasked, approved.plan, live);
    approved.ended(status);
    return status;
  });
}
