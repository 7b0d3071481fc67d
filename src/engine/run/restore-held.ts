import { untilStopped } from "../../api/connection.ts";
import { restoreHeld } from "../../apply/exchanges/put-back.ts";
import type { Result } from "../../model/failure.ts";
import type { HeldRecord } from "../../model/journal.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import type { Live } from "../../model/resource.ts";
import type { Ending } from "../session/host.ts";
import type { PlanRequest } from "../session/open-manifest.ts";
import type { ApplyMeans } from "../session/run-alone.ts";
import { recoverAndPlan, type Earlier, type Lookup, type Recovered } from "./recover.ts";
import { runInput } from "./run.ts";
import { reportLists } from "../session/read-and-plan.ts";

/** Plans an apply, and puts back what an interrupted one has deleted. */
export function recoverForApply(
  means: ApplyMeans,
  given: PlanRequest,
  earlier: Earlier,
): Promise<Result<Recovered, Ending>> {
  const { io, open } = means;
  const source = reportLists(untilStopped(open.connection), io);
  const lookup: Lookup = { ...means, stop: open.connection.stop, source };
  return recoverAndPlan(lookup, given, earlier, (asked, missing, live) => putBack(means, asked, missing, live));
}

/** Runs `work`; if that ends without beginning its plan, puts back what the last apply has deleted for successors of that plan. */
export async function restoringUnused(
  means: ApplyMeans,
  { asked, awaited, live }: Recovered,
  work: (onBegin: () => void) => Promise<Ending>,
): Promise<Ending> {
  let hasBegun = false;
  const status = await work(() => void (hasBegun = true));
  if (hasBegun || awaited.length === 0) return status;
  return (await putBack(means, asked, awaited, live)) ? status : "failed_in_part";
}

/** Puts back what an earlier apply has left, and says so; returns whether all of it is there again. */
async function putBack(
  means: ApplyMeans,
  asked: Pick<PlanInput, "desired" | "ownership">,
  held: readonly HeldRecord[],
  live: Live,
): Promise<boolean> {
  const ended = await restoreHeld(held, runInput(means, asked, live));
  means.io.emit({ type: "put_backs", putBacks: ended });
  const waits = ended.map(({ outcome }) => outcome.is === "failed" && outcome.later);
  await means.journal?.release(held.filter((_, index) => waits[index] !== true));
  return ended.every(({ outcome }) => outcome.is === "put_back");
}
