import type { Stores as EngineStores } from "../engine/session/host.ts";
import type { JournalStore } from "../journal/journal-store.ts";
import type { Register } from "../state/lease/register.ts";

/**
 * Places of what outlives a call. `target`: the key of an account's manifest, fit for a path, at most 76 characters. What is absent stays
 * where it is by default. A program may write its own.
 */
export interface Stores extends Pick<EngineStores, "inventory" | "known" | "pace"> {
  /** The lease that keeps other applies out, wherever they run. `call`: a UUID, the same for both stores of one call. */
  readonly lease?: (target: string, call: string) => Register;
  /** The writes that an apply is about to send. A store that several machines share takes no line of a call that has lost its lease. */
  readonly journal?: (target: string, call: string) => JournalStore;
}

/** Stores that hold something open. */
export interface OpenStores extends Stores {
  /** Closes them; no call may use them any more. */
  readonly close: () => Promise<void>;
}

/** Returns the stores of one call, which may be an instance of a class. */
export function storesOf(stores: Stores, call: string): EngineStores {
  const { inventory, lease, journal, known, pace } = stores;
  return {
    ...(inventory && { inventory: inventory.bind(stores) }),
    ...(lease && { lease: (target) => lease.call(stores, target, call) }),
    ...(journal && { journal: (target) => journal.call(stores, target, call) }),
    ...(known && { known: known.bind(stores) }),
    ...(pace && { pace: pace.bind(stores) }),
  };
}
