import type { Address } from "../model/address.ts";
import type { Json } from "../model/json.ts";

/** One resource as a manifest declares it. */
export interface Block {
  /** The address under which the manifest declares it. */
  readonly address: Address;
  /** The domain name to whose file it belongs. */
  readonly domain: string;
  /** The keys that lead to its body. */
  readonly path: readonly string[];
  /** Whether the body is an item of the list at the path. */
  readonly isItem: boolean;
  readonly body: Json;
}

/** A value, a resource or a list that the manifest does not have, and why: a comment in the manifest, and a line of the summary. */
export interface Omission {
  /** The address of a resource, or the id of a list. */
  readonly of: string;
  /** The field, if only that is left out. */
  readonly field?: string | undefined;
  readonly reason: string;
  /** Live values, for the comment. */
  readonly values?: readonly string[];
  readonly domain: string;
  /** The keys that lead to its place. */
  readonly path: readonly string[];
}

/** Patterns of names in one collection that the manifest leaves to others. */
export interface IgnoreList {
  readonly domain: string;
  /** The keys that lead to the map which has `ignore`. */
  readonly path: readonly string[];
  readonly patterns: readonly string[];
  /** The file of an existing manifest to which it is added. */
  readonly file?: string;
}

/** All that an account becomes in a manifest. */
export interface Declared {
  readonly blocks: readonly Block[];
  readonly ignores: readonly IgnoreList[];
  readonly omissions: readonly Omission[];
}
