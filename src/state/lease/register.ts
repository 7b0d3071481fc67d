import type { LeaseRules, Version } from "./lease.ts";
import { isObject } from "../../model/json-pointer.ts";
import type { Json } from "../../model/json.ts";
import type { LeaseHolder } from "../../model/inventory.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

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

/** The content of a lease's register. Its times are shown, and never compared. */
export interface LeaseContent extends LeaseHolder {
  /** The run that wrote it. */
  readonly id: string;
  /** Counts the contents of one run, so that no two are the same. */
  readonly counter: number;
  /** True once the holder has given the lease back. */
  readonly free?: true;
  /** True if another than its holder freed it, with `--unlock`. */
  readonly cleared?: true;
}

/** The largest content that is read, in bytes. */
export const maxLeaseBytes = 16 * 1024;

export const formatLease = (content: LeaseContent): string => `${JSON.stringify({ version: 1, ...content })}\n`;

/** Reads what anyone may have pushed, and the lock file of an earlier program; undefined for anything else. */
export function parseLease(text: string): LeaseContent | undefined {
  const value = text.length > maxLeaseBytes ? undefined : orUndefined(() => JSON.parse(text) as Json);
  if (value === undefined || !isObject(value)) return undefined;
  const { id = "", counter = 0, by, host, pid, since, process, free, cleared } = value;
  if (!isText(id) || !isText(by) || !isText(host) || !isText(since)) return undefined;
  if (!isNumber(counter) || !isNumber(pid) || pid < 1 || pid >= 2 ** 32) return undefined;
  const marks = { free: free === true || undefined, cleared: cleared === true || undefined };
  return { id, counter, by, host, pid, since, process: isText(process) ? process : undefined, ...marks };
}

const isText = (value: Json | undefined): value is string => typeof value === "string" && value.length <= 500;
const isNumber = (value: Json | undefined): value is number => Number.isSafeInteger(value);
