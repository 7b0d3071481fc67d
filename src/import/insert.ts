import { isMap, isPair, isSeq, type Node, type Pair, type Range, type YAMLMap, type YAMLSeq } from "yaml";
import { getOrMake } from "../lib/collect.ts";
import type { Block } from "./block.ts";
import { isNothing, wayTo, type FoundWay, type ParsedFile } from "./find-place.ts";
import { flowItems, flowText, listText, sectionsText, withoutBrackets } from "./write-manifest.ts";

/** Text that is added at an offset; of several at one offset the deepest comes first. */
interface Insertion {
  readonly at: number;
  readonly column: number;
  readonly text: string;
}

/** Blocks that are added to one node. */
interface Addition {
  readonly found: FoundWay;
  readonly blocks: Block[];
}

/** Whether a block can be added in place: not below an alias, an anchor or a value that is neither a map nor a list. */
export const isPlaceable = (file: ParsedFile, block: Block): boolean => wayTo(file, block).isOpen;

/** Adds blocks to a file. Whatever stands in it stays as it is, byte for byte. */
export function insertBlocks(file: ParsedFile, blocks: readonly Block[]): string {
  const { text } = file;
  const additions = new Map<Pair | undefined, Addition>();
  for (const block of blocks) {
    const found = wayTo(file, block);
    const path = block.path.slice(found.keys.length);
    getOrMake(additions, found.pair, () => ({ found, blocks: [] })).blocks.push({ ...block, path });
  }
  const isCrlf = /^[^\n]*\r\n/u.test(text);
  const insertions = [...additions.values()]
    .map((addition) => insertionOf(text, addition))
    .toSorted((a, b) => a.at - b.at || b.column - a.column);
  const parts: string[] = [];
  let from = 0;
  for (const { at, text: added } of insertions) {
    parts.push(text.slice(from, at), isCrlf ? added.replaceAll("\n", "\r\n") : added);
    from = at;
  }
  return parts.join("") + text.slice(from);
}

function insertionOf(text: string, { found: { node, pair, isInBrackets }, blocks }: Addition): Insertion {
  if (isSeq(node)) {
    if (node.flow === true) return inBrackets(text, node, flowItems(blocks));
    return newLines(text, endOf(node), columnAt(text, startOf(node)), listText(blocks));
  }
  if (isMap(node) && node.flow === true) return inBrackets(text, node, withoutBrackets(flowText(blocks)));
  const [first] = isMap(node) ? node.items : [];
  if (first) return newLines(text, endOf(node), columnAt(text, startOfPair(first)), sectionsText(blocks));
  if (!pair) return newLines(text, text.length, 0, sectionsText(blocks));
  const colon = colonOf(pair);
  const end = colon === undefined ? endOf(pair.key) : colon + 1;
  const mark = colon === undefined ? ":" : "";
  if (isInBrackets) return { at: end, column: 1, text: `${mark} ${flowText(blocks)}` };
  const column = columnAt(text, startOfPair(pair));
  if (mark === "") return newLines(text, end, column + 2, sectionsText(blocks));
  return { ...newLines(text, end, column, `${mark}\n${indent(sectionsText(blocks), 2)}`), column: column + 1 };
}

const rangeOf = ({ range }: Node): Range => range ?? [0, 0, 0];
const startOf = (node: Node) => rangeOf(node)[0];
const colonOf = ({ srcToken }: Pair) => srcToken?.sep?.find(({ type }) => type === "map-value-ind")?.offset;

/** Returns where the last text of a node, or of an entry of a map, ends: before the line breaks and comments behind an empty value. */
function endOf(item: unknown): number {
  if (isPair(item)) {
    const { key, value } = item as Pair<Node, Node | null>;
    const colon = colonOf(item);
    if (!value || colon === undefined) return endOf(key);
    return isNothing(value) && value.anchor === undefined ? colon + 1 : endOf(value);
  }
  const last = (isMap(item) || isSeq(item)) && item.flow !== true ? item.items.at(-1) : undefined;
  return last === undefined ? rangeOf(item as Node)[1] : endOf(last);
}

/** Returns where an entry starts: at its `?`, at the anchor of its key, or at the key. */
function startOfPair({ key, srcToken }: Pair): number {
  const token = srcToken?.start.find(({ type }) => type === "explicit-key-ind" || type === "anchor");
  return token?.offset ?? startOf(key as Node);
}

const columnAt = (text: string, offset: number) => offset - (text.lastIndexOf("\n", offset - 1) + 1);

const indent = (lines: string, column: number) => lines.replaceAll(/^(?=.)/gmu, " ".repeat(column));

/** Adds lines behind the line in which something ends, and behind comments that are deeper than they: these belong to what is above. */
function newLines(text: string, end: number, column: number, lines: string): Insertion {
  const next = text.indexOf("\n", end);
  const isAtStart = end > 0 && text[end - 1] === "\n";
  const line = isAtStart ? end : next < 0 ? text.length : next + 1;
  const comments = new RegExp(`(?:(?:[ \\t]*\\r?\\n)* {${column + 1},}#[^\\n]*(?:\\n|$))*`, "uy");
  comments.lastIndex = line;
  const at = line + (comments.exec(text)?.[0].length ?? 0);
  const isOpenLine = at > 0 && text[at - 1] !== "\n";
  return { at, column, text: `${isOpenLine ? "\n" : ""}${indent(lines, column)}` };
}

/** Adds entries directly behind the last that a collection in brackets has: a line may begin or end with something else. */
function inBrackets(text: string, { srcToken, items }: YAMLMap | YAMLSeq, entries: string): Insertion {
  if (srcToken?.type !== "flow-collection") throw new Error("A collection in brackets has no tokens");
  const last = items.at(-1);
  if (last !== undefined) return { at: endOf(last), column: 0, text: `, ${entries}` };
  const at = srcToken.start.offset + 1;
  return { at, column: 0, text: /\s/u.test(text[at] ?? "") ? ` ${entries}` : ` ${entries} ` };
}
