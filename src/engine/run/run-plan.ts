import { hasErrors, type Diagnostic } from "../../model/diagnostic.ts";
import { missingSecrets } from "../../policy/missing-secrets.ts";
import type { Result } from "../../model/failure.ts";
import type { OpenJournal } from "../../model/journal.ts";
import { changesNothing, type Plan, type StepId } from "../../model/plan.ts";
import type { Report } from "../../model/report.ts";
import type { Live } from "../../model/resource.ts";
import { explainedFirst } from "../../policy/rollback.ts";
import { converge } from "./converge.ts";
import type { Ending } from "../session/host.ts";
import { emitPending, endingOfPlan } from "../plan.ts";
import { isKept } from "../session/ownership-notices.ts";
import { judged } from "../session/run-options.ts";
import { runInput, type Run } from "./run.ts";
import { executePlan } from "../../apply/execute-plan.ts";

/** Shows a plan, asks for approval, runs exactly that plan, and reads back. */
export async function runPlan(run: Run, plan: Plan, live: Live): Promise<Ending> {
  const { io, owned } = run;
  const refused = await showPlan(run, plan);
  if (refused !== undefined) return refused;
  if (changesNothing(plan)) return nothingToApply(run, plan, live);
  if (run.options.rehearse && !(await passesRehearsal(run, plan, live))) return "refused";
  const unapproved = await refusedByUser(run);
  if (unapproved !== undefined) return unapproved;
  const begun = await begin(run, plan);
  if (!begun.ok) return begun.error;
  const { journal, notices } = begun.value;
  const ran = await execute(run, plan, live, journal);
  const lost = run.lock.lost();
  const report = lost ? { ...ran, lockLost: lost.reason } : ran;
  const unconfirmed = [...run.leftover.unconfirmed, ...(journal?.unconfirmed() ?? [])];
  const written = await owned.record.finish(plan, report, unconfirmed);
  io.emit({ type: "diagnostics", diagnostics: written });
  io.emit({ type: "report", report });
  if (report.interrupted && report.requests.writes === 0) io.emit({ type: "cancelled", why: "nothing_sent" });
  const ending = endingOfReport(report) ?? (await converge(run, plan, report, { journal, unconfirmed }));
  emitInventory(run);
  return endingIfKept(ending, [...notices, ...written]);
}

/** Returns how a run ends whose changes were done, if others do not get to know what is ours now. */
function endingIfKept(ending: Ending, written: readonly Diagnostic[]): Ending {
  const isDone = ending === "done" || ending === "pending_elsewhere";
  return isDone && !isKept(written) ? "failed_in_part" : ending;
}

/** Tells what an apply leaves in the inventory. */
function emitInventory({ io, owned }: Run): void {
  const [taken, mark] = [owned.record.takenOver(), owned.inventory.staying()];
  if (taken) io.emit({ type: "taken_over", ...taken });
  if (mark) io.emit({ type: "mark_stays", by: mark.by });
}

/** Shows a plan, or the mistakes that stand in its way. Returns how the run ends if the plan cannot be run. */
async function showPlan(run: Run, plan: Plan): Promise<Ending | undefined> {
  const missing = missingSecrets(plan, run.readSecret);
  // A plan that an older branch is refused for sends nothing, and what is missing may be none of its own.
  const isOlder = plan.refusals.some(({ code }) => code === "rolled_back");
  const unset = isOlder ? missing.map((each) => ({ ...each, severity: "warning" as const })) : missing;
  const mistakes = explainedFirst(plan, [...plan.diagnostics, ...unset]);
  run.io.emit({ type: "diagnostics", diagnostics: mistakes });
  if (hasErrors(mistakes)) return "wrong_input";
  const shown = await judged(plan, run.options.judge);
  run.io.emit({ type: "plan", plan: shown, rest: !run.knowsAllDeclared });
  return shown.refusals.length > 0 ? endingOfPlan(shown, false) : undefined;
}

interface Begun {
  readonly journal: OpenJournal | undefined;
  /** Of the inventory. */
  readonly notices: readonly Diagnostic[];
}

/** Begins the journal, and notes in the inventory what is about to be made. */
async function begin(run: Run, plan: Plan): Promise<Result<Begun, Ending>> {
  const { owned, lock } = run;
  if (!(await lock.confirm())) return { ok: false, error: "refused" };
  const begun = { plan: plan.hash, commit: owned.inventory.head };
  const journal = await run.journal?.begin(begun, run.leftover, owned.record.countOnce);
  const noted = await noteBegun(run, plan);
  if (noted.ok) return { ok: true, value: { journal, notices: noted.value } };
  await journal?.close(undefined);
  return noted;
}

