import { readLive, type ListSource } from "../../live/read-live.ts";
import { childrenNotRead, wantedCollections } from "../../live/wanted-collections.ts";
import type { Address } from "../../model/address.ts";
import type { Result } from "../../model/failure.ts";
import type { Plan } from "../../model/plan.ts";
import type { Live } from "../../model/resource.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { orderSteps } from "../../order/order.ts";
import type { Session } from "./host.ts";
import { readAccount, withProgress } from "./read-account.ts";
import { plan } from "../../plan/plan.ts";
import type { Stopwatch } from "../../lib/stopwatch.ts";
import type { PlanPart } from "../../messages/notices.ts";

/** A plan, and the live state that it was made from. */
export interface PlanFromLive {
  readonly plan: Plan;
  readonly live: Live;
}

/**
 * Reads what is live and plans; what hangs below resources that are to go is read as well, before that is decided. It is given what it
 * reads from, so it cannot write.
 * @param lookAt addresses that are read though the plan may have nothing to do with them.
 */
export async function refreshAndPlan(
  source: ListSource,
  asked: Omit<PlanInput, "live">,
  lookAt: readonly Address[] = [],
  stopwatch?: Stopwatch<PlanPart>,
): Promise<Result<PlanFromLive>> {
  const { contract, desired, ownership } = asked;
  const dropped = [...(ownership.declaredLast ?? [])].filter((address) => !desired.resources.has(address));
  const addresses = new Set([...(ownership.inventory?.addresses ?? []), ...dropped, ...lookAt]);
  const order: typeof orderSteps = (input, steps) =>
    stopwatch ? stopwatch.during("order", () => orderSteps(input, steps)) : orderSteps(input, steps);
  stopwatch?.begin("reads");
  let live = await readLive(source, contract, wantedCollections(desired, { ...ownership, inventory: { addresses } }));
  for (;;) {
    if (!live.ok) return live;
    stopwatch?.begin("diff");
    const made = plan({ ...asked, live: live.value }, order);
    const going = made.steps.filter(({ action }) => action === "delete").map(({ address }) => address);
    const unread = childrenNotRead(contract, going, live.value);
    if (unread.length === 0) return { ok: true, value: { plan: made, live: live.value } };
    stopwatch?.begin("reads");
    live = await readLive(source, contract, unread, live.value);
  }
}

/** Reads the lists of the account that a plan did not need, and plans again; undefined where they cannot be read, which is said. */
export async function planAccount(
  source: ListSource,
  asked: PlanInput,
  io: Session,
): Promise<PlanFromLive | undefined> {
  const read = await readAccount(withProgress(source, io), asked.contract, () => true, asked.live);
  if (!read.ok) io.emit({ type: "failure", failure: read.error });
  return read.ok ? { live: read.value, plan: plan({ ...asked, live: read.value }) } : undefined;
}
