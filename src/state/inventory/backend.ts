import type { Address } from "../../model/address.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { InventoryEvent, InventoryPlace } from "../../model/inventory.ts";

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
  /** True where the remote does not hold this, as far as it is known: it began, or was changed, without the remote. */
  readonly isUnpushed?: boolean;
  /** What the remote held when it was last seen, if it cannot be read now and does not hold this. */
  readonly shared?: BackendContent;
  /** The manifest commits of both last applies, where two histories were joined: neither may be forgotten. */
  readonly alsoApplied?: readonly string[];
}

/** Why the place that others read does not have what was stored here. */
export interface NotShared {
  /** The place, in words. */
  readonly place: string;
  readonly reason: string;
  /** The command that brings it there. */
  readonly command: string;
}

/**
 * The place of a content in the history: after the version that it replaces, or in that version's place. `shared`: after it, and only if
 * others get it, too.
 */
export type Succession = "after" | "instead" | "shared";

/**
 * `moved`: the stored version is not the expected one. `failed`: the write failed; the notices give the reason. `not_shared`: nothing was
 * written, because others would not get it.
 */
export type CasResult =
  | {
      readonly is: "done";
      readonly version: string;
      /** Present if it was stored here only, though there is a place that others read. */
      readonly notShared?: NotShared | undefined;
    }
  | { readonly is: "moved" }
  | { readonly is: "failed"; readonly notices: readonly Diagnostic[] }
  | { readonly is: "not_shared"; readonly notices: readonly Diagnostic[] };

/** A text shared by several processes and changed by compare-and-swap. The backend does not interpret the text. */
export interface InventoryBackend {
  readonly where: string;
  readonly place: () => InventoryPlace;
  /** Whether what is replaced can be found again: then an unreadable content may be. */
  readonly keepsHistory: boolean;
  readonly load: () => Promise<Loaded>;
  /** Replaces the content of exactly that version. A history with two ends is joined by `load`; the swap records both. */
  readonly compareAndSwap: (
    text: string,
    entry: HistoryEntry,
    over: string,
    succession: Succession,
  ) => Promise<CasResult>;
  readonly history: (address: Address) => Promise<readonly InventoryEvent[] | undefined>;
  readonly close: () => Promise<void>;
}
