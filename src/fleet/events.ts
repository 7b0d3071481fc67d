import type { Ending } from "../engine/session/host.ts";
import type { ChangeGroup } from "./runs/group-changes.ts";
import type { AccountState, Run, RunAccount, RunKind, RunState, StopReason } from "./model.ts";

/** Numbers of accounts by state. */
export type StateSums = Readonly<Partial<Record<AccountState, number>>>;

/** A command begins a run, or goes on with it. */
export interface RunStarted {
  readonly type: "run_started";
  readonly run: string;
  readonly kind: RunKind;
  readonly accounts: number;
  /** An earlier command began it. */
  readonly resumed: boolean;
  /** The run that made its plans, if that was begun before. `newer`: accounts whose manifests are others by now, so that it does not apply these. */
  readonly plans?: { readonly run: string; readonly created: string; readonly newer: readonly string[] };
}

/** Something that happened in a run of a fleet. A wave is counted from 1. */
export type FleetEvent =
  | RunStarted
  | ({
      readonly type: "account_ended";
      readonly run: string;
      /** ISO 8601; of a run in the past. */
      readonly at?: string;
      readonly kind?: RunKind;
      readonly by?: string;
    } & Pick<RunAccount, "account" | "state" | "ending" | "counts" | "why">)
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
      /** A run of plans has ended, and waits for an apply of its hash. */
      readonly kind: RunKind;
      /** Absent where nobody is to approve it. */
      readonly hash?: string;
      /** Those unlike the rest first. */
      readonly groups: readonly ChangeGroup[];
    }
  | { readonly type: "run_stopped"; readonly run: string; readonly reason: StopReason }
  | {
      readonly type: "run_ended";
      readonly run: string;
      readonly kind: RunKind;
      readonly state: RunState;
      readonly sums: StateSums;
      readonly ending: Ending;
    }
  /** Somebody approved or cancelled a run. `ended`: it was over, so that nothing was done. `hash`: of its plans. */
  | ({
      readonly type: "run_approved" | "run_cancelled";
      readonly run: string;
      readonly ended: boolean;
    } & Pick<Run, "kind" | "state" | "hash">)
  /** A worker cannot reach the database, and tries again. */
  | { readonly type: "database_lost"; readonly reason: string }
  /** Jobs wait, and no worker has taken one for some time. */
  | { readonly type: "workers_missing"; readonly run: string; readonly jobs: number }
  /** An API asked for a pause: nothing is sent to it for so many seconds. */
  | { readonly type: "api_paused"; readonly run: string; readonly host: string; readonly seconds: number }
  /** A worker gave a job back, which `why` names, or ended without a word: another worker may do it. */
  | { readonly type: "job_returned"; readonly run: string; readonly account: string; readonly why: string };
