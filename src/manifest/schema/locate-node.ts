import type { WrittenEntry, WrittenMap, WrittenNode } from "../yaml/written.ts";

/** The sort of document that is read, which is also its name in a sentence. */
export type Form = "manifest" | "fleet";

/** The node that an error is about, and the way to it. */
export interface NodeLocation {
  readonly node: WrittenNode;
  /** The entry of the nearest map on the way, where there is one. */
  readonly entry: WrittenEntry | undefined;
  /** Keys, and numbers of list items from 1. */
  readonly path: readonly (string | number)[];
  readonly form?: Form;
}

/** The place that a JSON pointer names in the tree, or as far as the tree goes. */
export function locateNode(root: WrittenMap, pointer: string): NodeLocation {
  let node: WrittenNode = root;
  let entry: WrittenEntry | undefined;
  const path: (string | number)[] = [];
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (node.type === "map") entry = node.entries.get(key);
    const child: WrittenNode | undefined = node.type === "list" ? node.items[Number(key)] : entry?.value;
    if (!child) break;
    path.push(node.type === "list" ? Number(key) + 1 : key);
    node = child;
  }
  return { node, entry, path };
}
