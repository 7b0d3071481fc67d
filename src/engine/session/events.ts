import type { FlagsToRepeat } from "../../saved-plans/flags-to-repeat.ts";
import type { Begin, HeldRecord, SentIntent } from "../../model/journal.ts";
import type { RecoveredOutcome } from "../../journal/resolve-in-flight.ts";
import type { Attempt, Wait } from "../../model/attempt.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { ContractSummary } from "../../model/contract-summary.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import type { ProbeReport } from "../../model/doctor.ts";
import type { Declaration, Explanation } from "../../model/explanation.ts";
import type { Failure } from "../../model/failure.ts";
import type {
  AppliedBy,
  InventoryEvent,
  Inventory,
  InventoryPlace,
  LeaseHolder,
  LostLock,
  RunningApply,
} from "../../model/inventory.ts";
import type { Change, Plan, Step, StepId, Target } from "../../model/plan.ts";
import type { Rehearsal } from "../../model/rehearsal.ts";
import type { Outcome, PutBack, Report } from "../../model/report.ts";
import type { CollectionId } from "../../model/resource.ts";
import type { JsonObject } from "../../model/json.ts";
import type { CannotUndo, SavedPlan } from "../../model/saved-plan.ts";
import type { StatusRow } from "../../model/status-row.ts";

