import type { Address } from "./address.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Json } from "./json.ts";
import type { CollectionId, RemoteId } from "./resource.ts";

/** The API of an apply, for which its key was. References only. */
export interface AppliedApi {
  readonly base_url: string;
  /** The contract's name. */
  readonly contract: string;
  /** A hash of the contract's rules for where and how the key is sent. */
  readonly auth: string;
  /** A hash of the certificates that were trusted; absent: those of the system. */
  readonly ca?: string;
}

/** The origin of an apply. Only where it stood: no attribute, no secret. */
export interface AppliedBy {
  /** HEAD of the manifest's repository, in hexadecimal; absent outside a repository, and before its first commit. */
  readonly commit?: string;
  /** True if the manifest had changes that this commit does not hold. */
  readonly dirty?: boolean;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly planHash: string;
  /** `user@host`, or the CI job. */
  readonly by: string;
  /** True if it was not the manifest as a whole, so that `manifests` are those of earlier applies, too. */
  readonly partial?: true;
  /** Addresses that would have changed too and were not selected: to these, `commit` has not been applied. Sorted. */
  readonly leftOut?: readonly Address[];
  /** Manifest files, relative to the repository's top folder, with `/`. */
  readonly manifests: readonly string[];
  /** The last commit whose entries under `removed:` were all held by an apply, if it is not `commit`; empty if there was none before it. */
  readonly removalsSince?: string;
  readonly api?: AppliedApi | "emulator";
}

/** The process that holds a lock. Its time is ISO 8601, UTC, by the clock of its machine: shown, never compared. */
export interface LeaseHolder {
  /** `user@host`, or the CI job. */
  readonly by: string;
  readonly host: string;
  readonly pid: number;
  /** Tells the process from a later one of the same number, where the system can say. */
  readonly process?: string;
  readonly since: string;
}

/** The mark of an apply that has begun and not ended. The lease is what keeps others out. */
export interface RunningApply extends LeaseHolder {
  /** HEAD of the manifest's repository at that apply, in hexadecimal. */
  readonly commit?: string;
  /** For older versions, which take the mark itself for the lock. */
  readonly until: string;
  /** Writes that must not be repeated blindly and that it was about to send: a journal with fewer of them is incomplete. Default: 0. */
  readonly once?: number;
}

/**
 * A request that must not be repeated blindly, that was or may have been carried out, and whose result no list has shown so far. It stands
 * beside the journal, which may be lost.
 */
export interface Unconfirmed {
  readonly address: Address;
  readonly operation: "create" | "renew";
  /** ISO 8601, UTC: the moment at which it was sent. */
  readonly at: string;
  /** Of the object that the server has named in its answer. */
  readonly id?: RemoteId;
  /** Of the objects that the address had before. */
  readonly ids?: readonly string[];
  /** The field that tells by its change that it was done, as it was. */
  readonly before?: { readonly field: string; readonly value: Json };
}

/** Which addresses are ours: created or adopted by applies of this target, and not deleted or forgotten since. */
export interface Inventory {
  readonly addresses: ReadonlySet<Address>;
  /** Resources declared with `lifecycle.prevent_destroy`: the mark outlives its block. */
  readonly preventDestroy: ReadonlySet<Address>;
  /** Collections that were applied as `exclusive`: what else they hold goes without being named. */
  readonly exclusive?: ReadonlySet<CollectionId>;
  /** Fields whose live value came from a secret, as `ADDRESS FIELD`: the mark outlives the reference in the manifest. */
  readonly secretFields?: ReadonlySet<string>;
  /** Addresses whose entry under `removed:` was carried out, and is still there: it consents to nothing any more. */
  readonly removed?: ReadonlySet<Address>;
  /** Addresses that an earlier apply declared without making them ours, and no manifest declares any more, each with its file in the repository. */
  readonly dropped?: ReadonlyMap<Address, string>;
  /** Addresses whose change the last apply did not carry out: what is live is not what their manifest declared. */
  readonly unreached?: ReadonlySet<Address>;
  /** Collections that an apply wrote to, or was about to, and whose request `after` has not been answered with success since. */
  readonly afterDue?: ReadonlySet<CollectionId>;
  readonly unconfirmed?: readonly Unconfirmed[];
  readonly lastApply?: AppliedBy;
  readonly running?: RunningApply;
}

export const addressOfMark = (mark: string): Address => mark.slice(0, mark.lastIndexOf(" ")) as Address;

export const emptyInventory: Inventory = { addresses: new Set(), preventDestroy: new Set() };

