import type { SharedPace } from "../../api/shared-pace.ts";
import type { JournalStore } from "../../journal/journal-store.ts";
import type { AppliedApi } from "../../model/inventory.ts";
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
   * Learns the API that is to get the key, before anything is sent to it. Returns others, if the key is known to be for those: then the run is
   * refused, whoever named the API, unless it accepts that.
   */
  readonly othersKnown?: (asked: AppliedApi) => Promise<readonly AppliedApi[]>;
}
