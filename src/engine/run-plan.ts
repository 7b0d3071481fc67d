import type { Emit } from "./events.ts";
import { executePlan } from "../apply/execute-plan.ts";
import type { Carried, OpenJournal } from "../model/journal.ts";
import { missingSecrets } from "../apply/missing-secrets.ts";
import type { ReadSecret } from "../manifest/secrets.ts";
import { isConfirmed } from "../journal/resolve-in-flight.ts";
import type { HeldLock, LostLock, Unconfirmed, WroteInventory } from "../model/inventory.ts";
import type { Plan, StepId } from "../model/plan.ts";
import type { Report } from "../model/report.ts";
import type { Live } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { prepare } from "../plan/prepare.ts";
import { converge } from "./converge.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import type { TargetJournal } from "./with-journal.ts";
import { hasErrors } from "./load-manifest.ts";
import type { OpenTarget } from "./open-target.ts";
import type { OpenOwnership } from "./ownership.ts";
import { runInput } from "./run-input.ts";
import { pendingElsewhere, endingOfPlan, emitPending } from "./plan.ts";

/** Asks for approval of the plan that was shown last. \`stop\` is aborted when nobody need answer any more. */
export type Confirm = (stop: AbortSignal) => Promise<"approved" | "declined" | "interrupted">;

/** Approves every plan. */
export const alwaysConfirm: Confirm = async () => "approved";

export interface RunOptions {
  readonly confirm: Confirm;
  /** Whether the plan must hold on the embedded service first. */
  readonly rehearse: boolean;
  readonly parallelism: number;
  /** Seconds that the live state may take to match after the last write. */
  readonly settle: number;
  /** Seconds to wait for one object to become usable. */
  readonly waitTimeout: number;
  /** Seconds to wait for another apply to end. */
  readonly lockTimeout: number;
}

/** What an apply has before it reads anything. */
export interface Opened {
  readonly options: RunOptions;
  readonly io: Host;
  readonly emit: Emit;
  readonly open: OpenTarget;
  readonly readSecret: ReadSecret;
  /** Undefined where none is kept. */
  readonly journal: TargetJournal | undefined;
}

export interface Run extends Opened {
  readonly lock: HeldLock;
  readonly owned: OpenOwnership;
  readonly asked: Omit<PlanInput, "live" | "now">;
  /** What the last apply was cut off in. */
  readonly carried: Carried;
  /** Called when the plan begins to run: from then on it takes care of what is carried. */
  readonly onBegin: () => void;
  /** False where only what a saved plan touches is known: what else there is may be declared as well, so it is not called unmanaged. */
  readonly knowsAllDeclared: boolean;
}

/** Shows a plan, asks unless that is not wanted, and runs exactly that plan. */
export async function confirmAndRun(run: Run, plan: Plan, live: Live): Promise<Ending> {
  const { emit, options, io } = run;
  const mistakes = [...plan.diagnostics, ...missingSecrets(plan, run.readSecret)];
  emit({ type: "diagnostics", diagnostics: mistakes });
  if (hasErrors(mistakes)) return "wrong_input";
  emit(planEvent(run, plan));
  if (plan.refusals.length > 0) return endingOfPlan(plan, false);
  if (plan.steps.length === 0) return nothingToApply(run, plan, live);
  if (options.rehearse && !(await holdsOnStage(run, plan, live))) return "refused";
  const refused = await refusedByUser(run);
  if (refused !== undefined) return refused;
  if (!(await run.lock.confirm())) return "refused";
  const begun = { plan: plan.hash, commit: run.owned.head };
  const journal = await run.journal?.begin(begun, run.carried, run.owned.countOnce);
  const taken = await run.owned.begin(plan);
  if (taken.is !== "written") {
    await journal?.close(undefined);
    return notOurTurn(run, taken);
  }
  emit({ type: "diagnostics", diagnostics: taken.notices });
  const { unconfirmed: earlier } = run.carried;
  const report = withLost(await execute(run, plan, live, journal), run.lock.lost());
  const unconfirmed = [...earlier, ...(journal?.unconfirmed() ?? [])];
  emit({ type: "diagnostics", diagnostics: await run.owned.finish(plan, plan.hash ?? "", report, unconfirmed) });
  emit({ type: "report", report });
  if (report.interrupted && report.requests.writes === 0) emit({ type: "cancelled", why: "nothing_sent" });
  if (report.mismatches.length > 0) return "unexpected";
  if (report.putBacks?.some(({ outcome }) => outcome.is === "failed") === true) return "failed_in_part";
  if (report.lockLost !== undefined && report.interrupted)
    return report.requests.writes > 0 ? "failed_in_part" : "refused";
  if (report.interrupted) return "interrupted";
  if (report.outcomes.some(({ outcome }) => outcome.is !== "done")) return "failed_in_part";
  const converged = await converge(run.open, withOwned(run.asked, plan), options.settle * 1000, io);
  if (converged.ok) await confirm(run, journal, unconfirmed, converged.value.live);
  const isInterrupted = run.open.connection.stop.aborted && !run.lock.lost();
  return isInterrupted ? "interrupted" : afterwards(run, report, converged);
}

