import { hasErrors } from "../model/diagnostic.ts";
import type { PlanPart } from "../messages/notices.ts";
import type { Emit, UnmanagedList } from "./session/events.ts";
import { missingSecrets } from "../policy/missing-secrets.ts";
import type { Ending, Session } from "./session/host.ts";
import { type FileOptions, manifestFolder } from "./session/load-manifest.ts";
import { planRequest, withOpenManifest, type OpenManifest, type PlanRequest } from "./session/open-manifest.ts";
import type { OwnershipOptions } from "./session/ownership.ts";
import { planAccount, reportIncomplete, unavailable, type PlanFromLive } from "./session/read-and-plan.ts";
import type { SourceOptions } from "./session/open-snapshot.ts";
import { recoverAndPlan, type Lookup, type Recovered } from "./run/recover.ts";
import { findDrift } from "./run/find-drift.ts";
import { judged, type Judge } from "./session/run-options.ts";
import { viewJournal } from "./session/with-journal.ts";
import {
  planToSave,
  saveable,
  undoToSave,
  withHash,
  writeSavedPlan,
  emitUndoSaved,
  type PlanPlace,
} from "./run/saved-plan-file.ts";
import { explainedFirst } from "../policy/rollback.ts";
import { startStopwatch, type Stopwatch } from "../lib/stopwatch.ts";
import { statusRows } from "../live/status-rows.ts";
import { redactedNotices } from "../live/snapshot.ts";
import type { Result } from "../model/failure.ts";
import { nothingAllowed, type PlanInput } from "../model/plan-input.ts";
import type { Address } from "../model/address.ts";
import type { Desired, Live } from "../model/resource.ts";
import { changesNothing, type Plan } from "../model/plan.ts";
import type { ListSource } from "../live/read-live.ts";
import { plan as planChanges } from "../plan/plan.ts";
import { prepare } from "../plan/prepare.ts";
import { consentToRefused } from "../saved-plans/approved-consent.ts";
import { byItself } from "../saved-plans/portable-desired.ts";
import type { Saved } from "../saved-plans/save-plan.ts";
import { findIgnored, showUnmanaged } from "../plan/unmanaged.ts";

export interface PlanOptions
  extends SourceOptions, FileOptions, OwnershipOptions, Pick<PlanInput, "consent" | "selection"> {
  readonly detailedExitcode: boolean;
  /** Whether the live resources that the manifest does not name are listed, from the whole account. Default: false. */
  readonly showUnmanaged?: boolean | undefined;
  /** Whether the time of each part is shown. Default: false. */
  readonly timings?: boolean | undefined;
  /** Asked about the plan before it is shown. Default: nobody. */
  readonly judge?: Judge | undefined;
  /** The place in which the plan is saved. */
  readonly out?: PlanPlace | undefined;
  /** The place in which its undo is saved. */
  readonly undoOut?: PlanPlace | undefined;
  /** Whether only what has drifted since the last apply is taken back. Default: false. */
  readonly onlyDrift?: boolean | undefined;
  /** Whether it is shown for approval by its hash, which consents to what a flag could allow. Default: false. */
  readonly forApproval?: boolean | undefined;
  /** The journal of applies; default: in the state folder. */
  readonly journal?: string | undefined;
  /** The folder that files of secrets in a saved plan are relative to. Default: the working folder. */
  readonly checkout?: string | undefined;
}

/**
 * Shows what an apply would do.
 * @param rehearse what is to be done with a plan that changes something and that nothing refuses; its ending is that of the run.
 */
