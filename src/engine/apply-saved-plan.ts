import type { Emit } from "./events.ts";
import { resolve } from "node:path";
import { resolveParts, secretReader } from "../manifest/secrets.ts";
import type { Carried } from "../model/journal.ts";
import type { HeldLock } from "../model/inventory.ts";
import type { Plan, Refusal } from "../model/plan.ts";
import type { Desired } from "../model/resource.ts";
import type { CannotUndo, SavedPlan } from "../model/saved-plan.ts";
import type { Consent, PlanInput } from "../model/plan-input.ts";
import { prepare } from "../plan/prepare.ts";
import { byItself } from "../saved-plans/by-itself.ts";
import { compareSaved, satisfiedSteps } from "../saved-plans/compare-saved.ts";
import { describeDifferences } from "../saved-plans/describe-difference.ts";
import { approvedContent, isHash, isSealed, planHash, shortHash } from "../saved-plans/plan-hash.ts";
import { ownedAfterFile } from "../saved-plans/ownership-change.ts";
import { desiredOf } from "../saved-plans/portable-desired.ts";
import { idOf, reasonOf } from "../saved-plans/shown-plan.ts";
import { alwaysConfirm, confirmAndRun, type Opened } from "./run-plan.ts";
import type { ApplyOptions } from "./apply.ts";
import { checkHash } from "./approve.ts";
import { keepFormerSecrets } from "./former-secrets.ts";
import type { Ending } from "./ending.ts";
import { inputError } from "./input-error.ts";
import type { Host } from "./host.ts";
import { withJournal } from "./with-journal.ts";
import { isPartial, readConsent, readSelection } from "./refresh-and-plan.ts";
import { openTarget, type OpenTarget } from "./open-target.ts";
import { refuseRollback, checkPreventDestroy } from "../policy/guard-steps.ts";
import { planPossible } from "../saved-plans/plan-possible.ts";
import { openStore, readOwnership, type OpenOwnership } from "./ownership.ts";
import { finishLeft, recoverAndPlan } from "./recover.ts";
import { allowedFolders } from "./load-manifest.ts";
import { readSavedPlan } from "./saved-plan-file.ts";
import { stopOnInterrupt } from "./stop-on-interrupt.ts";
import { withLock } from "./with-lock.ts";
import { emitAltered, emitHeader } from "./saved-plan-events.ts";
import { refuseUnknownOutcomes } from "../policy/unknown-outcomes.ts";

type PlanInputNow = Pick<PlanInput, "desired" | "ownership" | "consent">;

export interface ApplySavedPlanOptions extends Omit<ApplyOptions, "file"> {
  readonly plan: string;
}

/**
 * Carries out a saved plan: reads what it touches, plans again from what it holds, and runs that, if each of its steps is one that was
 * approved and nothing of it has moved.
 */
export async function applySavedPlan(options: ApplySavedPlanOptions, io: Host, emit: Emit): Promise<Ending> {
  checkHash(options.approve);
  if (isPartial(readSelection(options)))
    throw inputError("bad_arguments", "A saved plan is applied as a whole", "give --only and --except to plan --out");
  const saved = readSavedPlan(options.plan);
  if (isRefused(options, saved, emit)) return "refused";
  emitHeader(emit, options.plan, approvedContent(saved));
  const readSecret = secretReader(io.env, resolve("."), io.keepSecret, allowedFolders(options.allowFile));
  const open = await openTarget(options, saved.target.name, {}, io, emit);
  const opened = { options, io, emit, open, readSecret };
  stopOnInterrupt(opened);
  try {
    checkTarget(options.plan, saved, open);
    return await withJournal(options, open.inventory, emit, io, (journal) =>
      applySaved({ ...opened, journal }, options, saved),
    );
  } finally {
    await open.close();
  }
}

/** The rest, with the target open and other applies kept out. */
async function applySaved(opened: Opened, options: ApplySavedPlanOptions, saved: SavedPlan): Promise<Ending> {
  const { io, emit, open, readSecret } = opened;
  const desired = desiredOf(saved, (parts) => resolveParts(parts, readSecret));
  const store = await openStore({ ...options, file: [options.plan] }, open.inventory, io);
  const work = async (lock: HeldLock) => {
    const owned = await readOwnership(store, [], true, io, saved.source);
    emit({ type: "diagnostics", diagnostics: owned.notices });
    const asked = {
      desired,
      contract: open.contract,
      target: open.target,
      consent: withSaved(readConsent(options), saved),
      ...byItself,
    };
    const made = await recoverAndPlan(opened, asked, owned);
    if (!made.ok) return made.error;
    const { live, carried } = made.value;
    keepFormerSecrets({ desired: asked.desired, ownership: owned.ownership }, live, io);
    const input = { ...asked, live, now: io.now() };
    const { planned, left, ...part } = withoutImpossible(saved, input, made.value.plan, { ...opened, carried }, owned);
    for (const { address, reason } of left) emit({ type: "cannot_undo", address, reason });
    const possible = { ...asked, ...part };
    const skipped = new Set(left.map(({ address }) => address));
    const remaining = {
      ...withWordsOf(saved, guarded(planned, { ...possible, ownership: owned.ownership }), possible.consent),
      owned: ownedAfterFile(saved, owned.ownership.inventory, skipped),
      // Of what the file does not hold nothing is known.
      unmanaged: [],
    };
    return await finishLeft(opened, asked, made.value, async (onBegin) => {
      const differences = compareSaved(saved, remaining, {
        ...prepare({ ...possible, live }),
        contract: open.contract,
      });
      if (differences.length > 0) {
        emit({ type: "diagnostics", diagnostics: describeDifferences(differences, saved) });
        return "refused";
      }
      const satisfied = satisfiedSteps(saved, remaining).filter(({ address }) => !skipped.has(address));
      for (const { id } of satisfied) emit({ type: "satisfied", step: id });
      const confirm = options.approve === undefined ? options.confirm : alwaysConfirm;
      const run = {
        ...opened,
        options: { ...options, confirm },
        lock,
        owned,
        asked: possible,
        carried,
        onBegin,
        knowsAllDeclared: false,
      };
      return confirmAndRun(run, remaining, live);
    });
  };
  try {
    return await withLock(store, opened, work);
  } finally {
    await store.close();
  }
}

