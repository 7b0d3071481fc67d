import type { Address } from "./address.ts";
import type { Position } from "./diagnostic.ts";
import type { Refusal } from "../messages/refusals.ts";
import type { Shown, Step } from "./plan.ts";
import type { CollectionId } from "./resource.ts";

/** The result of comparing one field. `differs` is what the plan changes; every other word leaves the live value as it is. */
export type Verdict =
  | "same"
  | "same_but_spelt_otherwise"
  | "differs"
  | "not_live"
  | "not_managed"
  | "write_only"
  | "read_only"
  | "not_sent"
  | "not_told"
  | "ignored_by_ignore_changes";

/** One field on both sides: as it is written and listed, and in the normal form that is compared. */
export interface ComparedField {
  readonly path: string;
  readonly written: Shown;
  readonly normal: Shown;
  readonly live: Shown;
  readonly liveNormal: Shown;
  readonly verdict: Verdict;
}

/** One remote object against what is desired of it. `member`: which of a set it is; undefined where the address stands for one object. */
export interface ComparedObject {
  readonly member?: Shown;
  readonly fields: readonly ComparedField[];
}

/** Another resource that has to do with this one, and how. */
export interface Relation {
  readonly how:
    | "needs"
    | "refers_to"
    | "comes_after"
    | "shares"
    | "is_needed_by"
    | "is_referred_to_by"
    | "comes_before";
  readonly address: Address;
  /** The field that is referred to, or the slot that both hold. */
  readonly through?: string;
  readonly declared: boolean;
  readonly live: boolean;
}

/** Why a live resource is left alone, or goes, though no manifest declares it. */
export interface Undeclared {
  readonly exclusive: boolean;
  readonly exclusiveAt?: Position;
  /** The `ignore` glob that names it. */
  readonly ignoredBy?: string;
  readonly platformOwned: boolean;
  /** Whether the inventory holds it; undefined where there is none. */
  readonly ours?: boolean;
  readonly removed?: "forget" | "delete";
}

export interface Explanation {
  readonly address: Address;
  readonly at?: Position;
  readonly live: boolean;
  readonly collection: CollectionId;
  /** Why its collection cannot be trusted to be whole. */
  readonly incomplete?: string;
  /** There where it is live and not declared. */
  readonly undeclared?: Undeclared;
  readonly objects: readonly ComparedObject[];
  readonly relations: readonly Relation[];
  /** The plan's steps for it, in the plan's order. */
  readonly steps: readonly Step[];
  readonly refusals: readonly Refusal[];
}

/** The commit that last changed some lines of a file. */
export interface LineCommit {
  readonly commit: string;
  readonly author: string;
  /** RFC 3339. */
  readonly time: string;
  readonly summary: string;
}

/** The declaration of a resource: its place, its lines, and their last change, if it is known. */
export interface Declaration {
  readonly at: Position;
  readonly lines: readonly { readonly number: number; readonly text: string }[];
  /** Lines that are not shown. */
  readonly more: number;
  /** `cut_off`: it is older than the history of this clone, which is shallow. */
  readonly lastChange?: LineCommit | "not_committed" | "cut_off";
}