/**
 * The last apply, if it was of a commit that the commit of this run does not contain. Its time is that of the clock of the other machine:
 * shown, never compared.
 */
export interface MissedApply extends Partial<Pick<AppliedBy, "by" | "time" | "dirty">> {
  readonly commit: string;
  /** A branch that contains the commit, where this clone knows one. */
  readonly branch?: string;
  /** Whether the commit is in this clone, so that it can be merged without a fetch. */
  readonly isHere: boolean;
  /** False where this clone does not hold enough of its history to deny that it contains the commit. */
  readonly isCertain: boolean;
  /** True where a saved plan was made at an earlier commit than it, though this branch contains both. */
  readonly isAfterPlan?: true;
  /** The last commit that both have; undefined where there is none, more than one, or it is not known. */
  readonly base?: string;
}

export interface ReadInventory {
  /** Undefined where none is kept, where there is none yet, or where it cannot be read: nothing is deleted for it then. */
  readonly inventory: Inventory | undefined;
  readonly notices: readonly Diagnostic[];
  /** Whether HEAD descends from the commit of the last apply. `yes` where that apply recorded none. */
  readonly headContainsLastApply: "yes" | "no" | "unknown";
  /** Present unless it is `yes`. */
  readonly missed?: MissedApply;
  /** True where the remote's ref does not continue what is known here: until someone has chosen, nothing is deleted for not being declared. */
  readonly isUndecided?: boolean;
  /** True where the remote does not hold what was read, as far as it is known: the next apply pushes it. */
  readonly isUnshared?: boolean;
}

/**
 * `written`: go on; where it is not kept, the notices tell why. `not_shared`: others would not get it. `held`:
 * another apply is running (`lives`: seen on this machine). `moved`: another run has changed the inventory since it was read, so what was planned from it is out of date.
 */
export type WroteInventory =
  | { readonly is: "written"; readonly kept: boolean; readonly notices: readonly Diagnostic[] }
  | { readonly is: "not_shared"; readonly notices: readonly Diagnostic[] }
  | { readonly is: "held"; readonly by: LeaseHolder | undefined; readonly lives?: true }
  | { readonly is: "moved"; readonly lastApply?: AppliedBy };

/** The longest wait of a runner for a lock that another one holds, and the means to end it sooner. */
export interface LockWish {
  /** Milliseconds. */
  readonly timeout: number;
  readonly stop?: AbortSignal;
  /** Called again and again while it waits. `by`: undefined where the lock does not tell. `milliseconds`: waited so far. */
  readonly onWait?: (by: LeaseHolder | undefined, milliseconds: number) => void;
}

/**
 * `unwatched`: whether the timeout is shorter than a lease, so that a dead holder on another machine looks like a living one.
 * `reason`: why the lock could not be taken, where that is not its holder.
 */
export type TakenLock =
  | { readonly is: "ours"; readonly lock: HeldLock }
  | { readonly is: "held"; readonly by: LeaseHolder | undefined; readonly unwatched: boolean; readonly reason?: string }
  | { readonly is: "stopped" };

/** Why a lock is not held any more. `by`: the runner that has it now, where that is known. */
export interface LostLock {
  readonly by: LeaseHolder | undefined;
  readonly reason: string;
}

/** The lock of one target while this run holds it: a lease, renewed until it is given back. */
export interface HeldLock {
  /** Things to know of it: that it is local, that it was taken over. */
  readonly notices: readonly Diagnostic[];
  /** Whether a write may be started now. Once it may not, the lock is lost. */
  readonly mayWrite: () => boolean;
  /** Renews it where that is due; whether a write may be started then. To be called after a long wait, before the first write. */
  readonly confirm: () => Promise<boolean>;
  readonly lost: () => LostLock | undefined;
  /** Registers a handler for the loss of the lock; it gets the reason, at once if the lock is lost already. */
  readonly onLost: (handler: (lost: LostLock) => void) => void;
  readonly release: () => Promise<void>;
}

/** One change in the life of an address: newest first in a history. */
export interface InventoryEvent extends Pick<AppliedBy, "time" | "dirty">, Partial<Pick<AppliedBy, "by" | "planHash">> {
  readonly change: "entered" | "left";
  /** The commit of the inventory's own ref. */
  readonly commit: string;
  /** The first line of its message, such as `apply: 3 added, 0 changed, 0 destroyed`. */
  readonly subject: string;
  /** HEAD of the manifest's repository at that apply. */
  readonly headCommit?: string;
}

/** The place where an inventory was last read or written. `where`: its name there. */
export interface InventoryPlace {
  readonly kept: "shared" | "unshared" | "file";
  readonly where: string;
  /** The place that others read, where it is `shared`. */
  readonly sharedAt?: string;
}

