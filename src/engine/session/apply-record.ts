import { hiddenOwnership } from "../../saved-plans/ownership-change.ts";
import { ownedDuring, inventoryAfterRun } from "../../state/inventory/owned-after.ts";
import type { Address } from "../../model/address.ts";
import type { Inventory, OpenInventory, Unconfirmed, WroteInventory } from "../../model/inventory.ts";
import type { Plan } from "../../model/plan.ts";
import type { Report } from "../../model/report.ts";
import { doneText } from "./done-text.ts";
import type { Host } from "./host.ts";
import { isRecorded, type AppliedSource } from "./applied-manifests.ts";
import { removalsSince } from "./committed-removals.ts";

/** Records in the inventory what an apply does to it. */
export type ApplyRecord = ReturnType<typeof recordApply>;

/** The manifest that an apply records, and the entries under `removed:` that consent in it. */
export interface RecordedSource extends AppliedSource {
  readonly removals: ReadonlySet<Address>;
  /** Whether it takes an apply back: where nothing is to be taken back, the last apply stays the last. */
  readonly undoes: boolean;
  /** Default: what the plan leaves out. */
  readonly leftOut?: readonly Address[] | undefined;
  /** Reads the addresses that have left the manifests of all applies, as an inventory holds them. */
  readonly dropped: () => Promise<NonNullable<Inventory["dropped"]>>;
}

/** @param isSettled whether the inventory could be read, is shared, and records the same manifest. */
export function recordApply(
  store: OpenInventory,
  before: Inventory,
  source: RecordedSource,
  isSettled: boolean,
  { now }: Pick<Host, "now">,
) {
  let isKept = false;
  let count = 0;
  return {
    /** Notes the addresses that are about to be created, with the mark of this apply, before the first write. */
    begin: async (plan: Plan): Promise<WroteInventory> => {
      const taken = await store.begin({ ...before, ...ownedDuring(before, plan) }, source.commit);
      isKept = taken.is === "written" && taken.kept;
      return taken;
    },
    /** Notes one more request that must not be repeated blindly, before it is sent. */
    countOnce: counter(store.countOnce),
    /** Notes the result. Without a report all was done. `unconfirmed`: the requests whose result no list has shown so far. */
    finish: async (plan: Plan, report: Report | undefined, unconfirmed: readonly Unconfirmed[]) => {
      // A run that sent nothing has applied nothing, and has found out nothing about an apply that did not end.
      if (report?.interrupted === true && report.requests.writes === 0)
        return store.finish(before, "apply: stopped before anything was sent");
      const isNone = source.undoes && !report;
      const lastApply = isNone ? before.lastApply : await lastApplyOf(store, before, source, plan, now());
      const owned = inventoryAfterRun(before, plan, report, source.partial === true);
      const over = new Set([...(plan.owned.forgotten ?? []), ...(owned.removed ?? [])]);
      const dropped = new Map([...(await source.dropped())].filter(([address]) => !over.has(address)));
      const next = { ...owned, dropped, unconfirmed, lastApply };
      const notices = await store.finish(next, subjectOf(report));
      const isWritten = isKept && notices.every(({ code }) => code !== "inventory_not_kept");
      count = isWritten ? (plan.adopts ?? []).filter((address) => next.addresses.has(address)).length : 0;
      return notices;
    },
    /** Returns the existing resources that `finish` has put into the inventory, and where that is; undefined if there are none. */
    takenOver: () => {
      const place = store.place();
      return count > 0 && place ? { count, ...place } : undefined;
    },
    /** Notes after `finish` the requests whose result no list has shown yet. */
    confirm: store.confirm,
    isOwnedBefore: (plan: Plan) => isOwnedBefore(plan, before),
    /** Whether a plan that changes nothing on the server changes nothing in the inventory either. */
    isUpToDate: (plan: Plan, unconfirmed: readonly Unconfirmed[]) =>
      isSettled &&
      (source.undoes || before.lastApply?.commit === store.head) &&
      (before.unconfirmed ?? []).length === unconfirmed.length &&
      JSON.stringify(before.lastApply?.api) === JSON.stringify(store.api) &&
      isOwnedBefore(plan, before),
  };
}

async function lastApplyOf(
  store: OpenInventory,
  before: Inventory,
  { commit, dirty, partial, manifests, removals, leftOut }: RecordedSource,
  plan: Plan,
  now: number,
): Promise<NonNullable<Inventory["lastApply"]>> {
  const {
    hash,
    owned: { removed = [] },
  } = plan;
  const omitted = leftOut ?? plan.leftOut;
  // Only an apply whose plan held an entry under `removed:` has used it up.
  const isHeld = partial !== true && [...removals].every((address) => removed.includes(address));
  const since = isHeld ? commit : await removalsSince(store, before);
  return {
    commit,
    removalsSince: since === commit ? undefined : since,
    dirty: dirty || undefined,
    partial: partial || undefined,
    leftOut: omitted.length > 0 ? omitted : undefined,
    time: new Date(now).toISOString(),
    planHash: hash ?? "",
    by: store.by,
    manifests,
    api: store.api,
  };
}

/** Whether the last apply recorded the manifest of this run. */
export const isSameManifest = (
  { lastApply }: Inventory,
  source: Pick<AppliedSource, "dirty" | "manifests">,
  recorded: AppliedSource,
): boolean =>
  (lastApply?.dirty === true) === (source.dirty === true) &&
  (source.manifests.length === 0 || isRecorded(lastApply, recorded));

/**
 * Whether a plan leaves what is ours and its marks as they are. An apply of it ends that an address was not reached, unless it leaves that
 * out, and the warnings of what it gives up.
 */
function isOwnedBefore(plan: Plan, before: Inventory): boolean {
  const { owned, leftOut } = plan;
  const omitted = new Set(leftOut);
  return (
    owned.addresses.length === before.addresses.size &&
    [...(before.unreached ?? [])].every((address) => omitted.has(address)) &&
    !(owned.forgotten ?? []).some((address) => before.dropped?.has(address)) &&
    // Without steps, all that becomes ours, or does not stay so, is what no step shows.
    hiddenOwnership(before, { ...plan, owned: { ...owned, forgotten: [] }, steps: [] }) === undefined
  );
}

/** Writes all requests so far after each, one write at a time: those that come meanwhile go together. */
function counter(write: OpenInventory["countOnce"]): (sent: Unconfirmed) => Promise<void> {
  const sent: Unconfirmed[] = [];
  let written = 0;
  let last = Promise.resolve();
  const writeAfter = async (earlier: Promise<void>, own: number) => {
    await earlier;
    if (written >= own) return;
    const upTo = sent.length;
    await write([...sent]);
    written = upTo;
  };
  return (request) => (last = writeAfter(last, sent.push(request)));
}

/** The first line of the inventory's history for one apply. */
function subjectOf(report: Report | undefined): string {
  if (!report) return "apply: no changes";
  const done = report.outcomes.filter(({ outcome }) => outcome.is === "done");
  const rest = report.outcomes.length - done.length;
  return `apply: ${doneText(report)}${rest === 0 ? "" : `, ${rest} not done`}`;
}
