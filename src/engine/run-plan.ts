import { hasErrors } from "../model/diagnostic.ts";
import { missingSecrets } from "../apply/missing-secrets.ts";
import type { Result } from "../model/failure.ts";
import type { WroteInventory } from "../model/inventory.ts";
import type { OpenJournal } from "../model/journal.ts";
import { changesNothing, type Plan } from "../model/plan.ts";
import type { Report } from "../model/report.ts";
import type { Live } from "../model/resource.ts";
import { warnOfRollback } from "../policy/missed-apply.ts";
import { converge } from "./converge.ts";
import type { Ending } from "./ending.ts";
import { execute } from "./execute.ts";
import { emitPending, endingOfPlan, pendingElsewhere } from "./plan.ts";
import type { Run } from "./run.ts";

/** Shows a plan, asks for approval, runs exactly that plan, and reads back. */
export async function runPlan(run: Run, plan: Plan, live: Live): Promise<Ending> {
  const { emit, owned } = run;
  const refused = showPlan(run, plan);
  if (refused !== undefined) return refused;
  if (changesNothing(plan)) return nothingToApply(run, plan, live);
  if (run.options.rehearse && !(await passesRehearsal(run, plan, live))) return "refused";
  const unapproved = await refusedByUser(run);
  if (unapproved !== undefined) return unapproved;
  const begun = await begin(run, plan);
  if (!begun.ok) return begun.error;
  const journal = begun.value;
  const ran = await execute(run, plan, live, journal);
  const lost = run.lock.lost();
  const report = lost ? { ...ran, lockLost: lost.reason } : ran;
  const unconfirmed = [...run.leftover.unconfirmed, ...(journal?.unconfirmed() ?? [])];
  emit({ type: "diagnostics", diagnostics: await owned.finish(plan, report, unconfirmed) });
  emit({ type: "report", report });
  if (report.interrupted && report.requests.writes === 0) emit({ type: "cancelled", why: "nothing_sent" });
  const ending = endingOfReport(report) ?? (await converge(run, plan, report, { journal, unconfirmed }));
  emitTakenOver(run);
  return ending;
}

function emitTakenOver({ emit, owned }: Run): void {
  const taken = owned.takenOver();
  if (taken) emit({ type: "taken_over", ...taken });
}

/** Shows a plan, or the mistakes that stand in its way. Returns how the run ends if the plan cannot be run. */
function showPlan(run: Run, plan: Plan): Ending | undefined {
  const missing = missingSecrets(plan, run.readSecret);
  const explained = plan.refusals.filter(({ code }) => code === "rolled_back");
  // A plan that an older branch is refused for sends nothing, and what is missing may be none of its own.
  const unset = explained.length === 0 ? missing : missing.map((each) => ({ ...each, severity: "warning" as const }));
  const found = [...plan.diagnostics, ...unset];
  const mistakes = found.length === 0 ? [] : [...explained.map(warnOfRollback), ...found];
  run.emit({ type: "diagnostics", diagnostics: mistakes });
  if (hasErrors(mistakes)) return "wrong_input";
  run.emit({ type: "plan", plan, rest: !run.knowsAllDeclared });
  return plan.refusals.length > 0 ? endingOfPlan(plan, false) : undefined;
}

/** Begins the journal, and notes in the inventory what is about to be made. */
async function begin(run: Run, plan: Plan): Promise<Result<OpenJournal | undefined, Ending>> {
  const { emit, owned, lock } = run;
  if (!(await lock.confirm())) return { ok: false, error: "refused" };
  const begun = { plan: plan.hash, commit: owned.head };
  const journal = await run.journal?.begin(begun, run.leftover, owned.countOnce);
  const taken = await owned.begin(plan);
  if (taken.is === "written") {
    emit({ type: "diagnostics", diagnostics: taken.notices });
    return { ok: true, value: journal };
  }
  await journal?.close(undefined);
  return { ok: false, error: notOurTurn(run, taken) };
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
  const hasFailed = putBacks.some(({ outcome }) => outcome.is === "failed");
  if (mismatches.length > 0) return "unexpected";
  if (hasFailed) return "failed_in_part";
  if (interrupted && lockLost !== undefined) return requests.writes > 0 ? "failed_in_part" : "refused";
  if (interrupted) return "interrupted";
  const isUnused = afterRequests.some(({ failure }) => failure !== undefined);
  return isUnused || outcomes.some(({ outcome }) => outcome.is !== "done") ? "failed_in_part" : undefined;
}

/** Returns how the run ends if it is not approved, or is stopped before it begins. */
async function refusedByUser({ options, emit, open }: Run): Promise<Ending | undefined> {
  const { stop } = open.connection;
  const answer = await options.confirm(stop);
  if (answer === "approved" && !stop.aborted) return undefined;
  emit({ type: "cancelled", why: "declined" });
  return answer === "interrupted" || stop.aborted ? "interrupted" : "done";
}

/** Whether a plan holds in a rehearsal; where it does not, nothing is changed. */
async function passesRehearsal(
  { options, io, emit, readSecret, asked }: Run,
  plan: Plan,
  live: Live,
): Promise<boolean> {
  const { rehearseAndTell } = await import("./rehearse.ts");
  const input = { ...asked, live, now: io.now() };
  const status = await rehearseAndTell({ ...options, input, plan, readSecret, crashSweep: false }, io, emit);
  if (status !== "done") emit({ type: "not_rehearsed" });
  return status === "done";
}

/** Another run was faster, or has not ended: nothing was changed. */
function notOurTurn({ emit, owned: { where } }: Run, taken: Exclude<WroteInventory, { is: "written" }>): Ending {
  if (taken.is === "held") emit({ type: "not_ended", by: taken.by, where });
  else emit({ type: "overtaken", by: taken.lastApply, where });
  return "refused";
}

/** Nothing to change; but what is ours may have become more or less, and what an earlier apply began may still wait for someone else. */
async function nothingToApply(run: Run, plan: Plan, live: Live): Promise<Ending> {
  const { emit, asked, io, owned, journal } = run;
  if (run.leftover.held.length + run.leftover.removedValues.length === 0) await journal?.forget();
  const { unconfirmed } = run.leftover;
  if (!owned.isUpToDate(plan, unconfirmed)) {
    const taken = await owned.begin(plan);
    if (taken.is !== "written") return notOurTurn(run, taken);
    emit({
      type: "diagnostics",
      diagnostics: [...taken.notices, ...(await owned.finish(plan, undefined, unconfirmed))],
    });
  }
  const pending = pendingElsewhere(live, asked.desired, io.now());
  emitPending(emit, pending);
  emitTakenOver(run);
  const status = endingOfPlan(plan, false);
  return status === "done" && pending.length > 0 ? "pending_elsewhere" : status;
}
