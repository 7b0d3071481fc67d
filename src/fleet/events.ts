import type { Ending } from "../engine/session/ending.ts";
import type { Change, Step } from "../model/plan.ts";
import type { AccountState, Counts, RunKind, RunState, StopReason } from "./model.ts";

/** Numbers of accounts by state. */
export type StateSums = Readonly<Partial<Record<AccountState, number>>>;

/** Why a run is stopped. `wave`: 0 is the first; undefined where it was stopped before any. */
export type StopCause = Omit<StopReason, "wave"> & { readonly wave?: number };

/** Accounts whose plans make the same changes, but for their own names. */
export interface ChangeGroup {
  readonly accounts: readonly string[];
  readonly changes: readonly SharedChange[];
}

/** A change with `<domain>` and `<account>` for the names of each account. */
export interface SharedChange extends Pick<Step, "action" | "replaces" | "purchase"> {
  readonly address: string;
  readonly changes: readonly Pick<Change, "path" | "before" | "after">[];
  /** Other resources that are deleted with it. */
  readonly takesAlong: readonly string[];
  /** Whether it deletes, reroutes, interrupts or costs something. */
  readonly isDanger: boolean;
}

/** Something that happened in a run of a fleet. A wave is counted from 1. */
export type FleetEvent =
  | {
      readonly type: "run_started";
      readonly run: string;
      readonly kind: RunKind;
      readonly accounts: number;
      /** An earlier command began it. */
      readonly resumed: boolean;
    }
  | {
      readonly type: "account_ended";
      readonly run: string;
      readonly account: string;
      readonly state: AccountState;
      readonly ending?: Ending;
      readonly counts?: Counts;
      readonly why?: string;
    }
  | {
      readonly type: "wave_started";
      readonly run: string;
      readonly wave: number;
      readonly waves: number;
      readonly accounts: number;
    }
  | { readonly type: "wave_ended"; readonly run: string; readonly wave: number; readonly sums: StateSums }
  | {
      readonly type: "run_waiting";
      readonly run: string;
      readonly hash: string;
      /** Those unlike the rest first. */
      readonly groups: readonly ChangeGroup[];
    }
  | { readonly type: "run_stopped"; readonly run: string; readonly reason: StopCause }
  | {
      readonly type: "run_ended";
      readonly run: string;
      readonly kind: RunKind;
      readonly state: RunState;
      readonly sums: StateSums;
      readonly ending: Ending;
    }
  /** Jobs wait, and no worker has taken one for some time. */
  | { readonly type: "workers_missing"; readonly run: string; readonly jobs: number }
  /** A worker gave a job back: another worker may do it. */
  | {
      readonly type: "job_returned";
      readonly run: string;
      readonly account: string;
      readonly worker: string;
      readonly why: string;
    };
