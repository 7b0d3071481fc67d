import { executePlan } from "../apply/execute-plan.ts";
import { missingSecrets } from "../apply/missing-secrets.ts";
import type { ReadSecret } from "../manifest/secrets.ts";
import type { Plan, Step, StepId } from "../model/plan.ts";
import type { Live } from "../model/resource.ts";
import type { Report } from "../model/report.ts";
import type { WroteInventory } from "../model/inventory.ts";
import type { PlanInput } from "../plan/context.ts";
import { approvePlan, checkHash } from "./approve.ts";
import { converge } from "./converge.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { inputError } from "./input-error.ts";
import type { Io } from "./io.ts";
import { hasErrors, loadDesired, manifestFolder, withoutUnset } from "./load-desired.ts";
import { openOwnership, type OpenOwnership } from "./ownership.ts";
import { isPartial, makePlan, readConsent, readSelection } from "./make-plan.ts";
import { openTarget, type OpenTarget } from "./open-target.ts";
import { makeOutput, type Output } from "./output.ts";
import { planToSave, withHash } from "./save-plan.ts";
import { pendingElsewhere, planExitCode, type PlanOptions } from "./plan.ts";

export interface ApplyOptions extends Omit<PlanOptions, "detailedExitcode" | "live" | "out" | "undoOut"> {
  readonly autoApprove: boolean;
  /** Whether the plan must hold on the embedded service first. */
  readonly rehearse: boolean;
  /** The hash of the plan that may run without asking. */
  readonly approve?: string | undefined;
  /** Seconds that the live state may take to match after the last write. */
  readonly settle: number;
  /** Seconds to wait for one object to become usable. */
  readonly waitTimeout: number;
}

