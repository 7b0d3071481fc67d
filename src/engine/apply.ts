import type { Emit } from "./events.ts";
import type { HeldLock } from "../model/inventory.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { alwaysConfirm, confirmAndRun, type Opened, type RunOptions } from "./run-plan.ts";
import { approvePlan, checkHash } from "./approve.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import { withJournal, type JournalOptions } from "./with-journal.ts";
import { loadManifestFiles, manifestFolder, withoutUnset } from "./load-manifest.ts";
import { isPartial, readConsent, readSelection } from "./refresh-and-plan.ts";
import { openTarget } from "./open-target.ts";
import { openStore, readOwnership } from "./ownership.ts";
import type { PlanOptions } from "./plan.ts";
import { finishLeft, recoverAndPlan } from "./recover.ts";
import { withLock } from "./with-lock.ts";
import { stopOnInterrupt } from "./stop-on-interrupt.ts";
import { planToSave, withHash } from "./save-plan.ts";

export interface ApplyOptions
  extends Omit<PlanOptions, "detailedExitcode" | "live" | "out" | "undoOut">, JournalOptions, RunOptions {
  /** The hash of the plan that may run without asking. */
  readonly approve?: string | undefined;
}

/** Plans, asks, runs exactly that plan, reads back and plans again. */
export async function applyManifest(options: ApplyOptions, io: Host, emit: Emit): Promise<Ending> {
  checkHash(options.approve);
  const consent = readConsent(options);
  const selection = readSelection(options);
  const { result, readSecret, files, diagnostics } = await loadManifestFiles(options.file, options, io);
  emit({ type: "diagnostics", diagnostics: withoutUnset(diagnostics) });
  if (!result) return "wrong_input";
  emit({ type: "valid", resources: result.desired.resources.size, files: options.file });
  const open = await openTarget(options, result.desired.name, result.provider, io, emit);
  const opened = { options, io, emit, open, readSecret };
  const manifest = { desired: result.desired, files, consent, selection };
  stopOnInterrupt(opened);
  try {
    return await withJournal(options, open.inventory, emit, io, (journal) =>
      planAndRun({ ...opened, journal }, options, manifest),
    );
  } finally {
    await open.close();
  }
}

interface Manifest extends Pick<PlanInput, "desired" | "consent" | "selection"> {
  readonly files: readonly string[];
}

/** The rest, with the target open and other applies kept out. */
async function planAndRun(opened: Opened, options: ApplyOptions, { files, ...wanted }: Manifest): Promise<Ending> {
  const { io, emit, open, readSecret } = opened;
  const store = await openStore(options, open.inventory, io);
  const work = async (lock: HeldLock) => {
    const owned = await readOwnership(store, files, isPartial(wanted.selection), io);
    emit({ type: "diagnostics", diagnostics: owned.notices });
    const { contract, target } = open;
    const given = { ...wanted, contract, target, ownership: owned.ownership };
    const made = await recoverAndPlan(opened, given, owned);
    if (!made.ok) return made.error;
    const { live, carried, asked } = made.value;
    const saved = planToSave({ ...asked, live, now: io.now() }, made.value.plan, manifestFolder(options.file), io);
    const plan = withHash(made.value.plan, saved);
    return await finishLeft(opened, asked, made.value, async (onBegin) => {
      const run = { ...opened, lock, owned, asked, carried, onBegin, knowsAllDeclared: true };
      if (options.approve === undefined) return confirmAndRun(run, plan, live);
      const input = { ...asked, live, now: io.now() };
      const approved = approvePlan(options.approve, plan, saved, input, { readSecret, emit });
      if (!approved) return "refused";
      const status = await confirmAndRun(
        { ...run, options: { ...options, confirm: alwaysConfirm } },
        approved.plan,
        live,
      );
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
