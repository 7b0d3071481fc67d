import type { Stopwatch } from "../../lib/stopwatch.ts";
import type { PlanPart } from "../../messages/notices.ts";
import type { LeaseDeps } from "../../state/lease/hold-lease.ts";
import type { KnownSecrets } from "../secrets/known-secrets.ts";
import type { Emit } from "./events.ts";
import type { SharedPace } from "../../api/shared-pace.ts";
import type { JournalStore } from "../../journal/journal-store.ts";
import type { AppliedApi } from "../../model/inventory.ts";
import type { KnownInventories } from "../../state/inventory/known-inventories.ts";
import type { TargetStores } from "../../state/inventory/open-inventory.ts";

/** The machine as the engine needs it: environment, clocks, randomness, secrets to mask. */
export interface Host extends LeaseDeps, KnownSecrets {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Reads the whole of standard input. Rejects for more bytes than `maxBytes`, and for an input that does not end. */
  readonly readStdin: (maxBytes: number) => Promise<Uint8Array>;
  /** Calls the handler at the first SIGINT, SIGTERM or SIGHUP; a second SIGINT or SIGTERM ends the process at once. */
  readonly onInterrupt: (handler: () => void) => void;
  /** Ends all reads of the API once it is aborted; absent where a run ends by itself, or with its process. */
  readonly stop?: AbortSignal | undefined;
  /** Measures the parts of a plan; absent where nobody asks for them. */
  readonly stopwatch?: Stopwatch<PlanPart>;
  readonly random: () => number;
  /** Ends this process at once, as SIGKILL does; absent where it must live on. */
  readonly crash?: () => void;
  /** Whether the API is given a connection that knows GET only. Default: false. */
  readonly readsOnly?: boolean;
  /** The places of what outlives a run. Default: files, and the git repository of the manifests. */
  readonly stores?: Stores | undefined;
  /** A UUID of this run, for its stores. */
  readonly call?: string | undefined;
}

/** The machine, and the receiver of the events of one command. */
export interface Session extends Host {
  readonly emit: Emit;
}

/**
 * An operation's outcome. `changes`: it was only asked whether there is something to change, and there is. `pending_elsewhere`: done, but
 * a person or a registry must still act. `unexpected`: a defect of Hostform.
 */
export type Ending =
  | "done"
  | "unexpected"
  | "changes"
  | "wrong_input"
  | "api_unavailable"
  | "failed_in_part"
  | "refused"
  | "not_converged"
  | "pending_elsewhere"
  | "interrupted";

/**
 * Places of what outlives a call. `target`: the key of an account's manifest, fit for a path, at most 76 characters. What is absent stays
 * where it is by default. A program may write its own. Each may be opened more than once, by several processes.
 */
export interface Stores extends TargetStores {
  /** The writes that an apply is about to send. A store that several machines share takes no line of a call that has lost its lease. */
  readonly journal?: (target: string, call: string) => JournalStore;
  /** The pace of the requests to an origin, such as `https://api.example.com`. */
  readonly pace?: (origin: string) => SharedPace;
  /**
   * Learns the API that is to get the key, before anything is sent to it, and returns the inventories that judge it: then the run is refused
   * if it is none of theirs, unless it accepts that.
   */
  readonly known?: (asked: AskedApi) => Promise<readonly KnownApis[]>;
}

/** The API that is to get the key of a manifest. */
export interface AskedApi {
  readonly api: AppliedApi;
  /** The name of the manifest as it begins the key of its target, before `-` and twelve digits. */
  readonly name: string;
  /** Whether the manifest names it, or a part of it: what its caller names is the choice of the caller. */
  readonly isByManifest: boolean;
}

/** Inventories of one place, which judge together: those of the name, or all where there are none of it. */
export interface KnownApis extends KnownInventories {
  /** True: they judge the whole API, and not only what the manifest names. Default: false. */
  readonly isWhole?: boolean;
}