export async function planManifest(
  options: PlanOptions,
  host: Session,
  rehearse?: (made: { readonly plan: Plan; readonly input: PlanInput }, open: OpenManifest) => Promise<Ending>,
): Promise<Ending> {
  const stopwatch = options.timings ? startStopwatch<PlanPart>("start", host.awake) : undefined;
  const io = { ...host, stopwatch };
  return withOpenManifest({ ...options, use: "run" }, io, async (open) => {
    const { desired, source, owned, readSecret } = open;
    io.emit({ type: "diagnostics", diagnostics: owned.uncommitted });
    const made = await planAsApply(open, options, io);
    const origin = { folder: manifestFolder(options.file), checkout: options.checkout, source: owned.source };
    if (!made.ok) {
      // Nothing has drifted. A file of an earlier plan must not stay in the place of this one: it would be applied.
      if (made.error === "done") {
        const nothing = { ...inputOfNothing(open), now: io.now() };
        savePlans(options, nothing, planChanges(nothing), origin, io);
        if (typeof options.out === "string") io.emit({ type: "plan_saved", path: options.out, refused: false });
      }
      return made.error;
    }
    stopwatch?.begin("render");
    const { plan, input } = made.value;
    const unset = missingSecrets(plan, readSecret).map((each) => ({ ...each, severity: "warning" as const }));
    const redacted = options.live === undefined ? [] : redactedNotices(desired, prepare(input).live);
    io.emit({ type: "diagnostics", diagnostics: explainedFirst(plan, [...plan.diagnostics, ...unset, ...redacted]) });
    if (hasErrors(plan.diagnostics)) return "wrong_input";
    const saved = savePlans(options, input, plan, origin, io);
    const shown = await judged(saved ? withHash(plan, saved) : plan, options.judge);
    const names = [...new Set(unset.map(({ source, summary }) => source ?? summary))];
    const isOwnedBefore = owned.record.isOwnedBefore(plan);
    io.emit({ type: "plan", plan: { ...shown, ...(names.length > 0 && { unset: names }) }, isOwnedBefore });
    emitPending(input, io);
    if (stopwatch) emitTimings(io.emit, stopwatch);
    const unread = options.showUnmanaged === true ? await listUnmanaged(source, input, plan, io) : undefined;
    const ending = unread ?? endingOfPlan(shown, options.detailedExitcode);
    const refused = ending === "refused" || names.length > 0;
    if (typeof options.out === "string") io.emit({ type: "plan_saved", path: options.out, refused });
    return rehearse && ending === "done" && plan.steps.length > 0 ? rehearse({ plan, input }, open) : ending;
  });
}

/** Writes the files that are asked for. Returns the plan as it would be saved; a plan without changes has nothing to approve. */
function savePlans(
  { out, undoOut }: Pick<PlanOptions, "out" | "undoOut">,
  input: PlanInput,
  plan: Plan,
  origin: Parameters<typeof planToSave>[2],
  io: Session,
): Saved | undefined {
  const saved = plan.steps.length === 0 && out === undefined ? undefined : planToSave(input, plan, origin, io);
  if (saved && out !== undefined) writeSavedPlan(out, saveable(saved));
  if (undoOut !== undefined) {
    const undo = saveable(undoToSave(input, plan, origin, io));
    writeSavedPlan(undoOut, undo);
    emitUndoSaved(io.emit, undoOut, undo);
  }
  return saved;
}

/** The input of a plan that changes nothing, in the account of a manifest. */
function inputOfNothing({ desired, contract, target }: OpenManifest): Omit<PlanInput, "now"> {
  const nothing: Desired = { ...desired, resources: new Map(), collections: new Map(), removed: new Map() };
  const live: Live = { resources: new Map(), collections: new Map(), reads: 0 };
  return { desired: nothing, live, contract, target, consent: nothingAllowed, ...byItself(nothing, undefined) };
}

/** The request for a plan; that of what has drifted, if only that is asked for. Returns how the run ends where there is nothing to plan. */
export async function askedFor(
  open: Parameters<typeof findDrift>[0],
  request: PlanRequest,
  { onlyDrift = false, live }: Pick<PlanOptions, "onlyDrift" | "live">,
  io: Session,
): Promise<PlanRequest | Ending> {
  if (!onlyDrift) return request;
  const found = await findDrift(open, request, { tolerate: [], unmanaged: false, live }, io);
  if (typeof found === "string") return found;
  const { items, incomplete } = found.drift;
  if (items.length > 0 && incomplete.length === 0) return found.request;
  io.emit({ type: "drift", drift: found.drift });
  return incomplete.length > 0 ? "refused" : "done";
}

/** Seconds that a list may take to show what the last apply has written, as for an apply by default. */
const settle = 30;

/**
 * Plans as an apply would that ran now, and ends as that would where it is refused. A plan of a snapshot is of another time than the journal.
 */
