import { executePlan } from "../../apply/execute-plan.ts";
import type { OpenJournal } from "../../model/journal.ts";
import type { Plan, StepId } from "../../model/plan.ts";
import type { Report } from "../../model/report.ts";
import type { Live } from "../../model/resource.ts";
import type { Run } from "../session/run.ts";
import { runInput } from "../session/run-input.ts";

/** Milliseconds after which a step that is still running is reported, again and again. */
const progressEvery = 10_000;

/** Milliseconds between two reports of how far the run is. */
const rateEvery = 1000;

/** Carries out the steps of a plan, reports each as it runs, and ends the journal. */
export async function execute(run: Run, plan: Plan, live: Live, journal: OpenJournal | undefined): Promise<Report> {
  const { options, io, emit, asked, leftover } = run;
  const running = new Map<StepId, () => void>();
  const begun = io.now();
  let done = 0;
  const showProgress = () => emit({ type: "applying", total: plan.steps.length, done, milliseconds: io.now() - begun });
  const quiet = io.every(rateEvery, showProgress);
  let report: Report | undefined;
  run.onBegin();
  showProgress();
  try {
    report = await executePlan(plan, runInput(run, { ...asked, inventory: run.owned.ownership.inventory }, live), {
      parallelism: options.parallelism,
      journal,
      keepsInventory: run.owned.ownership.inventory !== undefined,
      held: leftover.held.map((each) => ({ ...each, call: undefined })),
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
        running.delete(step.id);
        emit({ type: "step_end", step, outcome, milliseconds });
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
