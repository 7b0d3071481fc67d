import { shownPlan } from "../saved-plans/plan-hash.ts";
import type { Ending, Session } from "./session/host.ts";
import { readSealedPlan, emitHeader } from "./run/saved-plan-file.ts";

interface ShowOptions {
  readonly plan: string;
}

/** Shows the approved content of a saved plan, without the API and without a key. An altered file is not shown. */
export async function showSavedPlan(options: ShowOptions, { emit }: Session): Promise<Ending> {
  const saved = readSealedPlan(options.plan, emit);
  if (!saved) return "refused";
  emitHeader(emit, options.plan, saved);
  emit({ type: "plan", plan: shownPlan(saved) });
  return "done";
}
