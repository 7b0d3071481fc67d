import type { Carry, HeldRecord, ReadJournal, Carried } from "../model/journal.ts";
import type { Emit, InFlightNotice } from "./events.ts";
import { untilStopped } from "../api/until-stopped.ts";
import { restoreLeft } from "../apply/exchanges/restore-left.ts";
import { openCarries, withCarried } from "../journal/resolve-carries.ts";
import { isConfirmed, resolveInFlight, resolveMade } from "../journal/resolve-in-flight.ts";
import { resolveHeld, type HeldState } from "../apply/exchanges/resolve-held.ts";
import type { Contract } from "../model/contract.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Result } from "../model/failure.ts";
import type { Live } from "../model/resource.ts";
import type { Unconfirmed } from "../model/inventory.ts";
import type { OpenOwnership } from "./ownership.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Address } from "../model/address.ts";
import type { Plan } from "../model/plan.ts";
import { prepare } from "../plan/prepare.ts";
import type { Opened } from "./run-plan.ts";
import { keepFormerSecrets } from "./former-secrets.ts";
import type { Ending } from "./ending.ts";
import { refreshAndPlan, type MadePlan } from "./refresh-and-plan.ts";
import { runInput } from "./run-input.ts";
import { forgetting, isOnce, refuseUnknownOutcomes, unlocking } from "./unknown-outcomes.ts";

type Asked = Omit<PlanInput, "live" | "now">;

export interface Recovered extends MadePlan {
  /** As asked, with the values that the last apply took away and did not write again. */
  readonly asked: Asked;
  /** Creations that were not done, with the keys that they go with again; records that may have to be put back; values to write again. */
  readonly carried: Carried;
  /** Records that were deleted for successors that the plan creates. */
  readonly awaited: readonly HeldRecord[];
}

/** Milliseconds after it was sent in which a creation with an idempotency key may still not show in a list. */
const lag = 10_000;
const readAgainAfter = 1_000;

/**
 * Plans an apply; where the last one was cut off, looks first what became of the writes that it had in flight, and tells. A creation
 * of a few seconds ago that does not show is looked for again, for some servers answer reads a little behind their writes. Where
 * nothing can be planned, or it cannot be told whether something was done that must not be done twice, says so and gives the status
 * to exit with.
 * @param owned what the inventory says of earlier applies: whether the last ended, and which requests no list had shown.
 */
