import type { FlagsToRepeat } from "../../saved-plans/flags-to-repeat.ts";
import type { HeldRecord } from "../../model/journal.ts";
import type { Notice } from "../../messages/notices.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { ContractSummary } from "../../model/contract-summary.ts";
import type { Diagnostic, Position } from "../../model/diagnostic.ts";
import type { ProbeReport } from "../../model/doctor.ts";
import type { Declaration, Explanation } from "../../model/explanation.ts";
import type { Failure } from "../../model/failure.ts";
import type { AppliedBy, LeaseHolder, LostLock, RunningApply } from "../../model/inventory.ts";
import type { Change, Plan, Step, Target } from "../../model/plan.ts";
import type { Rehearsal } from "../../model/rehearsal.ts";
import type { Outcome, PutBack, Report } from "../../model/report.ts";
import type { CollectionId } from "../../model/resource.ts";
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
  | { readonly type: "altered_plan"; readonly path: string; readonly hash: string; readonly stated: string }
  | { readonly type: "plan_of_other_version"; readonly path: string; readonly contract: string };

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
