import { kinds } from "../kinds/index.ts";
import { groupBy } from "../lib/collect.ts";
import { kindOf } from "../model/address.ts";
import type { Block } from "./block.ts";

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
