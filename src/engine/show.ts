import type { Emit } from "./session/events.ts";
import { approvedContent, isSealed } from "../saved-plans/plan-hash.ts";
import { rebuildPlan } from "../saved-plans/rebuild-step.ts";
import type { Ending } from "./session/ending.ts";
import { readSavedPlan } from "./run/saved-plan-file.ts";
import { emitAltered, emitHeader } from "./run/saved-plan-events.ts";

export interface ShowOptions {
  readonly plan: string;
}

/** Shows the approved content of a saved plan, without the API and without a key. An altered file is not shown. */
export async function showSavedPlan(options: ShowOptions, emit: Emit): Promise<Ending> {
  const saved = readSavedPlan(options.plan);
  if (!isSealed(saved)) {
    emitAltered(emit, options.plan, saved);
    return "refused";
  }
  const content = approvedContent(saved);
  emitHeader(emit, options.plan, content);
  emit({ type: "plan", plan: rebuildPlan(content, saved.hash) });
  return "done";
}