export async function recoverAndPlan(
  opened: Opened,
  given: Asked,
  owned: Pick<OpenOwnership, "unended" | "unconfirmed">,
): Promise<Result<Recovered, Ending>> {
  const { io, emit, open, journal, options } = opened;
  const { left, path } = journal ?? {};
  const { unended } = owned;
  const { inFlight = [], made: answered = [] } = left ?? {};
  let held = left?.held ?? [];
  const taken = left?.carries ?? [];
  let asked = given;
  const lookAt = [
    ...inFlight.map(({ intent }) => intent.address),
    ...answered.map(({ address }) => address),
    ...owned.unconfirmed.map(({ address }) => address),
    ...held.flatMap(({ address, successor }) => [address, successor]),
    ...taken.flatMap(({ address, of }) => [address, ...(of ? [of.address] : [])]),
  ];
  const firstLook = io.now();
  const { stop } = open.connection;
  const reader = untilStopped(open.connection);
  for (let round = 1; ; round += 1) {
    const made = await refreshAndPlan(reader, { ...asked, now: io.now() }, lookAt);
    // A read that was stopped is not a failure of the server.
    if (stop.aborted) {
      emit({ type: "cancelled", why: "interrupted" });
      return { ok: false, error: "interrupted" };
    }
    if (!made.ok) {
      emit({ type: "failure", failure: made.error });
      return { ok: false, error: "api_unavailable" };
    }
    keepFormerSecrets(asked, made.value.live, io);
    const { live } = prepare({ ...asked, live: made.value.live });
    const { plan } = made.value;
    const fates: Resolved[] = [
      ...inFlight.map((each) => ({ ...each, fate: resolveInFlight(each, live, plan) })),
      ...answered.flatMap((each) => {
        const fate = resolveMade(each, live, plan);
        return fate ? [{ intent: each, ...(each.id !== undefined && { id: each.id }), fate }] : [];
      }),
    ];
    const unconfirmed = owned.unconfirmed.filter((each) => !hasFailed(each, left) && !isConfirmed(each, live));
    const states = held.map((each) => ({ each, state: resolveHeld(each, live, plan, open.contract) }));
    const among = (...is: readonly HeldState[]) =>
      states.flatMap(({ each, state }) => (is.includes(state) ? [each] : []));
    const times = { settle: options.settle * 1000, firstLook, now: io.now() };
    const wait = Math.max(
      0,
      ...fates.map((each) => mayStillShow(each, open.contract, times)),
      ...unconfirmed.map((each) => mayBeConfirmed(each, plan, times)),
      ...among("lagging", "unsure").map((each) => mayStillGo(each, firstLook, io.now())),
    );
    if (wait > 0) {
      if (round === 1)
        emit({
          type: "waiting_for_list",
          why: fates.some(isOpen) || unconfirmed.length > 0 ? "created" : "deleted",
          milliseconds: wait,
        });
      await io.sleep(Math.min(wait, readAgainAfter), stop);
      continue;
    }
    if (left && path !== undefined) report(fates, left, (address) => waysOn(path, owned, address), emit);
    if (fates.some(isUnclear)) return { ok: false, error: "refused" };
    const lagging = among("lagging");
    if (lagging.length > 0) {
      emit({ type: "diagnostics", diagnostics: lagging.map((each) => stillListed(each, path ?? "")) });
      return { ok: false, error: "refused" };
    }
    const [missing, awaited] = [among("missing"), among("awaited")];
    if (missing.length > 0) {
      if (!(await putBackLeft(opened, asked, missing, live))) return { ok: false, error: "failed_in_part" };
      held = held.filter((each) => !missing.includes(each));
      continue;
    }
    const carries = openCarries(taken, given.desired, live);
    const desired = withCarried(given.desired, carries);
    if (asked === given && desired !== given.desired) {
      asked = { ...given, desired };
      continue;
    }
    reportAwaited(awaited, emit);
    reportCarried(carries, emit);
    const again = fates.filter(({ fate }) => fate.is === "not_done").map(({ intent }) => intent);
    return {
      ok: true,
      value: {
        ...made.value,
        plan: refuseUnknownOutcomes(made.value.plan, journal, unended, unconfirmed),
        carried: { again, held: among("awaited", "unread"), carries, unconfirmed },
        asked,
        awaited,
      },
    };
  }
}

/** Runs `work`; if that ends without beginning its plan, puts back what the last apply has deleted for successors of that plan. */
export async function finishLeft(
  opened: Opened,
  asked: Pick<PlanInput, "desired" | "ownership">,
  { awaited, live }: Recovered,
  work: (onBegin: () => void) => Promise<Ending>,
): Promise<Ending> {
  let hasBegun = false;
  const status = await work(() => {
    hasBegun = true;
  });
  if (hasBegun || awaited.length === 0) return status;
  return (await putBackLeft(opened, asked, awaited, live)) ? status : "failed_in_part";
}

/** Puts back what an earlier apply has left, and says so; returns whether all of it is there again. */
export async function putBackLeft(
  opened: Opened,
  asked: Pick<PlanInput, "desired" | "ownership">,
  left: readonly HeldRecord[],
  live: Live,
): Promise<boolean> {
  const all = left.map((each) => ({ ...each, call: undefined }));
  const ended = await restoreLeft(all, runInput(opened, asked, live));
  opened.emit({ type: "put_backs", putBacks: ended });
  return ended.every(({ outcome }) => outcome.is === "put_back");
}

function reportAwaited(awaited: readonly HeldRecord[], emit: Emit): void {
  for (const { address, successor } of awaited) {
    emit({ type: "held", address, successor });
  }
}

