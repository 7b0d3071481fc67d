import type { CannotUndo, SavedPlan } from "../model/saved-plan.ts";
import { planHash, shortHash, type ApprovedContent } from "../saved-plans/plan-hash.ts";
import { escapeControls } from "../render/escape.ts";
import type { Output } from "./output.ts";

/** Prints the sort of a saved plan, the consent that it carries, and the changes that it does not bring back. */
export function sayHead(output: Output, path: string, { undo, consent, cannotUndo }: ApprovedContent): void {
  output.say("saved_plan", `${undo ? "Undo plan" : "Saved plan"} ${path}`, { undo });
  const allowed = [
    ...consent.deletes.map((address) => `--allow-delete ${address}`),
    ...consent.purchases.map((address) => `--allow-purchase ${address}`),
    ...consent.retries.map((address) => `--retry ${address}`),
    ...consent.rotations.map((address) => `--rotate ${address}`),
  ];
  if (allowed.length > 0) output.say("allowed", `Allowed when it was made: ${allowed.join(" ")}`);
  sayCannotUndo(output, cannotUndo);
}

/** Where the undo of a plan is, and what it does not bring back. */
export function sayUndo(output: Output, path: string, saved: SavedPlan): void {
  output.say("undo_saved", `Saved in ${path}: how to take it back (${shortHash(saved.hash)})`, { hash: saved.hash });
  sayCannotUndo(output, saved.cannot_undo ?? []);
}

function sayCannotUndo(output: Output, cannotUndo: readonly CannotUndo[]): void {
  for (const { address, reason } of cannotUndo)
    // The file may come from anyone: its reason must not look like a line of ours.
    output.say("cannot_undo", escapeControls(`Cannot be undone: ${address}: ${reason}`), { address });
}

/** Refuses a file that is not as it was sealed. Its content is not printed: nobody approved it. */
export function sayAltered(output: Output, path: string, saved: SavedPlan): void {
  const hash = planHash(saved);
  const how =
    hash === saved.hash
      ? "it is not the file that was saved"
      : `it holds the plan ${shortHash(hash)}, and says ${shortHash(saved.hash)}`;
  output.diagnostics([
    {
      severity: "error",
      code: "altered_plan",
      summary: `${path} was altered: ${how}`,
      hint: "make the plan again, or take the file from where it was made",
    },
  ]);
}
