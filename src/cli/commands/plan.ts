import type { Ending } from "../../engine/session/host.ts";
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
    for (const path of [options.out, options.undoOut]) if (path !== undefined) checkPlanPath(path);
    return planManifest({ ...withAddresses(options), judge: policyOf(options, io) }, { ...io, emit });
  });
