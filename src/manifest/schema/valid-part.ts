import { checkSchema } from "./check-schema.ts";
import type { WrittenMap, WrittenNode } from "../yaml/written.ts";

/**
 * The tree without its wrong nodes, so that later stages find the shape of the schema in whatever they read. What is left is
 * checked again, since a list may have become empty. Only at the root, and in an entry under `removed:`, whose address is checked all the
 * same, may something be missing. The input is not changed.
 */
export function validPart(root: WrittenMap, wrong: ReadonlySet<WrittenNode>): WrittenMap {
  let tree = root;
  for (let nodes = wrong; nodes.size > 0; nodes = checkSchema(tree, false).wrong) tree = prunedMap(tree, nodes);
  const removed = root.entries.get("removed");
  if (wrong.size === 0 || !removed) return tree;
  const scalars = new Set([...wrong].filter(({ type }) => type === "scalar"));
  const value = pruned(removed.value, scalars);
  return { ...tree, entries: new Map([...tree.entries, ["removed", { ...removed, value }]]) };
}

function prunedMap(map: WrittenMap, nodes: ReadonlySet<WrittenNode>): WrittenMap {
  const kept = [...map.entries].filter(([, { value }]) => !nodes.has(value));
  return {
    ...map,
    entries: new Map(kept.map(([key, entry]) => [key, { ...entry, value: pruned(entry.value, nodes) }])),
  };
}

function pruned(node: WrittenNode, nodes: ReadonlySet<WrittenNode>): WrittenNode {
  if (node.type === "scalar") return node;
  if (node.type === "map") return prunedMap(node, nodes);
  return { ...node, items: node.items.filter((item) => !nodes.has(item)).map((item) => pruned(item, nodes)) };
}
