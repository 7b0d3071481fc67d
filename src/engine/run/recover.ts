import { resolveHeld, showRecord, type HeldState } from "../../apply/exchanges/held.ts";
import { isConfirmed, resolveInFlight, resolveMade } from "../../journal/resolve-in-flight.ts";
import { spendRemovals, valuesStillMissing, declareRemovedValues } from "../../journal/resolve-removed-values.ts";
import type { Result } from "../../model/failure.ts";
import type { Leftover, RemovedValues, HeldRecord, ReadJournal, SentIntent } from "../../model/journal.ts";
import type { InFlight } from "../../messages/in-flight.ts";
import type { Live, PreparedLive } from "../../model/resource.ts";
import { prepare } from "../../plan/prepare.ts";
import { refuseUnknownOutcomes, type EarlierRequests, isOnce } from "../../policy/unknown-outcomes.ts";
import type { Ending } from "../session/host.ts";
import { keepFormerSecrets } from "./former-secrets.ts";
import type { OpenOwnership } from "../session/ownership.ts";
import { refreshAndPlan, unavailable, type PlanFromLive } from "../session/read-and-plan.ts";
import type { PlanRequest } from "../session/open-manifest.ts";
import type { RunOptions } from "../session/run-options.ts";
import type { Session } from "../session/host.ts";
import type { EarlierJournal } from "../session/with-journal.ts";
import type { ListSource } from "../../live/read-live.ts";
import type { Contract } from "../../model/contract.ts";
import type { Unconfirmed } from "../../model/inventory.ts";
import type { Plan } from "../../model/plan.ts";

/** The means of looking up the writes of an earlier apply. Nothing in them can write to the API. */
export interface Lookup {
  readonly options: Pick<RunOptions, "settle">;
  readonly io: Session;
  /** Undefined where none is kept. */
  readonly journal: EarlierJournal | undefined;
  /** Aborted when the lookup shall end; undefined where nothing ends it. */
  readonly stop: AbortSignal | undefined;
  readonly source: ListSource;
}

/** The inventory, and its record of earlier applies: whether the last ended, and which requests no list had shown. */
export type Earlier = Pick<OpenOwnership, "unended" | "unconfirmed" | "ownership">;

export interface Recovered extends PlanFromLive {
  /** As asked, with the values that the last apply took away and did not write again. */
  readonly asked: PlanRequest;
  /** Creations that were not done, with the keys that they go with again; records that may have to be put back; values to write again. */
  readonly leftover: Leftover;
  /** Requests that the steps of the plan must not repeat. */
  readonly requests: EarlierRequests;
  /** Records that were deleted for successors that the plan creates. */
  readonly awaited: readonly HeldRecord[];
}

/** Puts records back that an earlier apply has deleted; returns whether all of them are there again. */
type PutBack = (asked: PlanRequest, missing: readonly HeldRecord[], live: Live) => Promise<boolean>;

/**
 * Plans an apply. If the last one was interrupted, first looks up the outcome of its writes, waits for lists that lag, puts back what it
 * has deleted for successors that are not made now, and declares the values that it has taken away. Returns how the apply ends if nothing
 * can be planned, or if a write must not be done twice and its outcome is unknown.
 * @param putBack absent where a plan is only shown: then the plan says which records an apply puts back.
 */
