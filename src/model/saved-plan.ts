import type { Address } from "./address.ts";
import type { Position } from "./diagnostic.ts";
import type { Contract } from "./contract.ts";
import type { AppliedBy } from "./inventory.ts";
import type { SavedRefusal } from "../messages/refusals.ts";
import type { Outage, Plan, Step, StepId, Target } from "./plan.ts";
import type { CollectionId, Fields, Key, LiveCollection, PreparedLive, Resource, TemplatePart } from "./resource.ts";

/** The source of a value. `unset`: the secret was not known when the plan was made. */
export interface SavedSource {
  readonly parts: readonly TemplatePart[];
  readonly sensitive: boolean;
  readonly unset?: true;
}

/** A body as a file may hold it: a value that is not written in the manifest as it is stands only as where it comes from. */
export interface SavedBody {
  readonly fields: Fields;
  /** Values as they are sent, if that is not their normal form. */
  readonly written?: Fields;
  readonly late: Readonly<Record<string, SavedSource>>;
}

/** A resource that the steps of a saved plan bring about. */
export interface SavedResource extends SavedBody, Pick<Resource, "address" | "key" | "lifecycle" | "at"> {
  readonly members?: readonly SavedBody[];
  /** Fields that the manifest does not write, and that keep their live value although the resource is created again. */
  readonly carried?: readonly string[];
}

/** One live object as a file holds it: neither its id nor its record, and no secret. */
export interface PinnedObject {
  readonly fields: Fields;
  /** A fingerprint of its id, if the plan deletes it. */
  readonly id?: string;
  /** The secret fields, each with the template of the declared value that it equals; "" if it equals none. */
  readonly hidden?: Readonly<Record<string, string>>;
  /** The fields that the snapshot redacted from which the plan was made. */
  readonly redacted?: readonly string[];
}

/** The live state under one address when the plan was made. */
export interface PinnedResource {
  readonly address: Address;
  /** Its key, where the server has given it another name than its address says. */
  readonly key?: Key;
  readonly objects: readonly PinnedObject[];
}

/** A list that the live state comes from. */
export interface PinnedList extends Pick<LiveCollection, "id" | "incomplete" | "isMissing"> {
  /** The parameters of the contract that were found. */
  readonly lookups?: readonly string[];
}

/** A resource that must be there. `fields`: those by which one is found that has no name on the server. */
export interface SavedNeed extends Pick<Resource, "address" | "key"> {
  readonly fields?: Fields;
}

/** The place of a step, which follows from more than the file holds: its predecessors and the outages that no order avoids. */
export interface SavedPlace {
  readonly step: StepId;
  readonly after: readonly StepId[];
  readonly gaps?: readonly Outage[];
}

/**
 * A plan that can be shown, approved and applied later, elsewhere (schemas/plan.schema.json): the input of the planner, cut to what the
 * plan touches and needs. Whoever shows the file plans that input; whoever applies it reads afresh, and plans again with the live state of now.
 * It holds no ids (of deletions a fingerprint), no etags and no secrets.
 */
export interface PlanFile {
  /** Of format 2 only a file without refusals is read: it held words. */
  readonly format: 2 | 3;
  /** The clock of the plan: it decides about renewals. */
  readonly created_at: string;
  /** Over the target, the steps and what is allowed, `sha256:` and 64 digits; it is never believed, only compared. */
  readonly hash: string;
  /** Over all other members of the file, in the same form: an altered file is refused also where the hash does not cover the member. */
  readonly digest: string;
  /** `contractHash`: of a contract that a file holds; absent for one that is built in. */
  readonly target: Target & { readonly contractHash?: string };
  /** That contract: `show` plans with it. An apply takes its own, which must have the same hash. */
  readonly contract?: Contract;
  /** The manifest in git: later plans are compared with it once this one is applied. Without files: an undo, or a plan of some addresses. */
  readonly source?: ManifestSource;
  /** True where applying it takes another plan back. */
  readonly undo?: boolean;
  readonly consent: Readonly<Record<"deletes" | "purchases" | "retries" | "rotations", readonly Address[]>>;
  readonly protect: readonly string[];
  readonly resources: readonly SavedResource[];
  readonly removals: readonly { readonly address: Address; readonly at?: Position }[];
  /** Declared resources that must be there, and are not touched: those of the steps; of an undo all that it does not touch. */
  readonly needs: readonly SavedNeed[];
  /** Addresses that the inventory does not hold: an object with a longer name is not taken for them. */
  readonly others?: readonly Address[];
  readonly live: readonly PinnedResource[];
  readonly lists: readonly PinnedList[];
  readonly order: readonly SavedPlace[];
  /** They follow from the whole, of which the file holds a part. */
  readonly refusals: readonly SavedRefusal[];
  /** Of the addresses that are deleted or bought: those that are ours, and those whose entry under `removed:` was carried out before. */
  readonly standing?: { readonly ours: readonly Address[]; readonly carried_out: readonly Address[] } | undefined;
  /** Changes of the inventory that the steps do not show; of an undo all of them. */
  readonly ownership?: SavedOwnership | undefined;
  /** Losses that an undo cannot bring back, each with its reason. */
  readonly cannot_undo?: readonly CannotUndo[];
}

/** A plan file before it is sealed. */
export type UnsealedFile = Omit<PlanFile, "hash" | "digest">;

/** A plan file with what follows from it: its steps, and the live state that they lead from, with stand-ins for secrets and for ids. */
export interface SavedPlan extends PlanFile {
  readonly steps: readonly Step[];
  readonly was: PreparedLive;
}

/** Manifest files of a commit, relative to the repository's top folder. */
export interface ManifestSource extends Pick<AppliedBy, "dirty" | "manifests"> {
  readonly commit: string;
  /** Addresses to which the commit is not applied: they would change too, and were not selected. */
  readonly left_out?: readonly Address[] | undefined;
}

/**
 * Changes of the inventory: addresses, marks of `prevent_destroy`, exclusive collections and marks of secret fields that enter it, or leave it.
 * `adopts` and `lasting` are shown, and decide nothing.
 */
export interface SavedOwnership extends Pick<Plan, "adopts" | "lasting"> {
  readonly ours: readonly Address[];
  readonly not_ours: readonly Address[];
  readonly prevent_destroy: readonly Address[];
  readonly not_prevent_destroy: readonly Address[];
  readonly exclusive: readonly CollectionId[];
  readonly not_exclusive: readonly CollectionId[];
  /** As `ADDRESS FIELD`. */
  readonly secret_fields?: readonly string[];
  readonly not_secret_fields?: readonly string[];
  /** Entries under `removed:` that are carried out then, and those that the manifest does not have any more. */
  readonly removed?: readonly Address[];
  readonly not_removed?: readonly Address[];
  /** Addresses that left the manifest without having been ours, and are given up or gone then. */
  readonly forgotten?: readonly Address[];
}

export interface CannotUndo {
  readonly address: Address;
  readonly reason: string;
}
