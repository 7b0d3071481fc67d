import type { Plan, Step, StepId } from "../model/plan.ts";
import type { Outcome, Report } from "../model/report.ts";
import { runCall } from "./run-call.ts";
import type { RunContext } from "./run-context.ts";

export interface ExecuteOptions {
  /** Steps under way at most. */
  readonly parallelism: number;
  /** Asked before each step: true once the user wants to stop. */
  readonly stopRequested: () => boolean;
  readonly onStart: (step: Step) => void;
  readonly onEnd: (step: Step, outcome: Outcome, milliseconds: number) => void;
}

/** After these, further requests can only fail the same way. */
const hopeless = new Set(["unreachable", "untrusted", "unauthorized"]);

/**
 * Runs exactly the plan's calls, steps side by side where the graph allows. A failed step blocks only what depends on it.
 * The report has an outcome for every step, in the plan's order.
 */
export async function executePlan(plan: Plan, context: RunContext, options: ExecuteOptions): Promise<Report> {
  const started = context.deps.now();
  const outcomes = new Map<StepId, Outcome>();
  const waiting = new Map(plan.steps.map((step) => [step.id, step.after.length]));
  const dependents = dependentsOf(plan.steps);
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  const ready = plan.steps.filter(({ after }) => after.length === 0);
  let next = 0;
  let stop = false;

  const settle = (step: Step, outcome: Outcome) => {
    outcomes.set(step.id, outcome);
    if (outcome.is === "failed" && hopeless.has(outcome.failure.sort)) stop = true;
    for (const id of dependents.get(step.id) ?? []) {
      const dependent = byId.get(id);
      if (!dependent || outcomes.has(id)) continue;
      if (outcome.is !== "done") {
        settle(dependent, { is: "blocked", by: outcome.is === "blocked" ? outcome.by : step.id });
        continue;
      }
      const left = (waiting.get(id) ?? 0) - 1;
      waiting.set(id, left);
      if (left === 0) ready.push(dependent);
    }
  };

  await new Promise<void>((resolve, reject) => {
    let running = 0;
    const fillLanes = () => {
      while (running < options.parallelism && next < ready.length && !stop && !options.stopRequested()) {
        const step = ready[next] as Step;
        next += 1;
        running += 1;
        runStep(step, context, options).then((outcome) => {
          running -= 1;
          settle(step, outcome);
          fillLanes();
        }, reject);
      }
      if (running === 0) resolve();
    };
    fillLanes();
  });

  return {
    outcomes: plan.steps.map((step) => ({ step, outcome: outcomes.get(step.id) ?? { is: "not_attempted" } })),
    interrupted: options.stopRequested(),
    milliseconds: context.deps.now() - started,
  };
}

async function runStep(step: Step, context: RunContext, { onStart, onEnd }: ExecuteOptions): Promise<Outcome> {
  const started = context.deps.now();
  onStart(step);
  const outcome = await runCalls(step, context);
  onEnd(step, outcome, context.deps.now() - started);
  return outcome;
}

async function runCalls(step: Step, context: RunContext): Promise<Outcome> {
  let external: string | undefined;
  for (const [index, call] of step.calls.entries()) {
    const result = await runCall(context, step.address, call);
    if (!result.ok) return { is: "failed", failure: result.error, callsDone: index };
    external = result.value.external ?? external;
  }
  return external === undefined ? { is: "done" } : { is: "done", external };
}

function dependentsOf(steps: readonly Step[]): Map<StepId, StepId[]> {
  const dependents = new Map<StepId, StepId[]>();
  for (const { id, after } of steps) {
    for (const before of after) {
      const known = dependents.get(before);
      if (known) known.push(id);
      else dependents.set(before, [id]);
    }
  }
  return dependents;
}
