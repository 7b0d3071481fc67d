import { planHash } from "../plan/saved/plan-hash.ts";
import { shownPlan } from "../plan/saved/shown-plan.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import type { Io } from "./io.ts";
import { makeOutput } from "./output.ts";
import { readSavedPlan } from "./saved-plan-file.ts";
import { sayAltered, sayHead } from "./tell-saved.ts";

export interface ShowOptions {
  readonly plan: string;
  readonly json: boolean;
}

/** Shows a saved plan, without the API and without a key. */
export async function show(options: ShowOptions, io: Io): Promise<ExitCode> {
  const saved = readSavedPlan(options.plan);
  const output = makeOutput(io, options);
  sayHead(output, options.plan, saved, io.now());
  output.plan(shownPlan(saved));
  if (planHash(saved) === saved.hash) return exitCode.done;
  sayAltered(output, options.plan, saved);
  return exitCode.refused;
}
