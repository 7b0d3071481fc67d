import type { LeaseRules, Version } from "./lease.ts";

export type ReadRegister =
  /** `text`: undefined while there is none, and for a content that cannot be read. */
  | {
      readonly is: "read";
      readonly version: Version;
      readonly text: string | undefined;
      /** True where the register itself knows that this runner may replace the content: by its own clock the content has run out. */
      readonly isFree?: boolean;
    }
  | { readonly is: "unreachable"; readonly reason: string };

/**
 * `rejected`: the content is another than expected. `refused`: the content is the expected one, and this runner may not replace it.
 * `unknown`: it may have taken effect, may still do so, or may when it is repeated.
 */
export type SwappedRegister =
  | { readonly is: "done" }
  | { readonly is: "rejected" }
  | { readonly is: "refused"; readonly reason: string }
  | { readonly is: "unknown"; readonly reason: string };

/**
 * One text that all runners share, and that changes only by compare-and-swap. No text is written to it twice. Whatever rejects counts as
 * `unreachable`, as refused by its reason, or as `unknown`.
 */
export interface Register {
  /** The time that a content holds without a renewal, and the time between two renewals, in milliseconds. Default: 60 s, less 5 s for the holder; 15 s. */
  readonly rules?: LeaseRules & { readonly renewEvery: number };
  readonly read: () => Promise<ReadRegister>;
  /** Stores a text beside the register, and names the version that it will have. */
  readonly prepare: (text: string) => Promise<{ readonly version: Version } | { readonly reason: string }>;
  /** Puts a prepared text in the place of exactly the version `over`. */
  readonly swap: (version: Version, over: Version) => Promise<SwappedRegister>;
  /** Ends the register if `version` is its content; absent where a free content stays. */
  readonly remove?: (version: Version) => Promise<void>;
}
