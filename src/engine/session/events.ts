import { findingDiagnostics, isFinding, type Finding } from "../../messages/findings.ts";
import { inFlightDiagnostic } from "../../messages/in-flight.ts";
import type { Notice } from "../../messages/notices.ts";
import type { Attempt } from "../../model/attempt.ts";
import type { Address } from "../../model/address.ts";
import type { Contract } from "../../model/contract.ts";
import type { ContractSummary, ProbeReport } from "../../model/contract-summary.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Drift } from "../../model/drift.ts";
import type { Declaration, Explanation } from "../../model/explanation.ts";
import type { Failure } from "../../model/failure.ts";
import type { Change, Plan, Step, Target } from "../../model/plan.ts";
import type { Rehearsal, Outcome, PutBack, Report, StatusRow } from "../../model/report.ts";
import type { CollectionId } from "../../model/resource.ts";
import type { Verification } from "../../verify/verification.ts";

/** Something that happened while the engine worked. Events arrive in the order in which things happened. */
export type EngineEvent =
  | { readonly type: "diagnostics"; readonly diagnostics: readonly Diagnostic[] }
  /** `rest`: of the plan in a file, the steps that are not done. `isOwnedBefore`: whether an apply leaves what is ours and its marks as they are. */
  | { readonly type: "plan"; readonly plan: Plan; readonly rest?: boolean; readonly isOwnedBefore?: boolean }
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
  | { readonly type: "drift"; readonly drift: Drift }
  /** What name servers do not answer as declared, so far. */
  | { readonly type: "verifying"; readonly waiting: Verification["mismatches"] }
  | { readonly type: "verification"; readonly verification: Verification }
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

/** Receives each event as it happens. */
export type Emit = (event: EngineEvent) => void;

/**
 * Returns the diagnostics that an event carries or stands for; undefined for an event that is none.
 * @param inventory the command that changes the inventory. Default: without the flags of the run.
 */
export function diagnosticsOf(event: EngineEvent, inventory?: string): readonly Diagnostic[] | undefined {
  if (event.type === "diagnostics") return event.diagnostics;
  if (event.type === "in_flight") return event.blockedBy && [inFlightDiagnostic(event, event.blockedBy, inventory)];
  return isFinding(event) ? findingDiagnostics(event, inventory) : undefined;
}
