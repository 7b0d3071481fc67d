import { resolveHeld, type HeldState } from "../../apply/exchanges/held.ts";
import { isConfirmed, resolveInFlight, resolveMade } from "../../journal/resolve-in-flight.ts";
import type { Result } from "../../model/failure.ts";
import type { Unconfirmed } from "../../model/inventory.ts";
import type { HeldRecord, ReadJournal } from "../../model/journal.ts";
import type { PreparedLive } from "../../model/resource.ts";
import { prepare } from "../../plan/prepare.ts";
import type { Ending } from "../session/host.ts";
import type { InFlight } from "../../messages/in-flight.ts";
import { keepFormerSecrets } from "./former-secrets.ts";
import { refreshAndPlan, type PlanFromLive } from "../session/refresh-and-plan.ts";
import type { OpenOwnership } from "../session/ownership.ts";
import type { Lookup, PlanRequest } from "../session/run.ts";

/** A write that had no clear answer, and its outcome. */
export type Resolved = Pick<InFlight, "intent" | "id" | "fate">;

/** The state of an earlier apply's writes, with the plan that is made from the same live state. */
export interface EarlierState extends PlanFromLive {
  readonly prepared: () => PreparedLive;
  readonly fates: readonly Resolved[];
  /** Requests of the inventory that no list shows so far. */
  readonly unconfirmed: readonly Unconfirmed[];
  /** Returns the objects deleted for a successor that are in one of these states. */
  readonly heldIn: (...states: readonly HeldState[]) => HeldRecord[];
}

/**
 * Reads, plans, and looks up in the live state what an earlier apply has left.
 * @param held the objects it deleted for a successor, less those that are put back.
 * @param earlier.unconfirmed the requests that the inventory holds.
 */
export async function lookUpEarlier(
  lookup: Lookup,
  asked: PlanRequest,
  held: readonly HeldRecord[],
  { unconfirmed: requested, ownership: { inventory } }: Pick<OpenOwnership, "unconfirmed" | "ownership">,
): Promise<Result<EarlierState, Ending>> {
  const { io } = lookup;
  const last = lookup.journal?.last;
  const made = await readAndPlan(lookup, asked, requested);
  if (!made.ok) return made;
  const { plan } = made.value;
  keepFormerSecrets(asked, made.value.live, io);
  let known: PreparedLive | undefined;
  // Most applies find nothing left, and ask for it never.
  const prepared = () => (known ??= prepare({ ...asked, live: made.value.live }).live);
  const fates = [
    ...(last?.inFlight ?? []).map((each) => ({ ...each, fate: resolveInFlight(each, prepared(), plan) })),
    ...(last?.made ?? []).flatMap((each) => {
      const fate = resolveMade(each, prepared(), plan);
      return fate ? [{ intent: each, ...(each.id !== undefined && { id: each.id }), fate }] : [];
    }),
  ];
  const unconfirmed = requested.filter((each) => !hasFailed(each, last) && !isConfirmed(each, prepared()));
  const states = held.map((each) => ({ each, state: resolveHeld(each, prepared(), plan, { ...asked, inventory }) }));
  const heldIn = (...among: readonly HeldState[]) =>
    states.flatMap(({ each, state }) => (among.includes(state) ? [each] : []));
  return { ok: true, value: { ...made.value, prepared, fates, unconfirmed, heldIn } };
}

/** Reads and plans, with the lists of everything that an earlier apply has left. */
async function readAndPlan(
  lookup: Lookup,
  asked: PlanRequest,
  requested: readonly Unconfirmed[],
): Promise<Result<PlanFromLive, Ending>> {
  const { io, journal, stop, source } = lookup;
  const { inFlight = [], made: answered = [], held = [], removedValues = [] } = journal?.last ?? {};
  const lookAt = [
    ...inFlight.map(({ intent }) => intent.address),
    ...answered.map(({ address }) => address),
    ...requested.map(({ address }) => address),
    ...held.flatMap(({ address, successor }) => [address, successor]),
    ...removedValues.flatMap(({ address, of }) => [address, ...(of ? [of.address] : [])]),
  ];
  const made = await refreshAndPlan(source, { ...asked, now: io.now() }, lookAt, io.stopwatch);
  // A read that was stopped is not a failure of the server.
  if (stop?.aborted === true) {
    io.emit({ type: "cancelled", why: "interrupted" });
    return { ok: false, error: "interrupted" };
  }
  if (made.ok) return made;
  io.emit({ type: "failure", failure: made.error });
  return { ok: false, error: "api_unavailable" };
}

/** Whether a journal tells that a request, which the inventory holds, has failed. */
const hasFailed = ({ address, at }: Unconfirmed, last: ReadJournal | undefined): boolean =>
  last?.failed.some((intent) => intent.address === address && intent.at === at) === true;
