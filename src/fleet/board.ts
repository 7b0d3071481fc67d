import type { Account, AccountState, Counts, Run, RunAccount, RunKind, StopReason } from "./model.ts";

/** The state of an account for people. `waiting`: its plan waits for approval. `never`: no apply of it is recorded. */
export type BoardState = AccountState | "waiting" | "never";

/** One account of `fleet status`. All times are ISO 8601. */
export interface BoardAccount extends Pick<Account, "name" | "owner" | "group"> {
  readonly state: BoardState;
  /** The drift check that first saw what differs now. */
  readonly driftSince?: string;
  /** One sentence: why it failed, was refused, moved, or waits. */
  readonly why?: string;
  /** Those of its last plan. */
  readonly counts?: Counts;
  readonly planned?: string;
  readonly applied?: string;
  readonly driftChecked?: string;
}

/** The end of one account in one run. */
export interface HistoryEntry extends Pick<RunAccount, "state" | "ending" | "counts" | "why"> {
  readonly run: string;
  readonly kind: RunKind;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
}

/** The content of the page of one account, beside its row. */
export interface AccountDetails {
  /** JSON of a Plan: masked, as it is printed. */
  readonly plan?: string;
  /** JSON of a Drift. */
  readonly drift?: string;
  /** The newest first. */
  readonly history: readonly HistoryEntry[];
}

/** A run that waits for approval or for workers, or was stopped. */
export type OpenRun = Pick<Run, "id" | "kind" | "created" | "createdBy" | "hash"> & {
  readonly stopped?: StopReason;
  readonly state: "waiting" | "stopped" | "planning" | "applying";
  /** Accounts with changes; while it is `planning` or `applying`, those that are not done. */
  readonly accounts: number;
};

/** The state of a fleet, for `fleet status`. */
export interface Board {
  /** The name of the fleet. */
  readonly fleet: string;
  /** ISO 8601. */
  readonly madeAt: string;
  readonly accounts: readonly BoardAccount[];
  readonly runs: readonly OpenRun[];
}
