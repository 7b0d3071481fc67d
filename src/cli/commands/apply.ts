import type { HeldLock } from "../../model/inventory.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { applyPlan, type Opened, type RunOptions } from "../../engine/run-plan.ts";
import { approvePlan, checkHash } from "../../engine/approve.ts";
import type { Ending } from "../../engine/ending.ts";
import { inputError } from "../../engine/input-error.ts";
import type { Io } from "../../engine/io.ts";
import { withJournal, type JournalOptions } from "../../engine/with-journal.ts";
import { loadDesired, manifestFolder, withoutUnset } from "../../engine/load-manifest.ts";
import { isPartial, readConsent, readSelection } from "../../engine/refresh-and-plan.ts";
import { openTarget } from "../../engine/open-target.ts";
import { makeOutput } from "../output.ts";
import { openStore, readOwnership } from "../../engine/ownership.ts";
import type { PlanOptions } from "./plan.ts";
import { finishLeft, planAfter } from "../../engine/recover.ts";
import { withLock } from "../../engine/with-lock.ts";
import { stopOnInterrupt } from "../../engine/stop-on-interrupt.ts";
import { planToSave, withHash } from "../../engine/save-plan.ts";

export interface ApplyOptions
  extends Omit<PlanOptions, "detailedExitcode" | "live" | "out" | "undoOut">, JournalOptions, RunOptions {
  /** The hash of the plan that may run without asking. */
  readonly approve?: string | undefined;
}

/** Plans, asks, runs exactly that plan, reads back and plans again. */
export async function apply(options: ApplyOptions, io: Io): Promise<Ending> {
  checkHash(options.approve);
  checkCanAsk(options, io);
  const output = makeOutput(io, options);
  const consent = readConsent(options);
  const selection = readSelection(options);
  const { result, readSecret, files, diagnostics } = await loadDesired(options.file, options, io);
  output.diagnostics(withoutUnset(diagnostics));
  if (!result) return "wrong_input";
  output.say("valid", `Valid: ${result.desired.resources.size} resources in ${options.file.join(", ")}.`, {
    resources: result.desired.resources.size,
  });
  const open = await openTarget(options, result.desired.name, result.provider, io, output);
  const opened = { options, io, output, open, readSecret };
  const manifest = { desired: result.desired, files, consent, selection };
  stopOnInterrupt(opened);
  try {
    return await withJournal(options, open.inventory, output, io, (journal) =>
      applyManifest({ ...opened, journal }, options, manifest),
    );
  } finally {
    await open.close();
  }
}

interface Manifest extends Pick<PlanInput, "desired" | "consent" | "selection"> {
  readonly files: readonly string[];
}

/** The rest, with the target open and other applies kept out. */
async function applyManifest(opened: Opened, options: ApplyOptions, { files, ...wanted }: Manifest): Promise<Ending> {
  const { io, output, open, readSecret } = opened;
  const store = await openStore(options, open.inventory, io);
  const work = async (lock: HeldLock) => {
    const owned = await readOwnership(store, files, isPartial(wanted.selection), io);
    output.diagnostics(owned.notices);
    const { contract, target } = open;
    const given = { ...wanted, contract, target, ownership: owned.ownership };
    const made = await planAfter(opened, given, owned.unended);
    if (!made.ok) return made.error;
    const { live, carried, asked } = made.value;
    const saved = planToSave({ ...asked, live, now: io.now() }, made.value.plan, manifestFolder(options.file), io);
    const plan = withHash(made.value.plan, saved);
    return await finishLeft(opened, asked, made.value, async (onBegin) => {
      const run = { ...opened, lock, owned, asked, carried, onBegin, knowsAllDeclared: true };
      if (options.approve === undefined) return applyPlan(run, plan, live);
      const input = { ...asked, live, now: io.now() };
      const approved = approvePlan(options.approve, plan, saved, input, { readSecret, output });
      if (!approved) return "refused";
      const status = await applyPlan({ ...run, options: { ...options, autoApprove: true } }, approved.plan, live);
      approved.ended(status);
      return status;
    });
  };
  try {
    return await withLock(store, opened, work);
  } finally {
    await store.close();
  }
}

/** Throws an InputError where nobody can be asked, and nothing says that nobody need be. */
export function checkCanAsk({ autoApprove, approve }: Pick<ApplyOptions, "autoApprove" | "approve">, io: Io): void {
  if (autoApprove || approve !== undefined || io.interactive) return;
  throw inputError(
    "cannot_ask",
    "There is no terminal to ask for approval on",
    "pass --approve with the hash of the plan, or --auto-approve to apply without being asked",
  );
}
