import { openInventory } from "../../state/inventory/open-inventory.ts";
import { ownedAfterRun, ownedDuring } from "../../state/inventory/owned-after.ts";
import type { InventoryTarget } from "../../state/inventory/target-key.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import {
  emptyInventory,
  type Inventory,
  type InventoryPlace,
  type OpenInventory,
  type MissedApply,
  type RunningApply,
  type Unconfirmed,
  type WroteInventory,
} from "../../model/inventory.ts";
import type { Address } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import type { ManifestSource } from "../../model/saved-plan.ts";
import { countAdopted, type Report } from "../../model/report.ts";
import type { Desired } from "../../model/resource.ts";
import type { Ownership, WhyNoConsent } from "../../model/plan-input.ts";
import { nothingOutside, type OutsideValues } from "../../manifest/templates/bind-variables.ts";
import type { Host } from "./host.ts";
import { declaredBefore, isRecorded, leftOut, manifestsAfter, type AppliedSource } from "./applied-manifests.ts";
import { committedRemovals, removalsSince, uncountedRemovals } from "./committed-removals.ts";
import { dirtyApplyNotices, notPushed, uncommittedNotices } from "./ownership-notices.ts";

/** Which addresses are ours, as it was read at the start of a command, and how what an apply does to it is kept. */
export interface OpenOwnership {
  readonly where: string;
  /** HEAD of the manifest's repository. */
  readonly head: string | undefined;
  readonly ownership: Ownership;
  /** The last apply, where it did not end by itself. To be trusted only under the lock: else it may be running. */
  readonly unended: RunningApply | undefined;
  /** The manifest of this run, where it is kept in git: without its files where only some addresses are planned. */
  readonly source: ManifestSource | undefined;
  readonly notices: readonly Diagnostic[];
  /** Says that the manifest, or that of the last apply, has changes that no commit holds. */
  readonly uncommitted: readonly Diagnostic[];
  /** Says that HEAD is not known to be at the remote, so that others cannot build on what this run applies. */
  readonly unpushed: () => Promise<readonly Diagnostic[]>;
  readonly holder: OpenInventory["holder"];
  /** Keeps others out and notes what is about to be made, before the first write. */
  readonly begin: (plan: Plan) => Promise<WroteInventory>;
  /** Requests of earlier applies that must not be repeated blindly, and whose result no list had shown. */
  readonly unconfirmed: readonly Unconfirmed[];
  /** Notes one more request that must not be repeated blindly, before it is sent. */
  readonly countOnce: (sent: Unconfirmed) => Promise<void>;
  /** Notes what has become of it. Without a report all was done. `unconfirmed`: what no list has shown so far. */
  readonly finish: (
    plan: Plan,
    report: Report | undefined,
    unconfirmed: readonly Unconfirmed[],
  ) => Promise<readonly Diagnostic[]>;
  /** Returns the existing resources that `finish` has put into the inventory, and where that is; undefined if there are none. */
  readonly takenOver: () => ({ readonly count: number } & InventoryPlace) | undefined;
  /** Notes after `finish` what no list has shown yet. */
  readonly confirm: (unconfirmed: readonly Unconfirmed[]) => Promise<void>;
  /** Whether a plan that changes nothing on the server changes what is ours, what is unconfirmed, or what was applied last. */
  readonly isUpToDate: (plan: Plan, unconfirmed: readonly Unconfirmed[]) => boolean;
}

export interface OwnershipOptions {
  readonly file: readonly string[];
  /** Its file; default: the git repository of the manifest. */
  readonly inventory?: string | undefined;
  /** The folder whose repository is taken if the file lies in none. */
  readonly otherFolder?: string | undefined;
}

/** The manifests that a run is about. */
export interface Manifests {
  /** The manifest files that were read, folders taken apart. */
  readonly files: readonly string[];
  /** Whether this run is about some addresses only: then its manifest says nothing about the others. */
  readonly partial: boolean;
  /** The values of their variables that come from outside. Default: those of the environment. */
  readonly outside?: OutsideValues | undefined;
  /** Its entries under `removed:`. */
  readonly removed?: Desired["removed"];
  /** The manifest that a saved plan was made from. */
  readonly planned?: ManifestSource | undefined;
}

/**
 * Opens the inventory and reads what is ours.
 * @param target undefined for a service that is gone after the command: then nothing is kept.
 */
export async function openOwnership(
  options: OwnershipOptions,
  target: InventoryTarget | undefined,
  manifests: Manifests,
  io: Host,
): Promise<OpenOwnership & { readonly close: () => Promise<void> }> {
  const store = await openInventoryStore(options, target, io);
  return { ...(await readOwnership(store, manifests, io)), close: store.close };
}