/** Something that happened while the engine worked. Events arrive in the order in which things happened. */
export type EngineEvent =
  | { readonly type: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  /** `rest`: of the plan in a file, the steps that are not done. */
  | { readonly type: "plan"; readonly plan: Plan; readonly rest?: boolean }
  /** The API that the next requests go to; before any of them. `variables`: those whose values come from outside the manifest. */
  | { readonly type: "target"; readonly target: Target; readonly variables?: Plan["variables"] }
  /** Lists known so far, and how many of them are read. */
  | { readonly type: "reading_lists"; readonly total: number; readonly done: number }
  /** Steps of a run, how many of them have ended, and the milliseconds since it began. */
  | { readonly type: "applying"; readonly total: number; readonly done: number; readonly milliseconds: number }
  | { readonly type: "step_start"; readonly step: Step }
  /** A step that takes long is still running. */
  | { readonly type: "step_running"; readonly step: Step; readonly milliseconds: number }
  | { readonly type: "step_end"; readonly step: Step; readonly outcome: Outcome; readonly milliseconds: number }
  /** The ends of objects that an earlier apply had deleted to make room for others. */
  | { readonly type: "put_backs"; readonly putBacks: readonly PutBack[] }
  | { readonly type: "report"; readonly report: Report }
  | { readonly type: "rehearsal"; readonly rehearsal: Rehearsal }
  | {
      readonly type: "explanation";
      readonly explanation: Explanation;
      readonly declaration: Declaration | undefined;
      /** Whether the plan has an error of the resource, which keeps it from a step. */
      readonly hasErrors: boolean;
    }
  /** A contract file that has no mistake. */
  | { readonly type: "contract_checked"; readonly file: string; readonly summary: ContractSummary }
  /** A manifest, as YAML, with its templates and variables put in. */
  | { readonly type: "rendered"; readonly manifest: string }
  /** A whole contract, with what it extends. */
  | { readonly type: "contract"; readonly contract: Contract }
  /** The comparison of a contract with the answers of its API. */
  | { readonly type: "doctor"; readonly report: ProbeReport }
  /** A zone that a manifest declares, as a zone file. */
  | { readonly type: "zone_file"; readonly zone: string; readonly text: string }
  | { readonly type: "status"; readonly rows: readonly StatusRow[] }
  /** The live resources that a manifest does not name. `isWhole`: whether each list of the account was read to its end. */
  | {
      readonly type: "unmanaged";
      readonly lists: readonly UnmanagedList[];
      readonly isWhole: boolean;
      /** Requests beyond those of the plan. */
      readonly reads: number;
      /** Live resources that only a pattern under `ignore:` names. */
      readonly ignored: number;
    }
  /** The API could not be used at all. */
  | { readonly type: "failure"; readonly failure: Failure }
  /** One attempt at a request ended; only with `debug`. */
  | { readonly type: "attempt"; readonly attempt: Attempt }
  | Notice
  | Finding;

/** The resources of one list that a manifest does not name. The values are the `before` of each change. */
export interface UnmanagedList {
  readonly collection: CollectionId;
  readonly isWhole: boolean;
  readonly resources: readonly { readonly address: Address; readonly values: readonly Change[] }[];
}

/** The parts of a plan, in their order. `start`: from the start of the process; `render`: also the plan's hash and its files. */
export type PlanPart = "start" | "parse" | "validate" | "reads" | "diff" | "order" | "render";

/** An event that is one sentence for a person. `render/notice-text.ts` has the sentences. */
export type Notice =
  | { readonly type: "valid"; readonly resources: number; readonly files: readonly string[] }
  /** `declined`: the person who was asked did not approve. `nothing_sent`: the run was stopped before it sent a write. */
  | { readonly type: "cancelled"; readonly why: "interrupted" | "declined" | "nothing_sent" }
  | { readonly type: "stopping" }
  | { readonly type: "waiting_for_server"; readonly wait: Wait }
  /** A list may not show yet what the last apply, which was interrupted, has created or deleted. */
  | { readonly type: "waiting_for_list"; readonly why: "created" | "deleted"; readonly milliseconds: number }
  /** The values of these fields, from before the last apply, which was interrupted, are taken from the journal. */
  | { readonly type: "carried"; readonly address: Address; readonly fields: readonly string[] }
  | {
      readonly type: "lock_waiting";
      readonly by: LeaseHolder | undefined;
      /** Milliseconds. */
      readonly waited: number;
      /** Seconds. */
      readonly timeout: number;
    }
  | InFlightNotice
  | { readonly type: "held"; readonly address: Address; readonly successor: Address }
  /** An earlier apply has deleted it, and it has left the inventory since. `record`: what it was, without secrets. */
  | {
      readonly type: "not_put_back";
      readonly address: Address;
      readonly successor: Address;
      readonly record: JsonObject;
    }
  /** `hash`: short. `begun`: when the approved plan began to run, ISO 8601. */
  | { readonly type: "remainder"; readonly hash: string; readonly begun: string }
  | { readonly type: "satisfied"; readonly step: StepId }
  | ({ readonly type: "cannot_undo" } & CannotUndo)
  | { readonly type: "rehearsing"; readonly cuts: number; readonly total: number }
  | { readonly type: "not_rehearsed" }
  | { readonly type: "not_converged" }
  | { readonly type: "pending"; readonly address: Address; readonly reason: string }
  /** Milliseconds of each part. */
  | { readonly type: "timings"; readonly parts: Readonly<Partial<Record<PlanPart, number>>>; readonly total: number }
  /** `refused`: the plan cannot be applied as it is. */
  | { readonly type: "plan_saved"; readonly path: string; readonly refused: boolean }
  | { readonly type: "undo_saved"; readonly path: string; readonly hash: string }
  | { readonly type: "saved_plan"; readonly path: string; readonly undo: boolean }
  /** The consent that a saved plan carries. */
  | { readonly type: "allowed"; readonly consent: SavedPlan["consent"] }
  | { readonly type: "no_match"; readonly pattern: string }
  /** A list that could not be read to its end; `address`: it is not known whether that exists. */
  | { readonly type: "incomplete_read"; readonly what: string; readonly address?: Address }
  | {
      readonly type: "snapshot";
      readonly file: string;
      readonly taken_at: string;
      readonly objects: number;
      readonly lists: number;
      readonly redacted: number;
      readonly reads: number;
    }
  /** The contract was written to a file, with `taken` marks `assumed` less. */
  | {
      readonly type: "imported";
      /** The folder or file that was written. */
      readonly place: string;
      readonly files: number;
      readonly resources: number;
      /** Values, resources and lists that are not in the manifest. */
      readonly left_out: number;
      /** Whether the manifest is new, so that comments in it say what is left out. */
      readonly is_new: boolean;
      readonly reads: number;
    }
  | {
      readonly type: "initialised";
      readonly folder: string;
      /** Files beside the folder that were written, or got lines. */
      readonly files: readonly string[];
      /** Files beside the folder that were there already, and stay as they are. */
      readonly kept: readonly string[];
      readonly imported: boolean;
      /** Whether the manifest names the API. */
      readonly has_base_url: boolean;
      /** Workflows that apply other manifests, and not this one; absent if there are none. */
      readonly elsewhere?: readonly { readonly file: string; readonly applies: readonly string[] }[];
      /** Workflows that apply this manifest, too, beside the new one; absent if there are none. */
      readonly twice?: readonly string[];
    }
  /** Imported resources that become ours with the next apply. */
  | { readonly type: "not_owned"; readonly count: number }
  /** Existing resources that this apply has put into the inventory. `kept`: where that is, as far as the write went. */
  | ({ readonly type: "taken_over"; readonly count: number } & InventoryPlace)
  | { readonly type: "reading"; readonly reads: number }
  | {
      readonly type: "inventory";
      readonly where: string;
      readonly count: number;
      readonly lastApply: Inventory["lastApply"];
      readonly running: RunningApply | undefined;
    }
  | { readonly type: "inventory_address"; readonly address: Address; readonly preventDestroy: boolean }
  | {
      readonly type: "inventory_why";
      readonly address: Address;
      readonly ours: boolean;
      readonly where: string;
      readonly hasHistory: boolean;
    }
  | ({ readonly type: "inventory_event"; readonly address: Address } & InventoryEvent)
  | { readonly type: "inventory_undeclared"; readonly address: Address }
  | {
      readonly type: "inventory_changed";
      readonly adopted: readonly Address[];
      readonly forgotten: readonly Address[];
      readonly where: string;
    }
  | {
      readonly type: "inventory_unlocked";
      /** Absent if there was no lock. */
      readonly lock?: { readonly by: string | undefined; readonly since: string | undefined };
    }
  | { readonly type: "inventory_held"; readonly running: LeaseHolder | undefined }
  | { readonly type: "inventory_moved" };

/** An event that is a mistake, or a warning. `render/finding-text.ts` has the sentences. */
export type Finding =
  /** Lists show these objects `milliseconds` after the server answered that they are deleted. `journal`: the file that holds them. */
  | {
      readonly type: "still_listed";
      readonly left: readonly HeldRecord[];
      readonly milliseconds: number;
      readonly journal: string;
    }
  /** The values of these fields were taken away by the last apply, and are lost. */
  | { readonly type: "not_carried"; readonly address: Address; readonly fields: readonly string[] }
  /** A manifest names another API, or another way to it, than the flags and variables do. */
  | { readonly type: "settings_overridden"; readonly overridden: readonly Overridden[] }
  /** A journal was named, and is not kept: the embedded service ends with the command. */
  | { readonly type: "journal_not_used" }
  /** Another process of this machine holds the lock file of the target. */
  | { readonly type: "locked_here"; readonly by: RunningApply | undefined; readonly file: string }
  /** `unwatched`: whether this run has waited too short to tell a dead holder from a living one. `reason`: why the lock could not be taken besides. */
  | {
      readonly type: "locked";
      readonly by: LeaseHolder | undefined;
      readonly where: string;
      readonly unwatched: boolean;
      readonly reason?: string | undefined;
    }
  /** The lock was free, but the inventory has the mark of an apply that has not ended, whose lock cannot be read. */
  | { readonly type: "not_ended"; readonly by: LeaseHolder | undefined; readonly where: string }
  | { readonly type: "lock_lost"; readonly lost: LostLock; readonly where: string }
  /** Another run has changed the inventory since it was read. */
  | { readonly type: "overtaken"; readonly by: AppliedBy | undefined; readonly where: string }
  | { readonly type: "journal_unreadable"; readonly path: string; readonly reason: string }
  /**
   * The plan is neither the approved one nor the rest of it. `hash`: short; undefined where the plan is refused. `differences`: from the
   * rest of it. `flags`: those that may be why.
   */
  | {
      readonly type: "plan_changed";
      readonly approved: string;
      readonly hash: string | undefined;
      readonly flags: FlagsToRepeat;
      readonly differences: readonly Diagnostic[];
    }
  /** A file holds another plan than the approved one. `hash`: short. */
  | { readonly type: "other_plan"; readonly path: string; readonly approved: string; readonly hash: string }
  /** A file of a plan is not as it was saved: `stated` is the hash that it gives, `hash` that of its content. */
  | { readonly type: "altered_plan"; readonly path: string; readonly hash: string; readonly stated: string };

/** A setting of a manifest that counts for nothing, because a flag or a variable (`place`) has another value. */
export interface Overridden {
  readonly setting: "base_url" | "contract" | "ca_file";
  readonly written: string;
  readonly used: string;
  readonly place: string;
  readonly at: Position | undefined;
}

/** Receives each event as it happens. */
export type Emit = (event: EngineEvent) => void;

/** One write of an interrupted apply, and what became of it. */
export interface InFlightNotice {
  readonly type: "in_flight";
  readonly intent: SentIntent;
  /** Of the object that the write is known to have made. */
  readonly id?: string;
  readonly fate: RecoveredOutcome;
  /** The apply that sent it. */
  readonly begin: Begin;
  /** False if that apply was interrupted. */
  readonly ended: boolean;
  /** Present if nothing can be changed before a person has checked whether the write was done. */
  readonly blockedBy?: BlockedBy;
}

/** The file or inventory that remembers a write of an interrupted apply. */
export interface BlockedBy {
  /** The file of the journal that holds it. */
  readonly journal: string;
  /** Whether the inventory has the mark of the apply. */
  readonly lock: boolean;
  /** Whether the inventory holds the request. */
  readonly inventory: boolean;
}
