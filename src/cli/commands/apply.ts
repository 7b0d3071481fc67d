import { applySavedPlan, type ApplySavedPlanOptions } from "../../engine/apply-plan-file.ts";
import { applyManifest, type ApplyManifestOptions } from "../../engine/apply.ts";
import type { Emit } from "../../engine/session/events.ts";
import type { Ending } from "../../engine/session/host.ts";
import { badArguments, inputError } from "../../engine/session/input-error.ts";
import { alwaysConfirm, type Confirm } from "../../engine/session/run-options.ts";
import { isPartial } from "../../model/plan-input.ts";
import type { Io } from "../io.ts";
import { policyOf, type PolicyOptions } from "../policy.ts";
import { printForms, type FormOptions } from "../write-forms.ts";
import { withAddresses, type WithAddressTexts } from "../../engine/session/read-addresses.ts";

interface ApprovalOptions {
  /** Applies without asking. */
  readonly autoApprove: boolean;
  /** The hash of the plan that may run without asking. */
  readonly approve?: string | undefined;
}

type Arguments<Options> = WithAddressTexts<Omit<Options, "confirm">> & ApprovalOptions & PolicyOptions & FormOptions;

/** Plans, asks for approval and applies. */
export function apply(options: Arguments<ApplyManifestOptions>, io: Io): Promise<Ending> {
  const run = (emit: Emit) => {
    const confirm = confirmWith(options, io);
    return applyManifest({ ...withAddresses(options), confirm, judge: policyOf(options, io) }, { ...io, emit });
  };
  return printForms("apply", options, io, run);
}

/** Runs `hostform apply PLAN`: applies a saved plan with the output of the command line, without asking. */
export function applyFile(options: Arguments<ApplySavedPlanOptions>, io: Io): Promise<Ending> {
  const run = (emit: Emit) => {
    if (isPartial(options))
      throw badArguments("A saved plan is applied as a whole", "give --only and --except to plan --out");
    // Whoever names the file has chosen it; one from another machine is chosen by its hash.
    const given = { ...withAddresses(options), confirm: alwaysConfirm, judge: policyOf(options, io) };
    return applySavedPlan(given, { ...io, emit });
  };
  return printForms("apply", options, io, run);
}

/** Returns how a person approves the plan. Throws an InputError if a person is needed and there is no terminal. */
function confirmWith({ autoApprove, approve }: ApprovalOptions, io: Io): Confirm {
  if (autoApprove) return alwaysConfirm;
  if (approve === undefined && !io.interactive)
    throw inputError(
      "cannot_ask",
      "There is no terminal to ask for approval on",
      "pass --approve with the hash of the plan, or --auto-approve to apply without being asked",
    );
  return async (stop) => {
    const answer = await io.ask('\nApply these changes? Only "yes" is accepted: ', stop);
    if (answer === undefined) return "interrupted";
    return answer.trim() === "yes" ? "approved" : "declined";
  };
}
