import { openInventory } from "../../state/inventory/open-inventory.ts";
import type { InventoryTarget } from "../../state/inventory/target-key.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { emptyInventory, type Inventory, type OpenInventory } from "../../model/inventory.ts";
import type { Address } from "../../model/address.ts";
import type { ManifestSource } from "../../model/saved-plan.ts";
import type { Desired } from "../../model/resource.ts";
import type { WhyNoConsent } from "../../messages/refusals.ts";
import type { Ownership } from "../../model/plan-input.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import { nothingOutside, type OutsideValues } from "../../manifest/templates/bind-variables.ts";
import type { OpenTargetOptions } from "./open-target.ts";
import type { Ending, Host, Session } from "./host.ts";
import { isSameManifest, recordApply } from "./apply-record.ts";
import {
  declaredBefore,
  droppedUntil,
  lastApplied,
  leftOut,
  manifestsAfter,
  readMissed,
  type AppliedSource,
} from "./applied-manifests.ts";
import { committedRemovals } from "./committed-removals.ts";
import { dirtyApplyNotices, isUnreadable, notPushed, uncommittedNotices } from "./ownership-notices.ts";

/** The ownership as it was read at the start of a command, and the record of what an apply does to it. */
export type OpenOwnership = Awaited<ReturnType<typeof readOwnership>>;

export interface OwnershipOptions extends Pick<OpenTargetOptions, "inventory"> {
  readonly file: readonly string[];
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
  /** Whether the run makes what the last apply declared, so that the manifest of that one stays the last. Default: false. */
  readonly again?: boolean | undefined;
  /** Whether the run takes an apply back, so that its commit declares something else than the run makes. Default: false. */
  readonly undoes?: boolean | undefined;
}

/**
 * Opens the inventory and reads what is ours, for the length of `work`.
 * @param target undefined for a service that is gone after the command: then nothing is kept.
 */
export async function withOwnership(
  options: OwnershipOptions,
  target: InventoryTarget | undefined,
  manifests: Manifests,
  io: Session,
  work: (owned: OpenOwnership) => Promise<Ending>,
): Promise<Ending> {
  return withInventory(options, target, io, async (store) => {
    const owned = await readOwnership(store, manifests, io);
    io.emit({ type: "diagnostics", diagnostics: owned.notices });
    return work(owned);
  });
}

/** Opens where it is kept, and reads nothing, for the length of `work`. */
export async function withInventory(
  { file: manifests, otherFolder, inventory: file }: OwnershipOptions,
  target: InventoryTarget | undefined,
  io: Host,
  work: (store: OpenInventory) => Promise<Ending>,
): Promise<Ending> {
  const store = await openInventory({ manifests, otherFolder, file, target }, io);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Reads what is ours. An apply holds the lock before it does. */
export async function readOwnership(store: OpenInventory, manifests: Manifests, io: Host) {
  const { files, partial, planned, outside, removed, again = false, undoes = false } = manifests;
  const read = await store.read(planned?.commit);
  const { inventory, notices, headContainsLastApply, isUndecided = false, isUnshared, missed } = read;
  const before = inventory ?? emptyInventory;
  const paths = await store.pathsInRepository(files);
  const rolledBack = inventory !== undefined && headContainsLastApply !== "yes";
  // Labels compare with the manifest of the last apply, and this one was not applied as a whole.
  const uncommitted = planned ? [] : await store.uncommitted(files);
  const whole = planned ?? { commit: store.head, dirty: undoes || uncommitted.length > 0, manifests: paths };
  const source = planned?.manifests.length ? planned : recordedSource(whole, before, manifests, rolledBack);
  const unapplied = again ? (before.lastApply?.leftOut ?? []) : planned?.left_out;
  const given = outside ?? { ...nothingOutside, env: io.env };
  const doubt = doubtAbout(store, notices, { isUndecided, rolledBack });
  const missing = await leftOut(store, inventory, planned?.manifests ?? paths);
  const recorded = manifestsAfter(before.lastApply, source, paths, missing.manifestsLeftOut);
  const judged = { paths, uncommitted: planned ? undefined : uncommitted, doubt };
  const counted = removed && (await committedRemovals(store, before, { removed, ...judged }));
  const removals = counted?.removals ?? new Set<Address>();
  const dropped = () => droppedUntil(recorded, store, before, given);
  // An undo that finds nothing to change says nothing of what the last apply declared.
  const isSame = inventory !== undefined && (undoes || isSameManifest(inventory, source, recorded));
  const whyNone = isUndecided || mayBeOutdated(notices) ? "no_inventory" : store.keeps ? "never" : "not_kept";
  const isSettled = isSame && isUnshared !== true && !isUndecided;
  return {
    inventory: store,
    /** The manifest of this run, where it is kept in git: without its files where only some addresses are planned. */
    source:
      store.head === undefined || (partial && store.place()?.kept === "file")
        ? undefined
        : { ...source, commit: (again ? lastCommit(before) : undefined) ?? store.head, left_out: unapplied },
    notices,
    /** Says that the manifest, or that of the last apply, has changes that no commit holds. */
    uncommitted: [...uncommittedNotices(uncommitted), ...dirtyApplyNotices(before)],
    /** Says that HEAD is not known to be at the remote, so that others cannot build on what this run applies. */
    unpushed: async () => ((await store.isPushed()) === "no" ? [notPushed(store.head)] : []),
    ownership: {
      inventory: inventory ?? (store.keeps && !isUnreadable(notices) ? emptyInventory : undefined),
      afterDue: before.afterDue,
      rolledBack,
      isUndecided,
      ...(rolledBack && missed && { missed: await readMissed(store, missed, before, { paths, outside: given }) }),
      ...counted,
      ...(before.lastApply?.dirty === true && { lastApplyDirty: true }),
      ...(await declaredBefore(store, inventory, given, missing.manifestsLeftOut)),
      ...(!partial && missing),
    },
    /** The last apply, where it did not end by itself. To be trusted only under the lock: else it may be running. */
    unended: before.running,
    /** Requests of earlier applies that must not be repeated blindly, and whose result no list had shown. */
    unconfirmed: before.unconfirmed ?? [],
    record: recordApply(store, before, { ...recorded, removals, dropped, undoes, leftOut: unapplied }, isSettled, io),
    /** Reads what the last apply declared. */
    lastApplied: (readSecret: ReadSecret) =>
      lastApplied(store, before, given, missing.manifestsLeftOut, readSecret, whyNone),
  };
}

const lastCommit = ({ running, lastApply }: Inventory) => running?.commit ?? lastApply?.commit;

/** Returns the manifest that an apply of this run records. `whole`: that of its files at HEAD. */
function recordedSource(
  whole: AppliedSource,
  before: Inventory,
  { partial, again = false }: Manifests,
  rolledBack: boolean,
): AppliedSource {
  // An older commit that was applied to some addresses only stays the older one for all others.
  const isOlder = partial && rolledBack;
  const isDirty = whole.dirty === true || (isOlder && before.lastApply?.dirty === true);
  const commit = again || isOlder ? lastCommit(before) : whole.commit;
  return { commit, ...(isDirty && { dirty: true }), manifests: partial ? [] : whole.manifests };
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