/** Plans, asks, runs exactly that plan, reads back and plans again. */
export async function apply(options: ApplyOptions, io: Io): Promise<ExitCode> {
  checkHash(options.approve);
  checkCanAsk(options, io);
  const output = makeOutput(io, options);
  const consent = readConsent(options);
  const selection = readSelection(options);
  const { result, readSecret, files, diagnostics } = await loadDesired(options.file, io);
  output.diagnostics(withoutUnset(diagnostics));
  if (!result) return exitCode.wrongInput;
  output.say("valid", `Valid: ${result.desired.resources.size} resources in ${options.file.join(", ")}.`, {
    resources: result.desired.resources.size,
  });
  const open = await openTarget(options, result.desired.name, result.provider, io, output);
  const owned = await openOwnership(options, open.inventory, files, isPartial(selection), io);
  output.diagnostics(owned.notices);
  try {
    const { contract, target } = open;
    const { ownership } = owned;
    const asked = { desired: result.desired, contract, target, consent, ownership, selection };
    const made = await makePlan({ get: open.connection.get }, { ...asked, now: io.now() });
    if (!made.ok) {
      output.failure(made.error);
      return exitCode.apiUnavailable;
    }
    const { live } = made.value;
    const saved = planToSave({ ...asked, live, now: io.now() }, made.value.plan, manifestFolder(options.file), io);
    const plan = withHash(made.value.plan, saved);
    const run = { options, io, output, open, owned, readSecret, asked };
    if (options.approve === undefined) return await applyPlan(run, plan, live);
    const input = { ...asked, live, now: io.now() };
    const approved = approvePlan(options.approve, plan, saved, input, { readSecret, output });
    if (!approved) return exitCode.refused;
    const status = await applyPlan({ ...run, options: { ...options, autoApprove: true } }, approved.plan, live);
    approved.ended(status);
    return status;
  } finally {
    await owned.close();
    await open.close();
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

export interface Run {
  readonly options: Omit<ApplyOptions, "file">;
  readonly io: Io;
  readonly output: Output;
  readonly open: OpenTarget;
  readonly owned: OpenOwnership;
  readonly readSecret: ReadSecret;
  readonly asked: Omit<PlanInput, "live" | "now">;
}

/** Shows a plan, asks unless that is not wanted, and runs exactly that plan. */
export async function applyPlan(run: Run, plan: Plan, live: Live): Promise<ExitCode> {
  const { output, options, io } = run;
  const mistakes = [...plan.diagnostics, ...missingSecrets(plan, run.readSecret)];
  output.diagnostics(mistakes);
  if (hasErrors(mistakes)) return exitCode.wrongInput;
  output.plan(plan);
  if (plan.refusals.length > 0) return planExitCode(plan, false);
  if (plan.steps.length === 0) return nothingToApply(run, plan, live);
  if (options.rehearse && !(await holdsOnStage(run, plan, live))) return exitCode.refused;
  const answer = options.autoApprove ? "yes" : await io.ask('\nApply these changes? Only "yes" is taken for it: ');
  if (answer?.trim() !== "yes") {
    output.say("cancelled", "\nCancelled. Nothing was changed.");
    return answer === undefined ? exitCode.interrupted : exitCode.done;
  }
  const taken = await run.owned.begin(plan);
  if (taken.is !== "written") return notOurTurn(run, taken);
  output.diagnostics(taken.notices);
  const stopRequested = stopOnInterrupt(run);
  const report = await execute(run, plan, live, stopRequested);
  output.diagnostics(await run.owned.finish(plan, plan.hash ?? "", report));
  output.report(report);
  if (report.mismatches.length > 0) return exitCode.unexpected;
  if (report.interrupted) return exitCode.interrupted;
  if (report.outcomes.some(({ outcome }) => outcome.is !== "done")) return exitCode.failedInPart;
  const converged = await converge(run.open, withOwned(run.asked, plan), options.settle * 1000, io, stopRequested);
  return stopRequested() ? exitCode.interrupted : afterwards(output, report, converged);
}

/** What this run has made is ours when it is read back. */
function withOwned(asked: Run["asked"], { owned }: Plan): Run["asked"] {
  const { ownership } = asked;
  if (!ownership.inventory) return asked;
  const inventory = {
    addresses: new Set(owned.addresses),
    preventDestroy: new Set(owned.preventDestroy),
    exclusive: new Set(owned.exclusive),
  };
  return { ...asked, ownership: { ...ownership, inventory } };
}

/** Whether a plan holds in a rehearsal; where it does not, nothing is changed. */
async function holdsOnStage({ options, io, output, readSecret, asked }: Run, plan: Plan, live: Live): Promise<boolean> {
  const { rehearseAndTell } = await import("./rehearse.ts");
  const input = { ...asked, live, now: io.now() };
  const status = await rehearseAndTell({ ...options, input, plan, readSecret, crashSweep: false }, io, output);
  if (status !== exitCode.done)
    output.say("not_rehearsed", "Nothing was changed: the plan does not hold in its rehearsal.");
  return status === exitCode.done;
}

/** Another run was faster, or has not ended: nothing was changed. */
function notOurTurn({ output, owned }: Run, taken: Exclude<WroteInventory, { is: "written" }>): ExitCode {
  const { by, since } =
    taken.is === "held" ? taken.by : { by: taken.lastApply?.by ?? "another run", since: taken.lastApply?.time ?? "" };
  const summary =
    taken.is === "held"
      ? `Another apply is running since ${since}, by ${by} (process ${taken.by.pid} on ${taken.by.host})`
      : `Another apply, by ${by}, ended ${since === "" ? "meanwhile" : `at ${since}`}: what was planned is out of date`;
  const hint =
    taken.is === "held"
      ? "wait for it; if it is surely dead: hostform inventory --unlock"
      : "run again, to plan from what is there now";
  output.diagnostics([
    { severity: "error", code: taken.is === "held" ? "locked" : "overtaken", summary, detail: owned.where, hint },
  ]);
  return exitCode.refused;
}

/** Nothing to change; but what is ours may have become more or less, and what an earlier apply began may still wait for someone else. */
async function nothingToApply(run: Run, plan: Plan, live: Live): Promise<ExitCode> {
  const { output, asked, io, owned } = run;
  if (!owned.isUpToDate(plan)) {
    const taken = await owned.begin(plan);
    if (taken.is !== "written") return notOurTurn(run, taken);
    output.diagnostics([...taken.notices, ...(await owned.finish(plan, plan.hash ?? "", undefined))]);
  }
  const pending = pendingElsewhere(live, asked.desired, io.now());
  for (const row of pending) output.say("pending", `Pending: ${row}`);
  const status = planExitCode(plan, false);
  return status === exitCode.done && pending.length > 0 ? exitCode.pendingElsewhere : status;
}

/** Milliseconds after which a step that is still running is told of, again and again. */
const progressEvery = 10_000;

function stopOnInterrupt({ io, output }: Run): () => boolean {
  let stop = false;
  io.onInterrupt(() => {
    stop = true;
    output.say("stopping", "Stopping: what is in flight is finished, nothing new starts. Once more to leave at once.");
  });
  return () => stop;
}

async function execute(
  { options, io, output, open, readSecret }: Run,
  plan: Plan,
  live: Live,
  stopRequested: () => boolean,
): Promise<Report> {
  const running = new Map<StepId, { readonly step: Step; readonly since: number }>();
  const quiet = io.every(progressEvery, () => {
    for (const { step, since } of running.values()) {
      if (io.now() - since >= progressEvery) output.stepRunning(step, io.now() - since);
    }
  });
  const context = {
    connection: open.connection,
    contract: open.contract,
    live,
    made: new Map(),
    readSecret,
    waitTimeout: options.waitTimeout * 1000,
    deps: { now: io.now, sleep: io.sleep, newIdempotencyKey: io.newId },
  };
  try {
    return await executePlan(plan, context, {
      parallelism: options.parallelism,
      stopRequested,
      onStart: (step) => {
        running.set(step.id, { step, since: io.now() });
        output.stepStart(step);
      },
      onEnd: (step, outcome, milliseconds) => {
        running.delete(step.id);
        output.stepEnd(step, outcome, milliseconds);
      },
    });
  } finally {
    quiet();
  }
}

function afterwards(output: Output, report: Report, converged: Awaited<ReturnType<typeof converge>>): ExitCode {
  if (!converged.ok) {
    output.failure(converged.error);
    return exitCode.apiUnavailable;
  }
  const left = converged.value;
  if (left.steps.length > 0 || left.refusals.length > 0) {
    output.say("not_converged", "Applied, but the live state does not match the manifest. What still differs:");
    output.plan(left);
    return exitCode.notConverged;
  }
  output.plan(left);
  return report.outcomes.some(({ outcome }) => outcome.is === "done" && outcome.external !== undefined)
    ? exitCode.pendingElsewhere
    : exitCode.done;
}