/** Opens where it is kept, and reads nothing. */
export const openInventoryStore = (
  options: OwnershipOptions,
  target: InventoryTarget | undefined,
  io: Host,
): Promise<OpenInventory> =>
  openInventory({ manifests: options.file, otherFolder: options.otherFolder, file: options.inventory, target }, io);

/** Reads what is ours. An apply holds the lock before it does. */
export async function readOwnership(
  store: OpenInventory,
  { files, partial, planned, outside, removed }: Manifests,
  io: Host,
): Promise<OpenOwnership> {
  const { inventory, notices, headContainsLastApply, isUndecided = false, isUnpushed, missed } = await store.read();
  const before = inventory ?? emptyInventory;
  const paths = await store.pathsInRepository(files);
  const rolledBack = inventory !== undefined && headContainsLastApply !== "yes";
  // An older commit that was applied to some addresses only stays the older one for all others.
  const last = before.running?.commit ?? before.lastApply?.commit;
  // Labels compare with the manifest of the last apply, and this one was not applied as a whole.
  const uncommitted = planned ? [] : await store.uncommitted(files);
  const isDirty = uncommitted.length > 0 || (partial && rolledBack && before.lastApply?.dirty === true);
  const source = planned ?? {
    commit: partial && rolledBack ? last : store.head,
    ...(isDirty && { dirty: true }),
    manifests: partial ? [] : paths,
  };
  const given = outside ?? { ...nothingOutside, env: io.env };
  const doubt = doubtAbout(store, notices, { isUndecided, rolledBack });
  const missing =
    partial && source.manifests.length === 0 ? undefined : await leftOut(store, inventory, source.manifests);
  const recorded = manifestsAfter(before.lastApply, source, paths, missing?.manifestsLeftOut ?? []);
  const counted =
    removed &&
    (doubt === undefined
      ? await committedRemovals(store, before, { removed, paths, uncommitted: planned ? undefined : uncommitted })
      : { uncounted: uncountedRemovals(removed, before, doubt) });
  return {
    where: store.where,
    source:
      store.head === undefined || (partial && store.place()?.kept === "file")
        ? undefined
        : { ...source, commit: store.head },
    head: store.head,
    notices,
    uncommitted: [...uncommittedNotices(uncommitted), ...dirtyApplyNotices(before)],
    unpushed: async () => ((await store.isPushed()) === "no" ? [notPushed(store.head)] : []),
    ownership: {
      inventory: inventory ?? (store.keeps && !isUnreadable(notices) ? emptyInventory : undefined),
      afterDue: before.afterDue,
      rolledBack,
      isUndecided,
      ...(rolledBack && missed && { missed: await readMissed(store, missed, before, { paths, outside: given }) }),
      ...counted,
      ...(before.lastApply?.dirty === true && { lastApplyDirty: true }),
      ...(await declaredBefore(store, inventory, given)),
      ...(!partial && missing),
    },
    holder: store.holder,
    unended: before.running,
    unconfirmed: before.unconfirmed ?? [],
    ...writing(store, before, { ...recorded, removals: counted && "removals" in counted ? counted.removals : [] }, io),
    isUpToDate: (plan, unconfirmed) =>
      inventory !== undefined &&
      isUnpushed !== true &&
      !isUndecided &&
      (inventory.lastApply?.dirty === true) === (source.dirty === true) &&
      (source.manifests.length === 0 || isRecorded(inventory.lastApply, recorded)) &&
      isUpToDate(inventory, store, plan, unconfirmed),
  };
}

/** Returns the functions that write down what an apply does to what is ours. */
function writing(
  store: OpenInventory,
  before: Inventory,
  { commit, dirty, partial, manifests, removals }: AppliedSource & { readonly removals: Iterable<Address> },
  io: Host,
): Pick<OpenOwnership, "begin" | "countOnce" | "finish" | "takenOver" | "confirm"> {
  let isKept = false;
  let count = 0;
  return {
    begin: async (plan) => {
      const taken = await store.begin({ ...before, ...ownedDuring(before, plan) }, commit);
      isKept = taken.is === "written" && taken.kept;
      return taken;
    },
    countOnce: counter(store.countOnce),
    finish: async (plan, report, unconfirmed) => {
      // A run that sent nothing has applied nothing, and has found out nothing about an apply that did not end.
      if (report?.interrupted === true && report.requests.writes === 0)
        return store.finish(before, "apply: stopped before anything was sent");
      const { removed = [] } = plan.owned;
      // Only an apply whose plan held an entry under `removed:` has used it up.
      const isHeld = partial !== true && [...removals].every((address) => removed.includes(address));
      const since = isHeld ? commit : await removalsSince(store, before);
      const lastApply = {
        ...(commit !== undefined && { commit }),
        ...(since !== undefined && since !== commit && { removalsSince: since }),
        ...(dirty === true && { dirty: true }),
        ...(partial === true && { partial }),
        time: new Date(io.now()).toISOString(),
        planHash: plan.hash ?? "",
        by: store.by,
        manifests,
        ...(store.api && { api: store.api }),
      };
      const owned = ownedAfterRun(before, plan, report ?? { outcomes: [] });
      const spent = partial === true ? new Set([...(before.removed ?? []), ...(owned.removed ?? [])]) : owned.removed;
      const next = { ...owned, ...(spent && { removed: spent }), unconfirmed, lastApply };
      const notices = await store.finish(next, subjectOf(report));
      const isWritten = isKept && notices.every(({ code }) => code !== "inventory_not_kept");
      count = isWritten ? (plan.adopts ?? []).filter((address) => owned.addresses.has(address)).length : 0;
      return notices;
    },
    takenOver: () => {
      const place = store.place();
      return count > 0 && place ? { count, ...place } : undefined;
    },
    confirm: store.confirm,
  };
}

