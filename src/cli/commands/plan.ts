import { realPath } from "../../lib/inside.ts";
import type { Ending } from "../../engine/session/host.ts";
import { badArguments } from "../../engine/session/input-error.ts";
import { planManifest, type PlanOptions } from "../../engine/plan.ts";
import { checkPlanPath } from "../../engine/run/saved-plan-file.ts";
import type { Io } from "../io.ts";
import { policyOf, type PolicyOptions } from "../policy.ts";
import { printForms, type FormOptions } from "../write-forms.ts";
import { withAddresses, type WithAddressTexts } from "../../engine/session/read-addresses.ts";

/** The files that a plan and its undo are saved in. */
interface PlanFiles {
  readonly out?: string | undefined;
  readonly undoOut?: string | undefined;
}

type Arguments = WithAddressTexts<Omit<PlanOptions, keyof PlanFiles>> & PlanFiles & FormOptions & PolicyOptions;

/** Shows what an apply would do. */
export const plan = (options: Arguments, io: Io): Promise<Ending> =>
  printForms("plan", options, io, (emit) => {
    checkPlanPaths(options);
    return planManifest({ ...withAddresses(options), judge: policyOf(options, io) }, { ...io, emit });
  });

/** Throws an InputError where the plan or its undo may not be written, or one would replace the other. */
function checkPlanPaths({ out, undoOut }: PlanFiles): void {
  for (const path of [out, undoOut]) if (path !== undefined) checkPlanPath(path);
  if (out === undefined || undoOut === undefined || realPath(out) !== realPath(undoOut)) return;
  const summary = `--out and --undo-out name the same file, ${out}`;
  throw badArguments(summary, "each needs a file of its own");
}