async function planAsApply(
  open: OpenManifest,
  options: Pick<PlanOptions, "consent" | "selection" | "onlyDrift" | "forApproval" | "live" | "journal" | "inventory">,
  io: Session,
): Promise<Result<PlanFromLive & { readonly input: PlanInput }, Ending>> {
  const { owned, source } = open;
  const request = await askedFor(open, planRequest(open, options), options, io);
  if (typeof request === "string") return { ok: false, error: request };
  const now = io.now();
  const isOfNow = options.live === undefined;
  const journal = isOfNow ? await viewJournal(open.inventory, options, io) : ({ ok: true, value: undefined } as const);
  if (!journal.ok) return journal;
  const { holder, where } = owned.inventory;
  const held = isOfNow ? await holder() : undefined;
  if (held?.is === "held") {
    io.emit({ type: "locked", ...held, unwatched: true, where });
    return { ok: false, error: "refused" };
  }
  const lookup: Lookup = { options: { settle }, io, journal: journal.value, stop: undefined, source };
  const earlier = isOfNow ? owned : { ...owned, unended: undefined, unconfirmed: [] };
  const made = await recoverAndPlan(lookup, request, earlier);
  if (!made.ok) return made;
  // An apply finds this out when it begins: a plan that is refused, or that changes nothing, never does.
  if (held && wouldBegin(made.value, owned)) {
    io.emit({ type: "not_ended", ...held, where });
    return { ok: false, error: "refused" };
  }
  const { plan, live, asked, requests } = made.value;
  const input = { ...asked, now, live };
  const shown = options.forApproval ? consentToRefused(input, plan, requests) : { plan, input };
  return { ok: true, value: { ...shown, live } };
}

const wouldBegin = (
  { plan, leftover: { unconfirmed } }: Recovered,
  { record: { isUpToDate } }: OpenManifest["owned"],
) =>
  !hasErrors(plan.diagnostics) &&
  endingOfPlan(plan, false) === "done" &&
  !(changesNothing(plan) && isUpToDate(plan, unconfirmed));

function emitTimings(emit: Emit, stopwatch: Stopwatch<PlanPart>): void {
  const parts = stopwatch.read();
  const total = parts.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const rounded = parts.map(({ part, milliseconds }) => [part, Math.round(milliseconds)] as const);
  emit({ type: "timings", parts: Object.fromEntries(rounded), total: Math.round(total) });
}

/** Refusals and incomplete reads come before "there are changes". */
export function endingOfPlan(plan: Plan, detailed: boolean): Ending {
  if (plan.refusals.length > 0 || plan.incomplete.length > 0) return "refused";
  return detailed && !changesNothing(plan) ? "changes" : "done";
}

/** Emits the declared resources that are live and wait for a person or a registry, less those that were reported. Returns how many there are. */
export function emitPending(
  input: Omit<PlanInput, "now">,
  { now, emit }: Session,
  reported?: ReadonlySet<Address>,
): number {
  const waitingIn = (live: Live) => statusRows(live, now()).filter(({ state }) => state === "pending");
  const waiting = waitingIn(input.live).length === 0 ? [] : waitingIn(prepare(input).live);
  const pending = waiting.flatMap(({ address, reason }) =>
    reason !== undefined && input.desired.resources.has(address) && reported?.has(address) !== true
      ? [{ address, reason }]
      : [],
  );
  for (const each of pending) emit({ type: "pending", ...each });
  return pending.length;
}

/**
 * Reads the lists of the account that a plan did not need, and emits every live resource that the manifest does not name. Returns how the
 * run ends if they could not all be read.
 */
async function listUnmanaged(
  source: ListSource,
  asked: PlanInput,
  { incomplete }: Pick<Plan, "incomplete">,
  io: Session,
): Promise<Ending | undefined> {
  const read = await planAccount(source, asked, io);
  if (!read.ok) return unavailable(read.error, io);
  const { live, plan: whole } = read.value;
  const broken = new Set(whole.incomplete.map(({ collection }) => collection));
  const lists = whole.unmanaged.map(({ collection, addresses }): UnmanagedList => {
    const resources = addresses.flatMap((address) => {
      const resource = live.resources.get(address);
      return resource ? [{ address, values: showUnmanaged(resource) }] : [];
    });
    return { collection, isWhole: !broken.has(collection), resources };
  });
  const reported = new Set(incomplete.map(({ collection }) => collection));
  const { length: ignored } = findIgnored({ ...asked, ...prepare({ ...asked, live }) });
  io.emit({ type: "unmanaged", lists, isWhole: broken.size === 0, reads: live.reads - asked.live.reads, ignored });
  const unreported = [...live.collections.values()].filter(({ id }) => broken.has(id) && !reported.has(id));
  reportIncomplete(unreported, io);
  return broken.size === 0 ? undefined : "refused";
}
