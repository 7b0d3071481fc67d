import type { Reader } from "../../api/connection.ts";
import { groupBy } from "../../lib/collect.ts";
import type { CollectionRef } from "../../kinds/derived/collection.ts";
import { readLive, type ListSource } from "../../live/read-live.ts";
import {
  accountCollections,
  childrenNotRead,
  everyCollection,
  possibleCollections,
  wantedCollections,
} from "../../live/wanted-collections.ts";
import type { Contract } from "../../model/contract.ts";
import type { Address } from "../../model/address.ts";
import type { Failure, Result } from "../../model/failure.ts";
import type { Plan } from "../../model/plan.ts";
import type { Live, LiveCollection } from "../../model/resource.ts";
import type { PlanInput } from "../../model/plan-input.ts";
import { orderSteps } from "../../order/order.ts";
import type { Ending, Session } from "./host.ts";
import { letGoBy } from "../../plan/belongings.ts";
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
 * @param asked with the lists that were read before, if any: they are not read again.
 * @param lookAt addresses that are read though the plan may have nothing to do with them.
 */
export async function refreshAndPlan(
  source: ListSource,
  asked: Omit<PlanInput, "live"> & Partial<Pick<PlanInput, "live">>,
  lookAt: readonly Address[] = [],
  stopwatch?: Stopwatch<PlanPart>,
): Promise<Result<PlanFromLive>> {
  const { contract, desired, ownership } = asked;
  const dropped = [...(ownership.declaredLast ?? [])].filter((address) => !desired.resources.has(address));
  const addresses = new Set([...(ownership.inventory?.addresses ?? []), ...dropped, ...lookAt]);
  const order: typeof orderSteps = (input, steps) => {
    stopwatch?.begin("order");
    const ordered = orderSteps(input, steps);
    stopwatch?.begin("diff");
    return ordered;
  };
  stopwatch?.begin("reads");
  const wanted = wantedCollections(desired, { ...ownership, inventory: { addresses } });
  let live = await readLive(source, contract, wanted, asked.live);
  for (;;) {
    if (!live.ok) return live;
    stopwatch?.begin("diff");
    const made = plan({ ...asked, live: live.value }, order);
    const going = made.steps.filter(({ action }) => action === "delete").map(({ address }) => address);
    const { value } = live;
    const letGo = made.steps.flatMap((step) => letGoBy(step, value));
    const unread = childrenNotRead(contract, { going, letGo }, value);
    if (unread.length === 0) return { ok: true, value: { plan: made, live: value } };
    stopwatch?.begin("reads");
    live = await readLive(source, contract, unread, value);
  }
}

/** Reads the lists of the account that a plan did not need, and plans again. */
export async function planAccount(source: ListSource, asked: PlanInput, io: Session): Promise<Result<PlanFromLive>> {
  const read = await readAccount(withProgress(source, io), asked.contract, undefined, asked.live);
  return read.ok ? { ok: true, value: { live: read.value, plan: plan({ ...asked, live: read.value }) } } : read;
}

/**
 * Reads the account's own lists, then those below the objects that were found, until there are no more. Lists of records whose zones the
 * API does not list are asked for by the names of domains and services; those that do not exist are left out.
 * @param isWanted whether a list below those of the account is read. Default: all are.
 * @param known the lists that were read before. They are not read again.
 */
export async function readAccount(
  source: ListSource,
  contract: Contract,
  isWanted: (ref: CollectionRef) => boolean = () => true,
  known?: Live,
): Promise<Result<Live>> {
  let live = await readLive(source, contract, accountCollections(undefined), known);
  while (live.ok) {
    const { value }: { readonly value: Live } = live;
    const possible = possibleCollections(contract, value);
    const unread = [...everyCollection(contract, value), ...possible].filter(
      (ref) => isWanted(ref) && !value.collections.has(ref.id),
    );
    const guessed = possible.filter(({ id }) => known?.collections.has(id) !== true);
    if (unread.length === 0) return { ok: true, value: withoutMissing(value, new Set(guessed.map(({ id }) => id))) };
    live = await readLive(source, contract, unread, value);
  }
  return live;
}

function withoutMissing(live: Live, possible: ReadonlySet<string>): Live {
  const there = [...live.collections].filter(([id, { isMissing }]) => isMissing !== true || !possible.has(id));
  return { ...live, collections: new Map(there) };
}

/** Milliseconds between two signs of progress. */
const progressEvery = 5000;

/** Says from time to time how much is read: an account of 60 domains has some 500 lists, and a server may let only a few a second pass. */
export function withProgress(source: ListSource, io: Session): ListSource {
  // A snapshot is read at once.
  if (!("get" in source)) return source;
  let reads = 0;
  let last = io.now();
  const counted: Reader["get"] = async (request) => {
    const answer = await source.get(request);
    reads += 1;
    if (io.now() - last >= progressEvery) {
      last = io.now();
      io.emit({ type: "reading", reads });
    }
    return answer;
  };
  return reportLists({ get: counted }, io);
}

/** Returns a source that reports how many of the lists are read. */
export const reportLists = ({ get }: Reader, { emit }: Pick<Session, "emit">): ListSource & Reader => ({
  get,
  onLists: (lists) => emit({ type: "reading_lists", ...lists }),
});

/** Names the lists that were not read whole, those with one reason together. Returns how a run ends that needs all of them. */
export function reportIncomplete(lists: Iterable<LiveCollection>, { emit }: Pick<Session, "emit">): Ending | undefined {
  const broken = [...lists].filter(({ incomplete }) => incomplete !== undefined);
  for (const [reason, some] of groupBy(broken, ({ incomplete }) => incomplete))
    emit({ type: "incomplete_read", what: `${some.map(({ id }) => id).join(", ")}: ${reason}` });
  return broken.length > 0 ? "refused" : undefined;
}

/** Says that the API could not be read, and returns how that ends a run. */
export function unavailable(failure: Failure, { emit }: Pick<Session, "emit">): Ending {
  emit({ type: "failure", failure });
  return "api_unavailable";
}
