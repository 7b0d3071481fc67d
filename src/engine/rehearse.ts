import { hasErrors } from "../model/diagnostic.ts";
import type { Ending, Session } from "./session/host.ts";
import { manifestFolder } from "./session/load-manifest.ts";
import { withOpenManifest } from "./session/open-manifest.ts";
import { endingOfPlan, planAsApply, type PlanOptions } from "./plan.ts";
import { withPlaceholders } from "./rehearsal/placeholders.ts";
import { rehearsePlan, type ToRehearse } from "./rehearsal/rehearse-plan.ts";
import { planToSave, withHash } from "./run/saved-plan-file.ts";

export interface RehearseOptions extends Omit<PlanOptions, "detailedExitcode" | "live" | "out" | "undoOut"> {
  /** Whether the run is cut off at every call, too. */
  readonly crashSweep: boolean;
}

/** Plans as `plan` does, and carries the plan out on an embedded service that holds the same. The real API is only read. */
export async function rehearseManifest(options: RehearseOptions, io: Session): Promise<Ending> {
  return withOpenManifest({ ...options, use: "run" }, io, async (open) => {
    const made = await planAsApply(open, options, io);
    if (!made.ok) return made.error;
    const { plan, input } = made.value;
    io.emit({ type: "diagnostics", diagnostics: plan.diagnostics });
    if (hasErrors(plan.diagnostics)) return "wrong_input";
    io.emit({
      type: "plan",
      plan: withHash(plan, planToSave(input, plan, { folder: manifestFolder(options.file) }, io)),
    });
    const status = endingOfPlan(plan, false);
    if (status !== "done" || plan.steps.length === 0) return status;
    return rehearseAndTell({ input, plan, ...options, readSecret: open.readSecret }, io);
  });
}

/** Rehearses a plan that nothing refuses, with placeholders for the secrets that have no value, and says what came of it: done, wrong input, refused (no rehearsal is possible) or not converged. */
export async function rehearseAndTell(asked: ToRehearse, io: Session): Promise<Ending> {
  const { readSecret, diagnostics } = withPlaceholders(asked.plan, asked.readSecret, io.now());
  io.emit({ type: "diagnostics", diagnostics });
  if (hasErrors(diagnostics)) return "wrong_input";
  const rehearsal = await rehearsePlan({ ...asked, readSecret }, io);
  io.emit({ type: "rehearsal", rehearsal });
  if (rehearsal.findings.length === 0) return "done";
  return rehearsal.findings.some(({ stage }) => stage === "seed") ? "refused" : "not_converged";
}
