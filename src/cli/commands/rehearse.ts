import type { ReadSecret } from "../../manifest/secrets.ts";
import type { Plan } from "../../model/plan.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { keepFormerSecrets } from "../../engine/former-secrets.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../../engine/io.ts";
import { hasErrors, loadDesired, manifestFolder, withoutUnset } from "../../engine/load-manifest.ts";
import { isPartial, makePlan, readConsent, readSelection } from "../../engine/refresh-and-plan.ts";
import { openTarget, type OpenTarget } from "../../engine/open-target.ts";
import { makeOutput, type Output } from "../output.ts";
import { openOwnership } from "../../engine/ownership.ts";
import { endingOfPlan, type PlanOptions } from "./plan.ts";
import { withPlaceholders } from "../../engine/rehearsal/placeholders.ts";
import { rehearsePlan } from "../../engine/rehearsal/rehearse-plan.ts";
import { planToSave, withHash } from "../../engine/save-plan.ts";

export interface RehearseOptions extends Omit<PlanOptions, "detailedExitcode" | "live" | "out" | "undoOut"> {
  /** Whether the run is cut off at every call, too. */
  readonly crashSweep: boolean;
}

/** Plans as `plan` does, and carries the plan out on an embedded service that holds the same. The real API is only read. */
export async function rehearse(options: RehearseOptions, io: Io): Promise<Ending> {
  const output = makeOutput(io, options);
  const [consent, selection] = [readConsent(options), readSelection(options)];
  const { result, readSecret, files, diagnostics } = await loadDesired(options.file, options, io);
  output.diagnostics(withoutUnset(diagnostics));
  if (!result) return "wrong_input";
  const { desired, provider } = result;
  const open = readOnly(await openTarget(options, desired.name, provider, io, output));
  const { contract, target } = open;
  const owned = await openOwnership(options, open.inventory, files, isPartial(selection), io);
  output.diagnostics(owned.notices);
  try {
    const { ownership } = owned;
    const asked = { desired, contract, target, consent, ownership, selection, now: io.now() };
    const made = await makePlan(open.source, asked);
    if (!made.ok) {
      output.failure(made.error);
      return "api_unavailable";
    }
    const { plan, live } = made.value;
    keepFormerSecrets(asked, live, io);
    output.diagnostics(plan.diagnostics);
    if (hasErrors(plan.diagnostics)) return "wrong_input";
    const input = { ...asked, live };
    output.plan(withHash(plan, planToSave(input, plan, manifestFolder(options.file), io)));
    const status = endingOfPlan(plan, false);
    if (status !== "done" || plan.steps.length === 0) return status;
    return await rehearseAndTell({ input, plan, readSecret, ...options }, io, output);
  } finally {
    await owned.close();
    await open.close();
  }
}

/** A target without what could write to it. */
function readOnly({ connection, ...open }: OpenTarget) {
  return { ...open, source: { get: connection.get } };
}

interface Asked {
  readonly input: PlanInput;
  readonly plan: Plan;
  readonly readSecret: ReadSecret;
  readonly parallelism: number;
  readonly crashSweep: boolean;
}

/** Rehearses a plan that nothing refuses, and says what came of it: done, wrong input, refused (no rehearsal is possible) or not converged. */
export async function rehearseAndTell(asked: Asked, io: Io, output: Output): Promise<Ending> {
  const { readSecret, diagnostics } = withPlaceholders(asked.plan, asked.readSecret, io.now());
  output.diagnostics(diagnostics);
  if (hasErrors(diagnostics)) return "wrong_input";
  const rehearsal = await rehearsePlan({ ...asked, readSecret }, io, output);
  output.rehearsal(rehearsal);
  if (rehearsal.findings.length === 0) return "done";
  return rehearsal.findings.some(({ stage }) => stage === "seed") ? "refused" : "not_converged";
}
