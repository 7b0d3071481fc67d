import type { Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { AppliedBy, Inventory, InventoryEvent, InventoryPlace } from "../../model/inventory.ts";

/** The description of a change in the history. */
export interface HistoryEntry {
  readonly subject: string;
  readonly by: string;
  readonly planHash?: string;
  /** The version of the manifest that was applied, as its own history names it. */
  readonly manifestVersion?: string;
  /** Whether the manifest had changes that this version does not hold. */
  readonly dirty?: boolean;
}

/** An inventory as it was loaded. Nothing here throws: a problem is a notice. */
export interface LoadedInventory {
  /** Names exactly this content; opaque. */
  readonly version: string;
  /** Undefined where there is none yet, or where the content cannot be read. */
  readonly inventory: Inventory | undefined;
  readonly notices: readonly Diagnostic[];
  /** True for a content of another target, or of a newer version, or that could not be found again: it must not be replaced. */
  readonly mustStay?: boolean;
  /** True where the shared place holds something else than a continuation of this, and someone has to choose. */
  readonly isUndecided?: boolean;
  /** True where the shared place does not hold this, as far as it is known: it began, or was changed, without that place. */
  readonly isUnshared?: boolean;
  /** The inventory that the shared place held when it was last seen, if it cannot be read now and does not hold this. */
  readonly shared?: Inventory;
  /** The versions of the manifest of both last applies, where two histories were joined: neither may be forgotten. */
  readonly alsoApplied?: readonly string[];
}

/** Why the place that others read does not have the inventory that was stored here. */
export interface NotShared {
  /** The place, in words. */
  readonly place: string;
  readonly reason: string;
  /** The means of its user to bring it there, as a hint. */
  readonly remedy: string;
}

/**
 * The place of a value in the history: after the version that it replaces, or in that version's place. `shared`: after it, and only if
 * others get it, too. Only the mark of a running apply may be replaced in its place: others may have seen the version, and for any other one
 * they would take that for a history that somebody has rewritten.
 */
export type Succession = "after" | "instead" | "shared";

/**
 * `moved`: the stored version is not the expected one. `failed`: the write failed; the notices give the reason. `not_shared`: nothing was
 * written, because others would not get it.
 */
export type StoreResult =
  | {
      readonly is: "done";
      readonly version: string;
      /** Present if it was stored here only, though there is a place that others read. */
      readonly notShared?: NotShared | undefined;
    }
  | { readonly is: "moved" }
  | { readonly is: "failed"; readonly notices: readonly Diagnostic[] }
  | { readonly is: "not_shared"; readonly notices: readonly Diagnostic[] };

/** The inventory of one target as a value that several processes share. */
export interface InventoryStore {
  /** For messages. */
  readonly where: string;
  /** Undefined where none is kept. */
  readonly place: () => InventoryPlace | undefined;
  readonly load: () => Promise<LoadedInventory>;
  /** Replaces the value of exactly the version `over`. A history with two ends is joined by `load`; the next store records both. */
  readonly store: (next: Inventory, entry: HistoryEntry, over: string, succession: Succession) => Promise<StoreResult>;
  /** When an address entered and left, newest first; undefined where no history is kept. */
  readonly history: (address: Address) => Promise<readonly InventoryEvent[] | undefined>;
  /** The applies back to the last one of the whole manifest, newest first; undefined where no history is kept. */
  readonly appliesToWhole: () => Promise<readonly AppliedBy[] | undefined>;
  readonly close: () => Promise<void>;
}

/** The store where none is kept. */
export const noStore = (where: string, notices: readonly Diagnostic[]): InventoryStore => ({
  where,
  place: () => undefined,
  load: async () => ({ version: "", inventory: undefined, notices }),
  store: async () => ({ is: "failed", notices: [] }),
  history: async () => undefined,
  appliesToWhole: async () => undefined,
  close: async () => undefined,
});
