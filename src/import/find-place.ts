import {
  isMap,
  isScalar,
  isSeq,
  type Scalar,
  parseDocument,
  type Document,
  type Node,
  type Pair,
  type YAMLMap,
} from "yaml";
import { normaliseDomain } from "../kinds/shared/domain-name.ts";
import { locate } from "../kinds/derived/collection.ts";
import { getOrMake } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import type { Block } from "./block.ts";
import type { TextFile } from "./zone.ts";

/** One file of a manifest, parsed for its places. */
export interface ParsedFile extends TextFile {
  readonly document: Document.Parsed;
}

export const parseFile = (source: TextFile): ParsedFile => ({
  ...source,
  document: parseDocument(source.text, { uniqueKeys: false, keepSourceTokens: true }),
});

/**
 * Finds the file for each block: the one that has most of the keys on its way, or that names its domain, or a new one. The keys of its path
 * are spelled as in that file as far as it has them.
 */
export function placeBlocks(
  blocks: readonly Block[],
  files: readonly ParsedFile[],
  newFile: (domain: string) => string,
): (Block & { readonly file: string })[] {
  const byDomain = filesByDomain(files);
  return blocks.map((block) => {
    const other = newFile(block.domain);
    const there = byDomain.get(block.domain) ?? files.filter(({ file }) => file === other);
    const ways = [...there].map((file) => ({ file: file.file, path: keysOnWay(file, block) }));
    const [{ file, path } = { file: other, path: [] }] = ways.toSorted((a, b) => b.path.length - a.path.length);
    return { ...block, file, path: [...path, ...block.path.slice(path.length)] };
  });
}

/** The files that have a domain name as a key below a section. */
function filesByDomain(files: readonly ParsedFile[]): ReadonlyMap<string, ReadonlySet<ParsedFile>> {
  const found = new Map<string, Set<ParsedFile>>();
  for (const file of files)
    for (const section of pairsOf(file.document.contents))
      for (const pair of pairsOf(section.value))
        getOrMake(found, normaliseDomain(textOfKey(pair.key)), () => new Set<ParsedFile>()).add(file);
  return found;
}

const pairsOf = (node: unknown): readonly Pair[] => (isMap(node) ? node.items : []);

/** Returns the source text of a key: `0123` stays what it is. */
const textOfKey = (key: unknown): string => (isScalar(key) ? (key.source ?? String(key.value)) : "");

/** Returns the keys on the way to a block that are there. Its last key is its own, unless it is an item of a list. */
const keysOnWay = (file: ParsedFile, block: Block): readonly string[] =>
  wayTo(file, block).keys.slice(0, block.isItem ? undefined : block.path.length - 1);

/** The way to a block, as far as a file has its keys. */
export interface FoundWay {
  /** The keys that are there, as they are written. */
  readonly keys: readonly string[];
  /** The node behind the last of them. */
  readonly node: Node | null;
  /** Undefined for the root. */
  readonly pair: Pair | undefined;
  /** Whether something can be added there: all nodes on the way are maps, lists or nothing, and no alias repeats them. */
  readonly isOpen: boolean;
  /** Whether a collection on the way is written in brackets, so that all below it is. */
  readonly isInBrackets: boolean;
}

/** Follows the keys of a block, however a file spells them. */
export function wayTo({ document: { contents } }: ParsedFile, { address, path, isItem }: Block): FoundWay {
  const keys: string[] = [];
  let node: Node | null = contents;
  let last: Pair | undefined;
  let isAllOpen = isOpen(node);
  let isInBrackets = false;
  for (const wanted of path) {
    if (!isMap(node)) break;
    // The block's own key has no other spelling.
    const isOwn = !isItem && keys.length === path.length - 1;
    const same = pairsByKey(node, "", (text) => text).get(wanted);
    const pair = same ?? (isOwn ? undefined : otherSpelling(node, address, keys.length, wanted));
    if (!pair) break;
    if (node.flow === true) isInBrackets = true;
    node = pair.value as Node | null;
    last = pair;
    keys.push(textOfKey(pair.key));
    isAllOpen &&= isOpen(node);
  }
  return { keys, node, pair: last, isOpen: isAllOpen, isInBrackets };
}

/** Returns the entry whose key in normal form, as a part of the natural key of a kind, is that of a block. */
function otherSpelling(map: YAMLMap, address: Address, depth: number, wanted: string): Pair | undefined {
  const { kind, key } = locate(address);
  const [, part] = /^\{(\w+)\}$/u.exec(kind.manifest.split(".")[depth] ?? "") ?? [];
  if (part === undefined) return undefined;
  const form = [kind.name, part, ...kind.scope.map((each) => key[each])].join("\n");
  const normal = (text: string) => kind.naming.normalise({ ...key, [part]: text })[part] ?? text;
  return pairsByKey(map, form, normal).get(key[part] ?? wanted);
}

// A cache only: a zone of many records is looked into for each.
const keyTables = new WeakMap<object, Map<string, ReadonlyMap<string, Pair>>>();

/** @param form the name of the form that `normal` gives to keys. */
function pairsByKey(map: YAMLMap, form: string, normal: (text: string) => string): ReadonlyMap<string, Pair> {
  const tables = getOrMake(keyTables, map, () => new Map<string, ReadonlyMap<string, Pair>>());
  return getOrMake(tables, form, () => new Map(map.items.map((pair) => [normal(textOfKey(pair.key)), pair])));
}

const isOpen = (node: Node | null): boolean =>
  node === null ||
  ((isMap(node) || isSeq(node) || isNothing(node)) && node.anchor === undefined && node.tag === undefined);

/** Whether an entry has no value, as `example.com:`. */
export const isNothing = (node: Node): node is Scalar => isScalar(node) && node.value === null && node.source === "";
