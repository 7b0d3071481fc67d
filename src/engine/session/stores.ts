import type { SharedPace } from "../../api/shared-pace.ts";
import type { JournalStore } from "../../journal/journal-store.ts";
import type { AppliedApi } from "../../model/inventory.ts";
import type { KnownInventories } from "../../state/inventory/known-inventories.ts";
import type { TargetStores } from "../../state/inventory/inventory-store.ts";

/**
 * The places of what outlives a run, where they are not files and git: each of a target, which is named by a key that is fit for a path. What is
 * absent stays where it is by default. Each may be opened more than once, by several processes.
 */
export interface Stores extends TargetStores {
  /** The writes that an apply is about to send, until their results are known. */
  readonly journal?: (target: string) => JournalStore;
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