export async function recoverAndPlan(
  lookup: Lookup,
  given: PlanRequest,
  earlier: Earlier,
  putBack?: PutBack,
): Promise<Result<Recovered, Ending>> {
  const { io, journal } = lookup;
  const { held: firstHeld = [], removedValues: removedThen = [] } = journal?.last ?? {};
  const firstLook = io.now();
  let [asked, held] = [given, firstHeld];
  // It ends, because no cause of another turn comes back: lists are waited for until a time, an entry is spent once, what is put back or
  // reported is not held any more, and removed values are declared once.
  for (let isFirst = true; ; isFirst = false) {
    const looked = await lookUpEarlier(lookup, asked, held, earlier);
    if (!looked.ok) return looked;
    const found = looked.value;
    if (await waitForLists(lookup, found, given.contract, firstLook, isFirst)) continue;
    const ownership = journal?.last ? spendRemovals(asked.ownership, journal.last, found.prepared()) : asked.ownership;
    if (ownership !== asked.ownership) {
      asked = { ...asked, ownership };
      continue;
    }
    await journal?.release?.(found.heldIn("settled"));
    // Of the last apply all was said before something was put back, or declared for now.
    const fates = held === firstHeld && asked.desired === given.desired ? found.fates : found.fates.filter(isUnclear);
    if (!isClear(lookup, { ...found, fates }, earlier)) return { ok: false, error: "refused" };
    const missing = found.heldIn("missing");
    if (missing.length > 0) {
      if (!putBack) for (const { address, successor } of missing) io.emit({ type: "held", address, successor });
      else if (!(await putBack(asked, missing, found.prepared()))) return { ok: false, error: "failed_in_part" };
      held = held.filter((each) => !missing.includes(each));
      continue;
    }
    const dropped = new Set(found.heldIn("dropped").map(({ address }) => address));
    const removed = removedThen.filter(({ address }) => !dropped.has(address));
    const removedValues = removed.length === 0 ? [] : valuesStillMissing(removed, given.desired, found.prepared());
    const desired = declareRemovedValues(given.desired, removedValues);
    if (asked.desired === given.desired && desired !== given.desired) {
      asked = { ...asked, desired };
      continue;
    }
    return { ok: true, value: takeOver(lookup, earlier, found, { asked, removedValues }) };
  }
}

/** A write that had no clear answer, and its outcome. */
type Resolved = Pick<InFlight, "intent" | "id" | "fate">;