/** Forgets what the lists show now of what was sent. */
async function confirm(
  { asked, owned }: Run,
  journal: OpenJournal | undefined,
  sent: readonly Unconfirmed[],
  read: Live,
) {
  const { live } = prepare({ ...asked, live: read });
  await journal?.confirm(live);
  const left = sent.filter((each) => !isConfirmed(each, live));
  if (left.length < sent.length) await owned.confirm(left);
}

const withLost = (report: Report, lost: LostLock | undefined): Report =>
  lost ? { ...report, lockLost: lost.reason } : report;

/** Returns how the run ends if it is not approved, or is stopped before it begins. */
async function refusedByUser({ options, emit, open }: Run): Promise<Ending | undefined> {
  const { stop } = open.connection;
  const answer = await options.confirm(stop);
  if (answer === "approved" && !stop.aborted) return undefined;
  emit({ type: "cancelled", why: "declined" });
  return answer === "interrupted" || stop.aborted ? "interrupted" : "done";
}

/** What this run has made is ours when it is read back. */
function withOwned(asked: Run["asked"], { owned }: Plan): Run["asked"] {
  const { ownership } = asked;
  if (!ownership.inventory) return asked;
  const inventory = {
    addresses: new Set(owned.addresses),
    preventDestroy: new Set(owned.preventDestroy),
    exclusive: new Set(owned.exclusive),
    secretFields: new Set(owned.secretFields),
  };
  return { ...asked, ownership: { ...ownership, inventory } };
}

/** Whether a plan holds in a rehearsal; where it does not, nothing is changed. */
async function holdsOnStage({ options, io, emit, readSecret, asked }: Run, plan: Plan, live: Live): Promise<boolean> {
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
  if (run.carried.held.length + run.carried.carries.length === 0) await journal?.forget();
  const { unconfirmed } = run.carried;
  if (!owned.isUpToDate(plan, unconfirmed)) {
    const taken = await owned.begin(plan);
    if (taken.is !== "written") return notOurTurn(run, taken);
    emit({
      type: "diagnostics",
      diagnostics: [...taken.notices, ...(await owned.finish(plan, plan.hash ?? "", undefined, unconfirmed))],
    });
  }
  const pending = pendingElsewhere(live, asked.desired, io.now());
  emitPending(emit, pending);
  const status = endingOfPlan(plan, false);
  return status === "done" && pending.length > 0 ? "pending_elsewhere" : status;
}

/** Milliseconds after which a step that is still running is told of, again and again. */
const progressEvery = 10_000;

async function execute(run: Run, plan: Plan, live: Live, journal: OpenJournal | undefined): Promise<Report> {
  const { options, io, emit, asked, carried } = run;
  const running = new Map<StepId, () => void>();
  let report: Report | undefined;
  run.onBegin();
  try {
    report = await executePlan(plan, runInput(run, asked, live), {
      parallelism: options.parallelism,
      journal,
      left: carried.held.map((each) => ({ ...each, call: undefined })),
      onStart: (step) => {
        const since = io.now();
        running.set(
          step.id,
          io.every(progressEvery, () => emit({ type: "step_running", step, milliseconds: io.now() - since })),
        );
        emit({ type: "step_start", step });
      },
      onEnd: (step, outcome, milliseconds) => {
        running.get(step.id)?.();
        emit({ type: "step_end", step, outcome, milliseconds });
      },
    });
    return report;
  } finally {
    for (const quiet of running.values()) quiet();
    await journal?.close(report);
  }
}

const planEvent = ({ knowsAllDeclared }: Run, plan: Plan) => ({ type: "plan", plan, rest: !knowsAllDeclared }) as const;

function afterwards(run: Run, report: Report, converged: Awaited<ReturnType<typeof converge>>): Ending {
  const { emit, asked, io, knowsAllDeclared } = run;
  if (!converged.ok) {
    emit({ type: "failure", failure: converged.error });
    return "api_unavailable";
  }
  const { plan, live } = converged.value;
  const left = knowsAllDeclared ? plan : { ...plan, unmanaged: [] };
  if (left.steps.length > 0 || left.refusals.length > 0) {
    emit({ type: "not_converged" });
    emit(planEvent(run, left));
    return "not_converged";
  }
  emit(planEvent(run, left));
  // Of what this apply has begun, the report tells; what an earlier one has begun is told here.
  const told = new Set(
    report.outcomes.flatMap(({ step, outcome }) =>
      outcome.is === "done" && outcome.external !== undefined ? [step.address] : [],
    ),
  );
  const earlier = pendingElsewhere(live, asked.desired, io.now()).filter(({ address }) => !told.has(address));
  emitPending(emit, earlier);
  if (left.incomplete.length > 0) return "refused";
  return told.size > 0 || earlier.length > 0 ? "pending_elsewhere" : "done";
}
