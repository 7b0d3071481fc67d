import type { Ending } from "../engine/session/host.ts";

/**
 * The source of the API key of an account: a variable, a file relative to fleet.yaml, or a command that the runner allows by its name.
 * It is read at the worker, and stands nowhere else.
 */
export type KeySource = { readonly env: string } | { readonly file: string } | { readonly exec: string };

/** The hours in which an account may be changed, in a time zone. */
export interface Window {
  /** 0 for Sunday to 6; every day where it is empty. */
  readonly days: readonly number[];
  /** Minutes since midnight; `to` may lie before `from`: then the window ends on the next day. */
  readonly from: number;
  readonly to: number;
  /** An IANA name, such as `Europe/Berlin`. */
  readonly timeZone: string;
}

/** One account of a fleet. */
export interface Account {
  /** Its own in the fleet: the folder relative to fleet.yaml, or the name that it is given. */
  readonly name: string;
  /** Absolute paths of its manifests: its folder, then shared templates. */
  readonly manifests: readonly string[];
  readonly baseUrl?: string;
  /** The name of one that is built in, or an absolute path. */
  readonly contract?: string;
  readonly caFile?: string;
  /** Default: `HOSTFORM_API_KEY` of the worker, which fleet.yaml names for an account without a key. */
  readonly key?: KeySource;
  readonly group?: string;
  /** Whose turn it is counts by owner; default: the account's own name. */
  readonly owner: string;
  readonly window?: Window;
  /** Names of accounts that are applied before it. */
  readonly needs: readonly string[];
  /** Values of variables; a manifest that defines no variable of a name leaves it, as it does `HOSTFORM_VAR_NAME`. */
  readonly variables: Readonly<Record<string, string | number | boolean | readonly (string | number | boolean)[]>>;
}

/** A fleet.yaml that was read. */
export interface Fleet {
  readonly name: string;
  /** Absolute path of fleet.yaml. */
  readonly file: string;
  readonly accounts: readonly Account[];
}

export type RunKind = "plan" | "drift" | "apply";

/** `waiting`: for approval. `stopped`: by failures in a wave; `--continue` goes on. */
export type RunState = "planning" | "waiting" | "applying" | "stopped" | "done" | "cancelled";

/**
 * `queued`: a job waits, or `running`. `clean`: no changes. `changed`: it has a plan that is not applied yet. `moved`: its plan is not the
 * approved one any more. `left_out`: more deletions than allowed. `blocked`: an account that it needs failed. `later`: its window is shut.
 */
export type AccountState =
  | "queued"
  | "running"
  | "clean"
  | "changed"
  | "drifted"
  | "applied"
  | "failed"
  | "refused"
  | "not_converged"
  | "moved"
  | "left_out"
  | "blocked"
  | "later"
  | "cancelled";

/** The numbers of a plan, or of an apply. */
export interface Counts {
  readonly create: number;
  readonly update: number;
  readonly delete: number;
  readonly replace: number;
}

/** The accounts that a wave takes: a number, a share of all, names, or the rest. */
export type Wave =
  | { readonly accounts: number }
  | { readonly share: number }
  | { readonly names: readonly string[] }
  | "rest";

/** The options of a run. */
export interface RunOptions {
  /** Default: one wave with all. Shares are of the accounts with changes. */
  readonly waves: readonly Wave[];
  /** The share of a wave, 0 to 1, of accounts that failed, did not converge, or are unlike their plan, at which the run stops. Default: never. */
  readonly stopAt?: number;
  /** Deletions that the plan of an account may have. Default: as many as it likes. */
  readonly surprise?: number;
  /** Whether nobody looks at the plans: then only the flags consent to deletions and purchases, and not the hash. Default: false. */
  readonly autoApprove?: boolean;
  /** Addresses that may be deleted, as for one account. */
  readonly allowDelete: readonly string[];
  readonly allowPurchase: readonly string[];
  /** Whether an account may be at another API than before, and its key be sent there. Default: false. */
  readonly acceptTarget?: boolean;
}

/** One run of a fleet. */
export interface Run {
  readonly id: string;
  readonly kind: RunKind;
  readonly state: RunState;
  /** The name of the fleet. */
  readonly fleet: string;
  /** ISO 8601, by the clock of the database. */
  readonly created: string;
  readonly createdBy: string;
  readonly options: RunOptions;
  /** Over the hashes of the plans of its accounts; undefined until all are planned. */
  readonly hash?: string;
  readonly approved?: { readonly hash: string; readonly by: string };
  /** Whether applies that are not cancelled have taken all of these plans that have changes. */
  readonly isTaken?: boolean;
  /** The wave that is applied now: 0 is the first. */
  readonly wave: number;
  readonly stopped?: StopReason;
  /** Why it was stopped the last time that a person let it go on: these accounts do not stop it again. */
  readonly continued?: StopReason;
}

/** Why a run was stopped, with the names of the accounts that did it. */
export interface StopReason {
  /** Absent where the plans themselves stopped it, before the first wave. */
  readonly wave?: number;
  /** The number of accounts of the wave; or of all, where there was no wave yet. */
  readonly accounts: number;
  /** Failed or refused. */
  readonly failed: readonly string[];
  readonly notConverged: readonly string[];
  /** Moved or left out: unlike their approved plans. */
  readonly unlike: readonly string[];
}

/** One account in one run. */
export interface RunAccount extends Pick<Account, "owner" | "group" | "needs"> {
  readonly account: string;
  readonly state: AccountState;
  readonly wave?: number;
  /** The hash of its saved plan. */
  readonly planHash?: string;
  readonly counts?: Counts;
  /** The ending of the engine. */
  readonly ending?: Ending;
  /** One sentence: why it failed, was refused, moved, or waits. */
  readonly why?: string;
}