/** The state of an earlier apply's writes, with the plan that is made from the same live state. */
interface EarlierState extends PlanFromLive {
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
async function lookUpEarlier(
  lookup: Lookup,
  asked: PlanRequest,
  held: readonly HeldRecord[],
  { unconfirmed: requested, ownership: { inventory } }: Earlier,
): Promise<Result<EarlierState, Ending>> {
  const { contract } = asked;
  const last = lookup.journal?.last;
  const made = await readAndPlan(lookup, asked, requested);
  if (!made.ok) return made;
  const { plan } = made.value;
  keepFormerSecrets({ ...asked, live: made.value.live }, lookup.io);
  let known: PreparedLive | undefined;
  // Most applies find nothing left, and ask for it never.
  const prepared = () => (known ??= prepare({ ...asked, live: made.value.live }).live);
  const fates = [
    ...(last?.inFlight ?? []).map((each) => ({ ...each, fate: resolveInFlight(each, prepared(), plan, contract) })),
    ...(last?.made ?? []).flatMap((each) => {
      const fate = resolveMade(each, prepared(), plan, contract);
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
  return made.ok ? made : { ok: false, error: unavailable(made.error, io) };
}

/** Whether a journal tells that a request, which the inventory holds, has failed. */
const hasFailed = ({ address, at }: Unconfirmed, last: ReadJournal | undefined): boolean =>
  last?.failed.some((intent) => intent.address === address && intent.at === at) === true;

/** Reports the outcomes of the writes in flight; returns whether all is known that an apply must know. */
function isClear({ io, journal }: Lookup, { fates, heldIn }: EarlierState, earlier: Earlier): boolean {
  if (!journal?.last) return true;
  const { begin, ended } = journal.last;
  for (const resolved of fates) {
    const inventory = earlier.unconfirmed.some(({ address }) => address === resolved.intent.address);
    const blockedBy = { journal: journal.path, lock: earlier.unended !== undefined, inventory };
    io.emit({ type: "in_flight", ...resolved, begin, ended, ...(isUnclear(resolved) && { blockedBy }) });
  }
  if (fates.some(isUnclear)) return false;
  const lagging = heldIn("lagging");
  if (lagging.length > 0) io.emit({ type: "still_listed", objects: lagging, milliseconds: lag, journal: journal.path });
  return lagging.length === 0;
}

const isUnclear = ({ fate }: Resolved) =>
  (fate.is === "untold" && fate.again) || (fate.is === "renamed" && fate.wanted);

/** Reports what this apply takes over of the last one, and adds it to the plan. */
function takeOver(
  { io, journal }: Lookup,
  { unended }: Earlier,
  { plan, live, fates, unconfirmed, heldIn }: EarlierState,
  { asked, removedValues }: { readonly asked: PlanRequest; readonly removedValues: readonly RemovedValues[] },
): Recovered {
  const awaited = heldIn("awaited");
  for (const each of heldIn("dropped"))
    io.emit({ type: "not_put_back", address: each.address, successor: each.successor, record: showRecord(each) });
  const requests = { journal, unended, unconfirmed };
  for (const { address, successor } of awaited) io.emit({ type: "held", address, successor });
  for (const { address, fields, withheld } of removedValues) {
    const names = Object.keys(fields);
    if (names.length > 0) io.emit({ type: "carried", address, fields: names });
    if (withheld.length > 0) io.emit({ type: "not_carried", address, fields: withheld });
  }
  const again = fates.filter(({ fate }) => fate.is === "not_done").map(({ intent }) => intent);
  return {
    plan: refuseUnknownOutcomes(plan, requests),
    live,
    leftover: { again, held: heldIn("awaited", "unread"), removedValues, unconfirmed },
    asked,
    requests,
    awaited,
  };
}

/** Milliseconds after it was sent in which a creation with an idempotency key, or a deletion, may still not show in a list. */
const lag = 10_000;
const readAgainAfter = 1_000;

/**
 * Waits a moment if a list may still show a write of the last apply, for some servers answer reads a little behind their writes. Returns
 * whether to look again.
 * @param firstLook when the lists were first read.
 */
async function waitForLists(
  { io, stop, options }: Lookup,
  { fates, unconfirmed, heldIn, plan }: EarlierState,
  contract: Contract,
  firstLook: number,
  isFirst: boolean,
): Promise<boolean> {
  const times = { settle: options.settle * 1000, firstLook, now: io.now() };
  const wait = Math.max(
    0,
    ...fates.map((each) => mayStillShow(each, contract, times)),
    ...unconfirmed.map((each) => mayBeConfirmed(each, plan, times)),
    ...heldIn("lagging", "unsure").map((each) => mayStillGo(each, times)),
  );
  // A time that cannot be read makes it no number.
  if (!(wait > 0)) return false;
  const why = fates.some(isOpen) || unconfirmed.length > 0 ? "created" : "deleted";
  if (isFirst) io.emit({ type: "waiting", why, milliseconds: wait });
  await io.sleep(Math.min(wait, readAgainAfter), stop);
  return true;
}

const isOpen = ({ intent, fate }: Resolved) =>
  fate.is === "untold" || fate.is === "unlisted" || (fate.is === "not_done" && makesObject(intent));

/** Whether a list may show later what a write has made. A set is read again before it is written. */
const makesObject = ({ operation, set }: SentIntent) => operation === "create" && set !== true;

interface Times {
  readonly settle: number;
  readonly firstLook: number;
  readonly now: number;
}

/**
 * Milliseconds for which it is worth while to look again. The time of an intent may come from another clock, or be damaged, so no
 * more is waited than `lag`, or `settle`, since the first look. `lag` is enough where a creation goes again under its idempotency key;
 * else it is looked for `settle` long by the apply that sent it, and as long again by the next.
 */
function mayStillShow(
  { intent, id, fate }: Resolved,
  { request }: Contract,
  { settle, firstLook, now }: Times,
): number {
  const looked = now - firstLook;
  if (id !== undefined) return fate.is === "renamed" ? 0 : settle - looked;
  const isLate = fate.is === "not_done" ? makesObject(intent) : fate.is === "untold" && fate.late === true;
  if (!isLate) return 0;
  // Without the hash of its body, it is not known to be the same creation, and goes under another key.
  const hasKey = request.idempotency !== undefined && intent.key !== undefined && intent.body !== undefined;
  const [longest, since] = hasKey ? [lag, lag] : [Math.max(lag, settle), 2 * Math.max(lag, settle)];
  const sent = Date.parse(intent.at ?? "");
  return Number.isNaN(sent) ? longest - looked : Math.min(sent + since - now, longest - looked);
}

/** Returns how many milliseconds to keep looking for an earlier request that the plan would send again; 0 if it would not. */
function mayBeConfirmed({ address, id }: Unconfirmed, { steps }: Plan, { settle, firstLook, now }: Times): number {
  if (!steps.some((step) => step.address === address && isOnce(step))) return 0;
  return (id === undefined ? Math.max(lag, settle) : settle) - (now - firstLook);
}

/** Returns the milliseconds for which a list may still show what was deleted. */
function mayStillGo({ deletion }: HeldRecord, { firstLook, now }: Times): number {
  const looks = lag - (now - firstLook);
  return deletion?.is === "unknown" ? Math.min(Date.parse(deletion.at) + lag - now, looks) : looks;
}