const isUpToDate = (
  { addresses, preventDestroy, exclusive, secretFields, removed, lastApply, unconfirmed: sent = [] }: Inventory,
  { head, api }: OpenInventory,
  { owned }: Plan,
  unconfirmed: readonly Unconfirmed[],
) =>
  sent.length === unconfirmed.length &&
  lastApply?.commit === head &&
  JSON.stringify(lastApply?.api) === JSON.stringify(api) &&
  isSame(addresses, owned.addresses) &&
  isSame(preventDestroy, owned.preventDestroy) &&
  isSame(exclusive ?? new Set(), owned.exclusive) &&
  isSame(secretFields ?? new Set(), owned.secretFields ?? []) &&
  isSame(removed ?? new Set(), owned.removed ?? []);

/** Writes all requests so far after each, one write at a time: those that come meanwhile go together. */
function counter(write: OpenInventory["countOnce"]): OpenOwnership["countOnce"] {
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

/** Returns why no entry under `removed:` is consent in this run; undefined where each is judged by itself. */
function doubtAbout(
  { keeps }: OpenInventory,
  notices: readonly Diagnostic[],
  { isUndecided = false, rolledBack }: Pick<Ownership, "isUndecided" | "rolledBack">,
): WhyNoConsent | undefined {
  if (!keeps) return "no_inventory";
  if (mayBeOutdated(notices)) return "inventory_unread";
  if (isUndecided) return "undecided";
  return rolledBack ? "rolled_back" : undefined;
}

/** An older copy may still hold an address whose deletion another run has confirmed. */
const mayBeOutdated = (notices: readonly Diagnostic[]) =>
  isUnreadable(notices) || notices.some(({ code }) => code === "inventory_offline");

const isUnreadable = (notices: readonly Diagnostic[]) => notices.some(({ code }) => code === "inventory_unreadable");

/** Reads the manifest of an apply whose commit HEAD does not contain, and that of the last commit before both. */
async function readMissed(
  store: OpenInventory,
  { base, ...missed }: MissedApply,
  { lastApply }: Inventory,
  given: { readonly paths: readonly string[]; readonly outside: OutsideValues },
): Promise<NonNullable<Ownership["missed"]>> {
  const { partial = false, manifests = [], dirty = false } = lastApply ?? {};
  const paths = [...new Set([...manifests, ...given.paths])];
  const declaredAt = async (commit: string | undefined) => {
    // Without the names of its files, what a commit declared cannot be told from what it did not.
    if (commit === undefined || partial || manifests.length === 0) return undefined;
    const files = await store.filesAt(commit, paths);
    const texts = files && (await store.manifestsAt(commit, files));
    return texts && (await import("./load-manifest.ts")).declaredIn(texts, given.outside);
  };
  // An apply with uncommitted changes did more than its commit declares.
  const isKnown = !(dirty && missed.commit === lastApply?.commit);
  return { ...missed, there: isKnown ? await declaredAt(missed.commit) : undefined, base: await declaredAt(base) };
}

function isSame<T>(a: ReadonlySet<T>, b: readonly T[]): boolean {
  return a.size === b.length && b.every((each) => a.has(each));
}

/** The first line of the inventory's history for one apply. */
function subjectOf(report: Report | undefined): string {
  if (!report) return "apply: no changes";
  const done = report.outcomes.filter(({ outcome }) => outcome.is === "done");
  const count = (...actions: string[]) => done.filter(({ step }) => actions.includes(step.action)).length;
  const rest = report.outcomes.length - done.length;
  const left = rest === 0 ? "" : `, ${rest} not done`;
  const adopted = countAdopted(report);
  const there = adopted === 0 ? "" : `, ${adopted} adopted`;
  return `apply: ${count("create") - adopted} added, ${count("update", "renew")} changed, ${count("delete")} destroyed${there}${left}`;
}