/** Returns how a run ends by its report alone; undefined if all of it is done. */
function endingOfReport({
  outcomes,
  mismatches,
  putBacks = [],
  afterRequests = [],
  interrupted,
  lockLost,
  requests,
}: Report): Ending | undefined {
  if (mismatches.length > 0) return "unexpected";
  if (putBacks.some(({ outcome }) => outcome.is === "failed")) return "failed_in_part";
  if (interrupted && lockLost !== undefined) return requests.writes > 0 ? "failed_in_part" : "refused";
  if (interrupted) return "interrupted";
  const isUnused = afterRequests.some(({ failure }) => failure !== undefined);
  return isUnused || outcomes.some(({ outcome }) => outcome.is !== "done") ? "failed_in_part" : undefined;
}

/** Returns how the run ends if it is not approved, or is stopped before it begins. */
async function refusedByUser({ options, io, open }: Run): Promise<Ending | undefined> {
  const { stop } = open.connection;
  const answer = await options.confirm(stop);
  if (answer === "approved" && !stop.aborted) return undefined;
  io.emit({ type: "cancelled", why: "declined" });
  return answer === "interrupted" || stop.aborted ? "interrupted" : "done";
}

/** Whether a plan holds in a rehearsal; where it does not, nothing is changed. */
async function passesRehearsal({ options, io, readSecret, asked }: Run, plan: Plan, live: Live): Promise<boolean> {
  const { rehearseAndTell } = await import("../rehearse.ts");
  const input = { ...asked, live, now: io.now() };
  const status = await rehearseAndTell({ ...options, input, plan, readSecret, crashSweep: false }, io);
  if (status !== "done") io.emit({ type: "not_rehearsed" });
  return status === "done";
}

/**
 * Notes in the inventory what is about to be made, and returns its notices. Returns how the run ends, which changes nothing then, if it cannot
 * be written, or another run was faster or has not ended.
 */
async function noteBegun({ io, owned }: Run, plan: Plan): Promise<Result<readonly Diagnostic[], Ending>> {
  const { where } = owned.inventory;
  const taken = await owned.record.begin(plan);
  if ("notices" in taken) io.emit({ type: "diagnostics", diagnostics: taken.notices });
  if (taken.is === "written") return { ok: true, value: taken.notices };
  if (taken.is === "held") io.emit({ type: "not_ended", by: taken.by, where });
  if (taken.is === "moved") io.emit({ type: "overtaken", by: taken.lastApply, where });
  return { ok: false, error: "refused" };
}

/** Nothing to change; but what is ours may have become more or less, and what an earlier apply began may still wait for someone else. */
async function nothingToApply(run: Run, plan: Plan, live: Live): Promise<Ending> {
  const { asked, io, owned, journal } = run;
  if (run.leftover.held.length + run.leftover.removedValues.length === 0) await journal?.forget();
  const { unconfirmed } = run.leftover;
  let written: readonly Diagnostic[] = [];
  // Marks of an interrupted apply in the inventory end with its journal.
  if (journal?.last !== undefined || !owned.record.isUpToDate(plan, unconfirmed)) {
    const begun = await noteBegun(run, plan);
    if (!begun.ok) return begun.error;
    const finished = await owned.record.finish(plan, undefined, unconfirmed);
    io.emit({ type: "diagnostics", diagnostics: finished });
    written = [...begun.value, ...finished];
  }
  const pending = emitPending({ ...asked, live }, io);
  emitInventory(run);
  const status = endingOfPlan(plan, false);
  return endingIfKept(status === "done" && pending > 0 ? "pending_elsewhere" : status, written);
}

/** Milliseconds after which a step that is still running is reported, again and again. */
const progressEvery = 10_000;

/** Milliseconds between two reports of how far the run is. */
const rateEvery = 1000;

/** Carries out the steps of a plan, reports each as it runs, and ends the journal. */
async function execute(run: Run, plan: Plan, live: Live, journal: OpenJournal | undefined): Promise<Report> {
  const { options, io, asked, leftover } = run;
  const running = new Map<StepId, () => void>();
  const begun = io.now();
  let done = 0;
  const showProgress = () =>
    io.emit({ type: "applying", total: plan.steps.length, done, milliseconds: io.now() - begun });
  const quiet = io.every(rateEvery, showProgress);
  let report: Report | undefined;
  run.onBegin();
  showProgress();
  try {
    report = await executePlan(plan, runInput(run, { ...asked, inventory: run.owned.ownership.inventory }, live), {
      parallelism: options.parallelism,
      journal,
      keepsInventory: run.owned.ownership.inventory !== undefined,
      held: leftover.held,
      onStart: (step) => {
        const since = io.now();
        running.set(
          step.id,
          io.every(progressEvery, () => io.emit({ type: "step_running", step, milliseconds: io.now() - since })),
        );
        io.emit({ type: "step_start", step });
      },
      onEnd: (step, outcome, milliseconds) => {
        running.get(step.id)?.();
        running.delete(step.id);
        io.emit({ type: "step_end", step, outcome, milliseconds });
        done += 1;
        showProgress();
      },
    });
    return report;
  } finally {
    quiet();
    for (const end of running.values()) end();
    await journal?.close(report);
  }
}
