import type { ListSource } from "../live/read-live.ts";
import type { Plan } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import { plan } from "../plan/plan.ts";
import { prepare } from "../plan/prepare.ts";
import { findIgnored, showUnmanaged } from "../plan/unmanaged.ts";
import type { Ending } from "./ending.ts";
import type { Emit, UnmanagedList } from "./events.ts";
import type { Host } from "./host.ts";
import { readAccount } from "./read-account.ts";
import { withProgress } from "./with-progress.ts";

/**
 * Reads the lists of the account that a plan did not need, and emits every live resource that the manifest does not name. Returns how the
 * run ends if they could not all be read.
 */
export async function listUnmanaged(
  source: ListSource,
  asked: PlanInput,
  { incomplete }: Pick<Plan, "incomplete">,
  io: Host,
  emit: Emit,
): Promise<Ending | undefined> {
  const reader = "get" in source ? withProgress(source, io, emit) : source;
  const read = await readAccount(reader, asked.contract, () => true, asked.live);
  if (!read.ok) {
    emit({ type: "failure", failure: read.error });
    return "api_unavailable";
  }
  const live = read.value;
  const whole = plan({ ...asked, live });
  const broken = new Map(whole.incomplete.map(({ collection, reason }) => [collection, reason]));
  const lists = whole.unmanaged.map(({ collection, addresses }): UnmanagedList => {
    const resources = addresses.flatMap((address) => {
      const resource = live.resources.get(address);
      return resource ? [{ address, values: showUnmanaged(resource) }] : [];
    });
    return { collection, isWhole: !broken.has(collection), resources };
  });
  const told = new Set(incomplete.map(({ collection }) => collection));
  const { length: ignored } = findIgnored({ ...asked, ...prepare({ ...asked, live }) });
  emit({ type: "unmanaged", lists, isWhole: broken.size === 0, reads: live.reads - asked.live.reads, ignored });
  for (const [collection, reason] of broken)
    if (!told.has(collection)) emit({ type: "incomplete_read", what: `${collection}: ${reason}` });
  return broken.size === 0 ? undefined : "refused";
}
