import type { Emit } from "../session/events.ts";
import type { CannotUndo, SavedPlan } from "../../model/saved-plan.ts";
import { approvedHead, fileOf, isIntact, planHash } from "../../saved-plans/plan-hash.ts";
import { shortHash } from "../../lib/short-hash.ts";

/** Prints the sort of a saved plan, the consent that it carries, and the changes that it does not bring back. */
export function emitHeader(emit: Emit, path: string, saved: SavedPlan): void {
  const { undo, consent, cannotUndo } = approvedHead(saved);
  emit({ type: "saved_plan", path, undo });
  if (Object.values(consent).some((each) => each.length > 0)) emit({ type: "allowed", consent });
  emitCannotUndo(emit, cannotUndo);
}

/** Tells the path of a plan's undo, and everything that it does not bring back. */
export function emitUndoSaved(emit: Emit, path: string, saved: SavedPlan): void {
  emit({ type: "undo_saved", path, hash: shortHash(saved.hash) });
  emitCannotUndo(emit, saved.cannot_undo ?? []);
}

function emitCannotUndo(emit: Emit, cannotUndo: readonly CannotUndo[]): void {
  for (const each of cannotUndo) emit({ type: "cannot_undo", ...each });
}

/** Refuses a file that is not as it was sealed. Its content is not printed: nobody approved it. */
export const emitAltered = (emit: Emit, path: string, saved: SavedPlan): void =>
  emit(
    isIntact(fileOf(saved))
      ? { type: "plan_of_other_version", path, contract: saved.target.contract }
      : { type: "altered_plan", path, hash: planHash(saved), stated: saved.hash },
  );