/** Whether the file was altered, or holds another plan than the approved plan. The reason is printed. */
function isRefused({ plan: path, approve }: ApplySavedPlanOptions, saved: SavedPlan, emit: Emit): boolean {
  const hash = planHash(saved);
  if (approve !== undefined && !isHash(approve, hash)) {
    emit({ type: "other_plan", path, approved: approve, hash: shortHash(hash) });
    return true;
  }
  if (isSealed(saved)) return false;
  emitAltered(emit, path, saved);
  return true;
}

const nameOf = ({ emulator, baseUrl, contract }: SavedPlan["target"]) =>
  `${emulator ? "the embedded service" : baseUrl} (contract ${contract})`;

/** The file names its target, but does not choose it: the key must not go where a file says. Throws an InputError where they differ. */
function checkTarget(path: string, { target: planned }: SavedPlan, { target }: OpenTarget): void {
  const same = target.emulator ? planned.emulator : !planned.emulator && planned.baseUrl === target.baseUrl;
  if (same && planned.contract === target.contract) return;
  throw inputError(
    "other_target",
    `${path} is a plan for ${nameOf(planned)}, and it would be applied to ${nameOf(target)}`,
    "pass the --base-url and --contract that it was made for",
  );
}

/** The plan of an undo without what cannot be done as things are now, and what that is; of another file the plan as it is. */
function withoutImpossible(
  { undo }: SavedPlan,
  input: PlanInput,
  planned: Plan,
  { journal, carried }: Opened & { readonly carried: Carried },
  { ownership, unended }: OpenOwnership,
): { desired: Desired; planned: Plan; left: readonly CannotUndo[] } {
  if (undo !== true) return { desired: input.desired, planned, left: [] };
  const { desired, made, cannot } = planPossible(input, ownership.inventory?.preventDestroy ?? new Set());
  return {
    desired,
    planned: cannot.length === 0 ? planned : refuseUnknownOutcomes(made, journal, unended, carried.unconfirmed),
    left: cannot,
  };
}

/** The guards that need to know what is ours now. */
function guarded(made: Plan, input: PlanInputNow): Plan {
  return { ...made, refusals: [...made.refusals, ...refuseRollback(input), ...checkPreventDestroy(input, made.steps)] };
}

/** What was allowed when the plan was made, and what is allowed now. */
function withSaved(now: Consent, { consent }: SavedPlan): Consent {
  return {
    ...now,
    deletes: new Set([...now.deletes, ...consent.deletes]),
    purchases: new Set([...now.purchases, ...consent.purchases]),
    retries: new Set([...now.retries, ...consent.retries]),
    rotations: new Set([...now.rotations, ...consent.rotations]),
  };
}

/** What was allowed for a step, or named for removal, and is done already is no mistake of a file that nobody edits. */
const ofManifests: ReadonlySet<string> = new Set(["unused_consent", "already_removed"]);

/** The plan made anew, with the reasons that `show` gives, and refused for what refused the saved one, where it is not allowed since. */
function withWordsOf(saved: SavedPlan, made: Plan, consent: Consent): Plan {
  const { steps, undo } = approvedContent(saved);
  const reasons = new Map(steps.map((step) => [idOf(step), reasonOf({ undo }, step)]));
  const isAllowed = ({ address, flag }: Refusal) =>
    (flag === "--rollback" && consent.rollback) ||
    (address !== undefined && flag === "--allow-purchase" && consent.purchases.has(address)) ||
    (address !== undefined && flag === "--allow-delete" && consent.deletes.has(address));
  const known = new Set(made.refusals.map(({ address, code }) => `${address} ${code}`));
  const still = saved.refusals.filter(
    (refusal) => !known.has(`${refusal.address} ${refusal.code}`) && !isAllowed(refusal),
  );
  const refusals = [...made.refusals, ...still];
  return {
    ...made,
    ...(made.steps.length > 0 && refusals.length === 0 && { hash: saved.hash }),
    refusals,
    diagnostics: made.diagnostics.filter(({ code }) => !ofManifests.has(code)),
    steps: made.steps.map(({ at: _at, ...step }) => ({ ...step, reason: reasons.get(step.id) ?? step.reason })),
  };
}
