import { boolCoreTag, floatCoreTag, intCoreTag, NOT_RESOLVED, nullCoreTag } from "js-yaml";
import type { Json } from "../model/json.ts";
import {
  bareObject,
  withEntries,
  type SourceText,
  type Span,
  type WrittenEntry,
  type WrittenList,
  type WrittenMap,
  type WrittenNode,
  type WrittenScalar,
} from "./written.ts";

/**
 * The tree of one text in 16 bytes a node, since most trees are read once or twice: four numbers for each node, in the order of the text.
 * They are its sort, its first offset, the offset behind it, and a number more: for a map or list, the place behind its last member in the
 * cells; for a scalar, the index of its text, or how many quotes stand around it as a negative number. The key of an entry is a node before its value.
 */
export interface PackedTree {
  readonly source: SourceText;
  readonly cells: Int32Array;
  /** Those of scalars that do not stand in the source as they are. */
  readonly texts: readonly string[];
}

export const cellsOfNode = 4;
/** `typed`: a plain scalar that YAML 1.2 makes a number, a boolean or null of. */
export const sorts = { map: 0, list: 1, plain: 2, typed: 3, quoted: 4 } as const;

abstract class PackedNode {
  readonly tree: PackedTree;
  readonly at: number;

  constructor(tree: PackedTree, at: number) {
    this.tree = tree;
    this.at = at;
  }

  get span(): Span {
    return spanAt(this.tree, this.at);
  }

  json(): Json {
    return jsonAt(this.tree, this.at);
  }
}

export class PackedMap extends PackedNode implements WrittenMap {
  readonly type = "map";

  /** Made anew each time. */
  get entries(): Map<string, WrittenEntry> {
    return new Map(this.list().map((entry) => [entry.key, entry]));
  }

  list(): WrittenEntry[] {
    return memberPlaces(this.tree, this.at).map((key) => entryAt(this.tree, key));
  }

  find(key: string): WrittenEntry | undefined {
    const at = memberPlaces(this.tree, this.at).find((each) => textAt(this.tree, each) === key);
    return at === undefined ? undefined : entryAt(this.tree, at);
  }
}

export class PackedList extends PackedNode implements WrittenList {
  readonly type = "list";

  /** Made anew each time. */
  get items(): readonly WrittenNode[] {
    return memberPlaces(this.tree, this.at).map((item) => nodeAt(this.tree, item));
  }
}

/** Returns the data of a packed node alone. */
function jsonAt(tree: PackedTree, at: number): Json {
  const sort = tree.cells[at];
  if (sort === sorts.list) {
    return memberPlaces(tree, at).map((item) => jsonAt(tree, item));
  }
  if (sort !== sorts.map) return scalarValue(sort, textAt(tree, at));
  const object = bareObject();
  const end = placeBehind(tree, at);
  for (let key = at + cellsOfNode; key < end; key = placeBehind(tree, key + cellsOfNode))
    object[textAt(tree, key)] = jsonAt(tree, key + cellsOfNode);
  return object;
}

/** Returns the tree of nodes that keep their identity and may be changed; what is not packed stays the same node. */
export function unpack(node: WrittenMap): WrittenMap;
export function unpack(node: WrittenNode): WrittenNode;
export function unpack(node: WrittenNode): WrittenNode {
  if (node.type === "scalar") return node;
  if (node.type === "list") {
    const items = node.items.map((item) => unpack(item));
    const isSame = !(node instanceof PackedList) && items.every((item, index) => item === node.items[index]);
    const { span, variables } = node;
    return isSame ? node : { type: "list", span, ...(variables && { variables }), items };
  }
  const { entries } = node;
  const unpacked = new Map<string, WrittenEntry>();
  let isSame = !(node instanceof PackedMap);
  for (const [key, entry] of entries) {
    const value = unpack(entry.value);
    isSame &&= value === entry.value;
    unpacked.set(key, value === entry.value ? entry : { ...entry, value });
  }
  return isSame ? node : withEntries(node, unpacked);
}

/** Returns the places of the items of a list, or of the keys of a map. */
function memberPlaces(tree: PackedTree, at: number): number[] {
  const end = placeBehind(tree, at);
  // The value of an entry stands behind its key.
  const toValue = tree.cells[at] === sorts.map ? cellsOfNode : 0;
  const first = at + cellsOfNode;
  if (first >= end) return [];
  // Most have one. To push to an empty list makes room for seventeen.
  const places = [first];
  for (let next = placeBehind(tree, first + toValue); next < end; next = placeBehind(tree, next + toValue))
    places.push(next);
  return places;
}

const placeBehind = ({ cells }: PackedTree, at: number): number =>
  (cells[at] ?? 0) <= sorts.list ? (cells[at + 3] ?? 0) : at + cellsOfNode;

const spanAt = ({ source, cells }: PackedTree, at: number): Span => ({
  source,
  start: cells[at + 1] ?? 0,
  end: cells[at + 2] ?? 0,
});

function textAt({ source, cells, texts }: PackedTree, at: number): string {
  const more = cells[at + 3] ?? 0;
  return more > 0
    ? (texts[more - 1] ?? "")
    : source.text.slice((cells[at + 1] ?? 0) - more, (cells[at + 2] ?? 0) + more);
}

const entryAt = (tree: PackedTree, at: number): WrittenEntry => ({
  key: textAt(tree, at),
  keySpan: spanAt(tree, at),
  value: nodeAt(tree, at + cellsOfNode),
});

function nodeAt(tree: PackedTree, at: number): WrittenNode {
  const sort = tree.cells[at];
  if (sort === sorts.map) return new PackedMap(tree, at);
  if (sort === sorts.list) return new PackedList(tree, at);
  const source = textAt(tree, at);
  const plain = sort !== sorts.quoted;
  return { type: "scalar", span: spanAt(tree, at), value: scalarValue(sort, source), source, plain };
}

const scalarValue = (sort: number | undefined, text: string): WrittenScalar["value"] =>
  sort === sorts.typed ? typedValue(text) : text;

// No other text can be anything but a string, and most begin otherwise.
const maybeTyped = /^(?!\d+\.\d+\.)[-+.\d~nNtTfF]/u;
const tags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];

/** Returns what YAML 1.2 makes of a plain text. */
export function typedValue(text: string): WrittenScalar["value"] {
  if (text === "") return null;
  if (!maybeTyped.test(text)) return text;
  for (const { resolve, tagName } of tags) {
    const value = resolve(text, false, tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  // A number that is too large for JavaScript resolves to nothing.
  return Math.abs(Number(text)) === Infinity ? Number(text) : text;
}
