import { approvedContent, isSealed } from "../../saved-plans/plan-hash.ts";
import { shownPlan } from "../../saved-plans/shown-plan.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../../engine/io.ts";
import { makeOutput } from "../output.ts";
import { readSavedPlan } from "../../engine/saved-plan-file.ts";
import { sayAltered, sayHead } from "../print-saved-plan.ts";

export interface ShowOptions {
  readonly plan: string;
  readonly json: boolean;
}

/** Shows the approved content of a saved plan, without the API and without a key. An altered file is not shown. */
export async function show(options: ShowOptions, io: Io): Promise<Ending> {
  const saved = readSavedPlan(options.plan);
  const output = makeOutput(io, options);
  if (!isSealed(saved)) {
    sayAltered(output, options.plan, saved);
    return "refused";
  }
  const content = approvedContent(saved);
  sayHead(output, options.plan, content);
  output.plan(shownPlan(content, saved.hash));
  return "done";
}
