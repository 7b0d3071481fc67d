import type { WhyNoConsent } from "../messages/refusals.ts";
import type { Address } from "./address.ts";
import type { Contract } from "./contract.ts";
import type { Inventory, MissedApply } from "./inventory.ts";
import type { Target } from "./plan.ts";
import type { CollectionId, Desired, Live } from "./resource.ts";

/** The permissions of a run beyond the ordinary: addresses named on the command line. */
export interface Consent {
  readonly deletes: ReadonlySet<Address>;
  readonly purchases: ReadonlySet<Address>;
  /** `SCOPE=N`: of a kind (`cron`), a pattern of addresses, or all under a service or domain, exactly that many may be deleted. */
  readonly deleteCounts: ReadonlyMap<string, number>;
  /** Resources that failed on the server and are to be asked for again. */
  readonly retries: ReadonlySet<Address>;
  /** Resources whose write-only fields are to be sent again. */
  readonly rotations: ReadonlySet<Address>;
  /** Deletions are allowed though the last apply was of a commit that this one does not contain. */
  readonly rollback: boolean;
}

/** No consent: the value when no flag grants any. */
export const nothingAllowed: Consent = {
  deletes: new Set(),
  purchases: new Set(),
  deleteCounts: new Map(),
  retries: new Set(),
  rotations: new Set(),
  rollback: false,
};

/** The live resources that this manifest owns. */
export interface Ownership {
  /** Undefined where none is kept or none could be read: then nothing goes for not being declared. */
  readonly inventory:
    | Pick<Inventory, "addresses" | "preventDestroy" | "exclusive" | "secretFields" | "removed" | "unreached">
    | undefined;
  /** Collections whose request `after` an earlier apply has left unsent. Default: none. */
  readonly afterDue?: ReadonlySet<CollectionId> | undefined;
  /** In place of the inventory of a saved plan: addresses whose objects may bear a longer name on the server. */
  readonly names?: ReadonlySet<Address>;
  /** True where this commit does not contain that of the last apply: an old job run again, a force-push. */
  readonly rolledBack: boolean;
  /** The commit of that apply, where one is known; `there`, `base`: the declarations of its manifest and of the last commit before both. */
  readonly missed?: Omit<MissedApply, "base"> & {
    readonly there: Desired | undefined;
    readonly base: Desired | undefined;
  };
  /** True if two inventories disagree and neither has been chosen yet: then no undeclared resource is deleted, even with consent. */
  readonly isUndecided?: boolean;
  /** Addresses of which an entry under `removed:`, committed in HEAD, consents to the deletion. */
  readonly removals?: ReadonlySet<Address>;
  /** Addresses of the other entries that no apply has carried out so far, and why each does not count as consent. */
  readonly uncounted?: ReadonlyMap<Address, WhyNoConsent>;
  /** When an entry that was carried out was, ISO 8601, where that is known. */
  readonly carriedOut?: ReadonlyMap<Address, string>;
  /** Manifest files of the last apply that are still there and were not given to this run: they may declare what this one does not. */
  readonly manifestsLeftOut?: readonly string[];
  /** Those of them at whose path no file stands any more, though no commit deletes it. */
  readonly manifestsMissing?: readonly string[];
  /** True if the last apply had changes in its manifest that its commit does not hold: then `declaredThen` is not all that it applied. */
  readonly lastApplyDirty?: boolean;
  /** The resources that the manifest of the last apply declared at its commit, if that can still be read. */
  readonly declaredThen: Desired | undefined;
  /**
   * The addresses that the files of this run declared at the last apply of all of the manifest or of a part of it, and that no other file of
   * the manifest declares, if the commits can still be read.
   */
  readonly declaredLast?: ReadonlySet<Address> | undefined;
}

export const nothingOwned: Ownership = { inventory: undefined, rolledBack: false, declaredThen: undefined };

/** Which addresses a run is about: globs over whole addresses. Without `only`, all but those of `except`. */
export interface Selection {
  readonly only: readonly string[];
  readonly except: readonly string[];
  /** Whether `only` holds addresses, in which a `*` is the name of a wildcard, and no patterns. */
  readonly exact?: true;
}

export const everything: Selection = { only: [], except: [] };

/** Whether a run is about some addresses only. */
export const isPartial = ({ only, except }: Selection): boolean => only.length + except.length > 0;

/** All that a plan is made from. Nothing else is looked at: no network, no file, and the clock only as `now`. */
export interface PlanInput {
  readonly desired: Desired;
  readonly live: Live;
  readonly contract: Contract;
  readonly target: Target;
  readonly consent: Consent;
  readonly ownership: Ownership;
  readonly selection: Selection;
  /** Milliseconds since the epoch: what decides whether something is due to be renewed. */
  readonly now: number;
}
