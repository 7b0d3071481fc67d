import { type Address, kindOf } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import { kinds } from "../kinds/index.ts";
import { groupBy } from "../lib/collect.ts";

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
  /** The file of an existing manifest to which it is added. */
  readonly file?: string;
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
  /** Whether it is a list that was not read. That has no comment, which would stay when a later import has read it. */
  readonly isList?: true;
}

/** All that an account becomes in a manifest. */
export interface Declared {
  readonly blocks: readonly Block[];
  /** The `ignore` of collections, whose address is that of the zone around it: patterns of names that the manifest leaves to others. */
  readonly ignores: readonly Block[];
  readonly omissions: readonly Omission[];
}

/** Sorts blocks as a person writes them: kinds in their order, the apex of a zone first. */
export function sortBlocks(blocks: readonly Block[]): Block[] {
  const byKind = groupBy(blocks, ({ address }) => kindOf(address));
  return kinds.flatMap(({ name }) =>
    (byKind.get(name) ?? [])
      .map((block) => ({ block, text: block.path.map((key) => (key === "@" ? "" : key)).join("\u0000") }))
      .toSorted((a, b) => (a.text < b.text ? -1 : Number(a.text > b.text)))
      .map(({ block }) => block),
  );
}
