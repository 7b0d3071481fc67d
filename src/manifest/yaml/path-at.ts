import { lineStarts, type WrittenEntry, type WrittenMap, type WrittenNode } from "./written.ts";
import type { Position } from "../../model/diagnostic.ts";

/** Returns the keys and indexes that lead to a place in a text, as far as there are any. */
export function pathAt(root: WrittenMap, { line, col }: Position): (string | number)[] {
  const offset = (lineStarts(root.span.source)[line - 1] ?? 0) + col - 1;
  const path: (string | number)[] = [];
  let node: WrittenNode | undefined = root;
  while (node && node.type !== "scalar") {
    if (node.type === "list") {
      const index: number = lastBefore(node.items, ({ span }) => span.start, offset);
      node = node.items[index];
      if (node) path.push(index);
      continue;
    }
    const entries = entriesOf(node);
    const entry = entries[lastBefore(entries, ({ keySpan }) => keySpan.start, offset)];
    if (entry) path.push(entry.key);
    node = entry && offset >= entry.keySpan.end ? entry.value : undefined;
  }
  return path;
}

// A cache only: each mistake in a map of many entries looks for its own.
const orders = new WeakMap<WrittenMap, readonly WrittenEntry[]>();

function entriesOf(map: WrittenMap): readonly WrittenEntry[] {
  const known = orders.get(map);
  if (known) return known;
  const entries = [...map.entries.values()];
  orders.set(map, entries);
  return entries;
}

/** Returns the place of the last item that does not start behind an offset; -1 if there is none. Items are in order. */
function lastBefore<T>(items: readonly T[], startOf: (item: T) => number, offset: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && startOf(item) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
