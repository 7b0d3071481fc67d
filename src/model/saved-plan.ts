import type { Address } from "./address.ts";
import type { Position } from "./diagnostic.ts";
import type { OnServerRejection, Refusal, Step, Target } from "./plan.ts";
import type { CollectionId, Fields, Key, Lifecycle, TemplatePart } from "./resource.ts";

/** A body as a file may hold it: a value that is not written in the manifest as it is stands only as where it comes from. */
export interface SavedBody {
  readonly fields: Fields;
  /** Values as they are sent, if that is not their normal form. */
  readonly written?: Fields;
  readonly late: Readonly<Record<string, { readonly parts: readonly TemplatePart[]; readonly sensitive: boolean }>>;
}

/** A resource that the steps of a saved plan bring about. */
export interface SavedResource extends SavedBody {
  readonly address: Address;
  readonly key: Key;
  readonly members?: readonly SavedBody[];
  readonly lifecycle?: Lifecycle;
  readonly at?: Position;
}

/** A step as it was shown and approved; of its `calls` only what tells how many there are of which sort. */
export interface SavedStep extends Omit<Step, "calls" | "on_refusal" | "reason"> {
  /** A word of `StepReason`. It decides nothing, and is not shown. */
  readonly reason: string;
  readonly calls: readonly SavedCall[];
  readonly on_refusal?: readonly SavedOnServerRejection[];
}

export interface SavedCall {
  readonly method: string;
  readonly path: string;
}

/** The fate of an object that is deleted for a step. Its record is read just before the deletion, so no value of it stands in the file. */
export type SavedOnServerRejection =
  | { readonly address: Address; readonly is: "put_back"; readonly calls: readonly SavedCall[] }
  | Extract<OnServerRejection, { readonly is: "lost" }>;

/** The writable fields of each object under an address as they were when the plan was made; without any, nothing was live. */
export interface Seen {
  readonly address: Address;
  readonly objects: readonly Fields[];
  /** Of an address that is deleted: a fingerprint of the id of each object, so that an object that was made since is not taken for it. */
  readonly ids?: readonly string[];
}

/**
 * A plan that can be shown, approved and applied later, elsewhere (schemas/plan.schema.json). It holds what is to be so, what was
 * approved and what was live, but no ids (of deletions a fingerprint), no etags and no secrets: whoever applies it reads afresh, and plans again from it.
 */
export interface SavedPlan {
  readonly format: 1;
  readonly created_at: string;
  /** Over the target, the steps and what is allowed, `sha256:` and 64 digits; it is never believed, only compared. */
  readonly hash: string;
  /** Over all other members of the file, in the same form: an altered file is refused also where the hash does not cover the member. */
  readonly digest: string;
  /** `contractHash`: of a contract that a file holds; absent for one that is built in. */
  readonly target: Target & { readonly contractHash?: string };
  /** The manifest in git: later plans are compared with it once this one is applied. Without files: an undo, or a plan of some addresses. */
  readonly source?: ManifestSource;
  /** True where applying it takes another plan back. */
  readonly undo?: boolean;
  readonly consent: {
    readonly deletes: readonly Address[];
    readonly purchases: readonly Address[];
    readonly retries: readonly Address[];
    readonly rotations: readonly Address[];
  };
  readonly protect: readonly string[];
  readonly resources: readonly SavedResource[];
  readonly removals: readonly { readonly address: Address; readonly at?: Position }[];
  /** Declared resources that must be there for the steps, and are not touched. */
  readonly needs: readonly { readonly address: Address; readonly key: Key }[];
  readonly steps: readonly SavedStep[];
  readonly seen: readonly Seen[];
  readonly refusals: readonly Refusal[];
  /** Of the addresses that are deleted or bought: those that are ours, and those whose entry under `removed:` was carried out before. */
  readonly standing?: { readonly ours: readonly Address[]; readonly carried_out: readonly Address[] } | undefined;
  /** Changes of the inventory that the steps do not show; of an undo all of them. */
  readonly ownership?: SavedOwnership | undefined;
  /** Losses that an undo cannot bring back, each with its reason. */
  readonly cannot_undo?: readonly CannotUndo[];
}

/** Manifest files of a commit, relative to the repository's top folder. */
export interface ManifestSource {
  readonly commit: string;
  /** True if the manifest had changes that the commit does not hold. */
  readonly dirty?: boolean;
  readonly manifests: readonly string[];
}

/** Changes of the inventory: addresses, marks of `prevent_destroy`, exclusive collections and marks of secret fields that enter it, or leave it. */
export interface SavedOwnership {
  readonly ours: readonly Address[];
  readonly not_ours: readonly Address[];
  readonly prevent_destroy: readonly Address[];
  readonly not_prevent_destroy: readonly Address[];
  readonly exclusive: readonly CollectionId[];
  readonly not_exclusive: readonly CollectionId[];
  /** As `ADDRESS FIELD`. */
  readonly secret_fields?: readonly string[];
  readonly not_secret_fields?: readonly string[];
}

export interface CannotUndo {
  readonly address: Address;
  readonly reason: string;
}