/** The git repository that holds the manifests of a command; outside of one, all answers are those of an empty one. */
export interface ManifestRepository {
  /** HEAD. */
  readonly head: string | undefined;
  /** Those of the files that are in the repository, relative to its top folder. */
  readonly pathsInRepository: (files: readonly string[]) => Promise<readonly string[]>;
  /** The manifest files that HEAD does not hold as they are, among them those that were deleted in the folders that were named. */
  readonly uncommitted: (files: readonly string[]) => Promise<readonly string[]>;
  /** The texts of those of the paths that are files at a commit; undefined where that cannot be read. */
  readonly manifestsAt: (
    commit: string,
    paths: readonly string[],
  ) => Promise<readonly { readonly file: string; readonly text: string }[] | undefined>;
  /** Those of the paths that are files at a commit; undefined where that cannot be read. */
  readonly filesAt: (commit: string, paths: readonly string[]) => Promise<readonly string[] | undefined>;
  /** Whether a file stands at a path of the repository now. */
  readonly isInWorkTree: (path: string) => boolean;
  /** Whether a commit of HEAD is at the remote, as far as this clone knows; `unknown` without a remote or a branch. */
  readonly isPushed: () => Promise<"yes" | "no" | "unknown">;
  /** The first parent of HEAD: `none` for a first commit, `unknown` in a shallow clone. */
  readonly parent: () => Promise<{ readonly commit: string } | "none" | "unknown">;
}

/** The inventory of one target and its lock, opened for one command. Nothing here throws for what git, a disk or another run does. */
export interface OpenInventory extends ManifestRepository {
  /** For messages: `refs/hostform/agency-main-1a2b3c4d5e6f in /path`, `file inv.json`, or `none: …`. */
  readonly where: string;
  /** Undefined where none is kept. */
  readonly place: () => InventoryPlace | undefined;
  /** False where none is kept, so that nothing is ever known to be ours. */
  readonly keeps: boolean;
  /** `user@host`, or the CI job: what to write as `by`. */
  readonly by: string;
  /** The API of this command, as an apply writes it down. */
  readonly api?: AppliedBy["api"];
  /** Fetches and reads. `planned`: the commit of a saved plan, which counts in place of HEAD where a later commit was applied since. */
  readonly read: (planned?: string) => Promise<ReadInventory>;
  /** Takes the lock of the target: before `read`, so that nothing is planned from what another apply is changing. */
  readonly lock: (wish: LockWish) => Promise<TakenLock>;
  /**
   * Returns the apply that keeps this run out now; undefined if none is known to. Takes nothing. `not_ended`: it has not ended as far as this
   * clone knows, and the lock that the other runners use cannot be read.
   */
  readonly holder: () => Promise<{ readonly is: "held" | "not_ended"; readonly by: LeaseHolder } | undefined>;
  /**
   * Writes `next`, what was ours and what is about to be made, with the mark of this apply. Take the lock and call `read` first; what that
   * found is replaced or nothing is.
   */
  readonly begin: (next: Inventory, commit?: string) => Promise<WroteInventory>;
  /** Writes down the requests of this apply so far that must not be repeated blindly, before the last of them is sent. What cannot be written is left. */
  readonly countOnce: (sent: readonly Unconfirmed[]) => Promise<void>;
  /** Writes `next` in place of what `begin` wrote, without the mark; `next.running` only where another's is put back. After a take-over, only what this run added and removed. */
  readonly finish: (next: Inventory, subject: string) => Promise<readonly Diagnostic[]>;
  /** The mark of this apply, after `finish` could not take it away in each place. */
  readonly staying: () => RunningApply | undefined;
  /** Replaces the unconfirmed requests in what `finish` has written. What cannot be written is left: the next apply looks again. */
  readonly confirm: (unconfirmed: readonly Unconfirmed[]) => Promise<void>;
  /** Changes the inventory outside an apply, under the lock. `force`: though another apply holds that, which it loses, unless it lives on this machine. */
  readonly edit: (
    change: (inventory: Inventory) => Inventory,
    subject: string,
    force?: boolean,
  ) => Promise<WroteInventory>;
  /** When an address entered and left, newest first; undefined where no history is kept. */
  readonly history: (address: Address) => Promise<readonly InventoryEvent[] | undefined>;
  /** The applies back to the last one of the whole manifest, newest first; undefined where no history is kept. */
  readonly appliesToWhole: () => Promise<readonly AppliedBy[] | undefined>;
  readonly close: () => Promise<void>;
}
