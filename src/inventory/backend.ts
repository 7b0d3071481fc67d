import type { Address } from "../model/address.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { InventoryEvent, InventoryPlace } from "../model/inventory.ts";

/** The description of a change in the history. */
export interface HistoryEntry {
  readonly subject: string;
  readonly by: string;
  readonly planHash?: string;
  readonly commit?: string;
  /** Whether the manifest had changes that the commit does not hold. */
  readonly dirty?: boolean;
}

export type BackendContent =
  | { readonly is: "absent" }
  | { readonly is: "bytes"; readonly bytes: Uint8Array }
  | { readonly is: "unreadable"; readonly reason: string };

export interface Loaded {
  /** Names exactly this content; opaque. */
  readonly version: string;
  readonly content: BackendContent;
  readonly notices: readonly Diagnostic[];
  /** True where the shared place holds something else than a continuation of this, and someone has to choose. */
  readonly isUndecided?: boolean;
  /** True where the remote can be read and does not hold this: it began, or was changed, without the remote. */
  readonly isUnpushed?: boolean;
  /** The manifest commits of both last applies, where two histories were joined: neither may be forgotten. */
  readonly alsoApplied?: readonly string[];
}

/** `moved`: the stored version is not the expected one. `failed`: the write failed; the notices give the reason. */
export type CasResult =
  | { readonly is: "done"; readonly version: string; readonly notices: readonly Diagnostic[] }
  | { readonly is: "moved" }
  | { readonly is: "failed"; readonly notices: readonly Diagnostic[] };

/** A text shared by several processes and changed by compare-and-swap. The backend does not interpret the text. */
export interface InventoryBackend {
  readonly where: string;
  readonly place: () => InventoryPlace;
  /** Whether what is replaced can be found again: then an unreadable content may be. */
  readonly keepsHistory: boolean;
  readonly load: () => Promise<Loaded>;
  /**
   * Replaces the content of exactly that version. `instead`: in the history it takes that version's place.
   * A history with two ends is joined by `load`; the swap records both.
   */
  readonly compareAndSwap: (text: string, entry: HistoryEntry, over: string, instead: boolean) => Promise<CasResult>;
  readonly history: (address: Address) => Promise<readonly InventoryEvent[] | undefined>;
  readonly close: () => Promise<void>;
}
