import type { Address } from "../model/address.ts";
import type { Result } from "../model/failure.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Host } from "./host.ts";
import { refreshAndPlan, type MadePlan } from "./refresh-and-plan.ts";
import type { OpenTarget } from "./open-target.ts";

const firstWait = 250;
const longestWait = 5_000;

/** Reads back and plans again, until nothing differs or the time is over: some servers answer reads a little behind their writes. */
export async function converge(
  { connection: { get, stop } }: OpenTarget,
  asked: Omit<PlanInput, "live" | "now">,
  milliseconds: number,
  { now, sleep }: Pick<Host, "now" | "sleep">,
): Promise<Result<MadePlan>> {
  const deadline = now() + milliseconds;
  // What was sent again once is not to be sent again for ever.
  const settled = { ...asked, consent: { ...asked.consent, rotations: new Set<Address>() } };
  for (let wait = firstWait; ; wait = Math.min(wait * 2, longestWait)) {
    const isLast = now() >= deadline;
    const made = await refreshAndPlan({ get }, { ...settled, now: now() });
    if (!made.ok) return made;
    const { plan } = made.value;
    if ((plan.steps.length === 0 && plan.refusals.length === 0) || isLast) return made;
    await sleep(Math.min(wait, Math.max(deadline - now(), 0)), stop);
    if (stop.aborted) return made;
  }
}
