import { lastBefore, lineStarts, type WrittenEntry, type WrittenMap, type WrittenNode } from "./written.ts";
import { getOrMake } from "../../lib/collect.ts";
import type { Position } from "../../model/diagnostic.ts";

/** Returns the keys and indexes that lead to a place in a text, as far as there are any. */
export function pathAt(root: WrittenMap, { line, col }: Position): (string | number)[] {
  const offset = (lineStarts(root.source)[line - 1] ?? 0) + col - 1;
  const path: (string | number)[] = [];
  let node: WrittenNode | undefined = root;
  while (node && node.type !== "scalar") {
    if (node.type === "list") {
      const index: number = lastBefore(node.items, ({ start }) => start, offset);
      node = node.items[index];
      if (node) path.push(index);
      continue;
    }
    const entries = entriesOf(node);
    const entry = entries[lastBefore(entries, ({ start }) => start, offset)];
    if (entry) path.push(entry.key);
    node = entry && offset >= entry.end ? entry.value : undefined;
  }
  return path;
}

// A cache only: each mistake in a map of many entries looks for its own.
const orders = new WeakMap<WrittenMap, readonly WrittenEntry[]>();

const entriesOf = (map: WrittenMap): readonly WrittenEntry[] => getOrMake(orders, map, () => [...map.entries.values()]);
