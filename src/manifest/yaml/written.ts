import type { Position, TemplateUse } from "../../model/diagnostic.ts";
import type { Json } from "../../model/json.ts";
import { getOrMake } from "../../lib/collect.ts";

/** One manifest text. `file` is as the user wrote it, `<stdin>` for standard input; `text` has no byte order mark. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
}

/** A stretch of a source text, in UTF-16 offsets; `end` is one past the last. */
export interface Span {
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  /** The uses of templates that put it into the manifest, the innermost first. */
  readonly uses?: readonly TemplateUse[];
}

/** A variable whose value stands in a node. */
export interface Variable {
  readonly name: string;
  /** The origin of a value from outside the manifest, such as `--var ttl`. */
  readonly outside?: string;
}

/** Each node is the span of itself, and an entry that of its key. */
interface Written extends Span {
  readonly variables?: readonly Variable[];
}

export interface WrittenMap extends Written {
  readonly type: "map";
  readonly entries: Map<string, WrittenEntry>;
}

export interface WrittenEntry extends Span {
  /** The source text of the key: `0123`, `1e3` and `on` stay what they are. */
  readonly key: string;
  readonly value: WrittenNode;
}

export interface WrittenList extends Written {
  readonly type: "list";
  readonly items: readonly WrittenNode[];
}

export interface WrittenScalar extends Written {
  readonly type: "scalar";
  /** The value that YAML 1.2 makes of it; the schema check puts the source text here where a string is wanted. */
  value: string | number | boolean | null;
  /** The text as written, without quotes. */
  readonly text: string;
  /** True where it stands without quotes. */
  readonly plain: boolean;
}

export type WrittenNode = WrittenMap | WrittenList | WrittenScalar;

// A cache only: what it answers depends on the text alone, and it goes away with the text.
const lineTables = new WeakMap<SourceText, readonly number[]>();

export const lineStarts = (source: SourceText): readonly number[] =>
  getOrMake(lineTables, source, () => {
    const starts = [0];
    for (let at = source.text.indexOf("\n"); at >= 0; at = source.text.indexOf("\n", at + 1)) starts.push(at + 1);
    return starts;
  });

/** The line and column at which a span begins. `endCol` stays on that line. */
export function positionOf({ source, start, end, uses }: Span): Position {
  const starts = lineStarts(source);
  const index = lastBefore(starts, (each) => each, start);
  const lineStart = starts[index] ?? 0;
  const lineEnd = endOfLine(source, index);
  const place = {
    file: source.file,
    line: index + 1,
    col: start - lineStart + 1,
    endCol: Math.max(Math.min(end, lineEnd), start) - lineStart + 1,
  };
  return uses ? { ...place, uses } : place;
}

/** Finds the end of a line's text, its line break left out. */
export function endOfLine(source: SourceText, index: number): number {
  const next = lineStarts(source)[index + 1];
  if (next === undefined) return source.text.length;
  return source.text[next - 2] === "\r" ? next - 2 : next - 1;
}

/** Returns the index of the last item whose offset is not behind another one; -1 if there is none. Items are in the order of their offsets. */
export function lastBefore<T>(items: readonly T[], offsetOf: (item: T) => number, offset: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && offsetOf(item) <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Returns the place of a span in a text, as `FILE:LINE`. */
export function nameOfPlace(span: Span): string {
  const { file, line } = positionOf(span);
  return `${file}:${line}`;
}

/** Returns the span alone of a node or an entry. */
export const placeOf = ({ source, start, end, uses }: Span): Span => ({ source, start, end, uses });

/** A prototype without properties. Objects without any prototype are kept as hash tables, which take several times the time and memory. */
const empty: object = Object.freeze(Object.create(null));

/** Makes an object that inherits nothing. */
export const bareObject = (): Record<string, Json> => Object.create(empty);

/** Copies a tree. `change`: returns a node, or an entry of a map, as it is in the copy, but for what stands in it. */
export function mapTree(node: WrittenNode, change: <T extends Span>(each: T) => T): WrittenNode {
  if (node.type === "scalar") return change(node);
  if (node.type === "list") return { ...change(node), items: node.items.map((item) => mapTree(item, change)) };
  const entries = [...node.entries.values()].map(
    (entry) => [entry.key, { ...change(entry), value: mapTree(entry.value, change) }] as const,
  );
  return { ...change(node), entries: new Map(entries) };
}

/** Returns a map with other entries. */
export const withEntries = (map: WrittenMap, entries: Map<string, WrittenEntry>): WrittenMap => ({ ...map, entries });

/** The data alone, in objects that inherit nothing. */
export function toJson(node: WrittenNode): Json {
  if (node.type === "scalar") return node.value;
  if (node.type === "list") return node.items.map(toJson);
  const object = bareObject();
  for (const { key, value } of node.entries.values()) object[key] = toJson(value);
  return object;
}

/** Returns the value of a key; undefined if the node is not a map that has one. */
export const memberOf = (node: WrittenNode | undefined, key: string): WrittenNode | undefined =>
  node?.type === "map" ? node.entries.get(key)?.value : undefined;

/** Returns the items of a list; none of another node. */
export const itemsOf = (node: WrittenNode | undefined): readonly WrittenNode[] =>
  node?.type === "list" ? node.items : [];

/** The node at the end of a path of keys and indexes, or the last that there is on the way, and what is left of the path. */
export function nearestNode(
  node: WrittenNode,
  path: readonly (string | number)[],
): { readonly node: WrittenNode; readonly rest: readonly (string | number)[] } {
  let here = node;
  for (const [index, step] of path.entries()) {
    const next = here.type === "list" ? here.items[Number(step)] : memberOf(here, String(step));
    if (!next) return { node: here, rest: path.slice(index) };
    here = next;
  }
  return { node: here, rest: [] };
}

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