function reportCarried(carries: readonly Carry[], emit: Emit): void {
  for (const { address, fields, withheld } of carries) {
    const names = Object.keys(fields);
    if (names.length > 0) emit({ type: "carried", address, fields: names });
    const lost = withheld.join(", ");
    const summary = `${address}: the value of ${lost} from before the last apply is lost: it looks secret, so the journal does not hold it`;
    const hint = `write ${lost} into the manifest`;
    if (lost !== "")
      emit({ type: "diagnostics", diagnostics: [{ severity: "warning", code: "not_carried", summary, hint }] });
  }
}

type Resolved = Pick<InFlightNotice, "intent" | "id" | "fate">;

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
  if (id !== undefined) return settle - looked;
  const isLate = fate.is === "not_done" ? intent.operation === "create" : fate.is === "untold" && fate.late === true;
  if (!isLate) return 0;
  // Without the hash of its body, it is not known to be the same creation, and goes under another key.
  const hasKey = request.idempotency !== undefined && intent.key !== undefined && intent.body !== undefined;
  const [longest, since] = hasKey ? [lag, lag] : [Math.max(lag, settle), 2 * Math.max(lag, settle)];
  const sent = Date.parse(intent.at ?? "");
  return Number.isNaN(sent) ? longest - looked : Math.min(sent + since - now, longest - looked);
}

/** Milliseconds for which a list may still show what the inventory holds as requested, and the plan would request again. */
function mayBeConfirmed({ address, id }: Unconfirmed, { steps }: Plan, { settle, firstLook, now }: Times): number {
  if (!steps.some((step) => step.address === address && isOnce(step))) return 0;
  return (id === undefined ? Math.max(lag, settle) : settle) - (now - firstLook);
}

/** Whether a journal tells that a request, which the inventory holds, has failed. */
const hasFailed = ({ address, at }: Unconfirmed, left: ReadJournal | undefined): boolean =>
  left?.failed.some((intent) => intent.address === address && intent.at === at) === true;

/** Returns what to remove, where a request was certainly not carried out, before an apply goes on. */
function waysOn(
  path: string,
  { unended, unconfirmed }: Pick<OpenOwnership, "unended" | "unconfirmed">,
  address: Address,
): string {
  const ways = [
    ...(unended ? [unlocking] : []),
    ...(unconfirmed.some((each) => each.address === address) ? [forgetting(address)] : []),
  ];
  return [path, ...ways.map((way) => `${way},`)].join(", ").replace(/,,/gu, ",");
}

const isOpen = ({ intent, fate }: Resolved) =>
  fate.is === "untold" || fate.is === "unlisted" || (fate.is === "not_done" && intent.operation === "create");

/** Returns the milliseconds for which a list may still show what was deleted. */
function mayStillGo({ deletion }: HeldRecord, firstLook: number, now: number): number {
  const looks = lag - (now - firstLook);
  return deletion?.is === "unknown" ? Math.min(Date.parse(deletion.at) + lag - now, looks) : looks;
}

function stillListed({ address, successor, id, deletion }: HeldRecord, path: string): Diagnostic {
  return {
    severity: "error",
    code: "deleted_and_listed",
    summary: `The server answered the last apply at ${deletion?.at} that ${address} (${id}) is deleted, and after ${lag / 1000} s a list still shows it`,
    detail: `it was deleted to make room for ${successor}; while it is not known whether it is there, it is neither put back nor replaced`,
    hint: `nothing was changed; apply again when the list no longer shows it; if it is there for good, remove ${path} and apply again`,
  };
}

function report(
  fates: readonly Resolved[],
  { begin, ended }: ReadJournal,
  waysOnFrom: (address: Address) => string,
  emit: Emit,
): void {
  for (const resolved of fates) {
    const isBlocking = isUnclear(resolved);
    emit({
      type: "in_flight",
      ...resolved,
      begin,
      ended,
      ...(isBlocking && { blockedBy: waysOnFrom(resolved.intent.address) }),
    });
  }
}

const isUnclear = ({ fate }: Resolved) => fate.is === "untold" && fate.again;
