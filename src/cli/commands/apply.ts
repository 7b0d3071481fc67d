import { applySavedPlan, type ApplySavedPlanOptions } from "../../engine/apply-saved-plan.ts";
import { applyManifest, type ApplyOptions } from "../../engine/apply.ts";
import type { Ending } from "../../engine/ending.ts";
import { inputError } from "../../engine/input-error.ts";
import { readSavedPlan } from "../../engine/saved-plan-file.ts";
import { alwaysConfirm, type Confirm } from "../../engine/run.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

interface Approval {
  /** Applies without asking. */
  readonly autoApprove: boolean;
  /** The hash of the plan that may run without asking. */
  readonly approve?: string | undefined;
}

type Arguments<Options> = Omit<Options, "confirm"> & Approval & PrinterOptions;

/** Plans, asks for approval and applies. */
export const apply = (options: Arguments<ApplyOptions>, io: Io): Promise<Ending> =>
  applyManifest({ ...options, confirm: confirmWith(options, io) }, io, printer(io, options));

/** Applies a saved plan. */
export const applyFile = (options: Arguments<ApplySavedPlanOptions>, io: Io): Promise<Ending> =>
  applySavedPlan(
    { ...options, confirm: confirmWith(options, io, () => void readSavedPlan(options.plan)) },
    io,
    printer(io, options),
  );

/**
 * Returns how a person approves the plan. Throws an InputError if a person is needed and there is no terminal; `checkFirst` throws for a
 * mistake that would remain with one.
 */
function confirmWith({ autoApprove, approve }: Approval, io: Io, checkFirst: () => void = () => undefined): Confirm {
  if (autoApprove) return alwaysConfirm;
  if (approve === undefined && !io.interactive) {
    checkFirst();
    throw inputError(
      "cannot_ask",
      "There is no terminal to ask for approval on",
      "pass --approve with the hash of the plan, or --auto-approve to apply without being asked",
    );
  }
  return async (stop) => {
    const answer = await io.ask('\nApply these changes? Only "yes" is accepted: ', stop);
    if (answer === undefined) return "interrupted";
    return answer.trim() === "yes" ? "approved" : "declined";
  };
}
