import { isMap, isSeq, type Node, type Pair, type Range, type YAMLMap, type YAMLSeq } from "yaml";
import { getOrMake } from "../lib/collect.ts";
import { nodeOnWay, type Found, type ParsedFile, type Placed } from "./find-place.ts";
import { flowEntries, flowItems, listText, sectionsText } from "./write-manifest.ts";

/** Text that is added at an offset; of several at one offset the deepest comes first. */
interface Insertion {
  readonly at: number;
  readonly column: number;
  readonly text: string;
}

/** Blocks that are added to one node. */
interface Addition {
  readonly found: Found;
  readonly blocks: Placed[];
}

/** Whether a block can be added in place: not below an alias, an anchor or a value that is neither a map nor a list. */
export const isPlaceable = ({ document }: ParsedFile, { path }: Placed): boolean => nodeOnWay(document, path).isOpen;

/** Adds blocks to a file. Whatever stands in it stays as it is, byte for byte. */
export function insertBlocks({ text, document }: ParsedFile, blocks: readonly Placed[]): string {
  const additions = new Map<Pair | undefined, Addition>();
  for (const block of blocks) {
    const found = nodeOnWay(document, block.path);
    getOrMake(additions, found.pair, () => ({ found, blocks: [] })).blocks.push({ ...block, path: found.rest });
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

function insertionOf(text: string, { found: { node, pair }, blocks }: Addition): Insertion {
  const part = { blocks, ignores: [], omissions: [] };
  if (isSeq(node)) {
    if (node.flow === true) return beforeEnd(text, node, flowItems(blocks));
    return newLines(text, endOf(node), columnAt(text, startOf(node)), listText(blocks));
  }
  if (isMap(node) && node.flow === true) return beforeEnd(text, node, flowEntries(part));
  const [first] = isMap(node) ? node.items : [];
  if (first) return newLines(text, endOf(node as Node), columnAt(text, startOf(first.key as Node)), sectionsText(part));
  if (!pair) return newLines(text, text.length, 0, sectionsText(part));
  const key = pair.key as Node;
  return newLines(text, rangeOf(key)[1], columnAt(text, startOf(key)) + 2, sectionsText(part));
}

const rangeOf = ({ range }: Node): Range => range ?? [0, 0, 0];
const startOf = (node: Node) => rangeOf(node)[0];
const endOf = (node: Node) => rangeOf(node)[1];

const columnAt = (text: string, offset: number) => offset - (text.lastIndexOf("\n", offset - 1) + 1);

/** Adds lines behind the line in which something ends. */
function newLines(text: string, end: number, column: number, lines: string): Insertion {
  const next = text.indexOf("\n", end);
  const isAtStart = end > 0 && text[end - 1] === "\n";
  const at = isAtStart ? end : next < 0 ? text.length : next + 1;
  const indented = lines.replaceAll(/^(?=.)/gmu, " ".repeat(column));
  const isOpenLine = at > 0 && text[at - 1] !== "\n";
  return { at, column, text: isOpenLine ? `\n${indented}` : indented };
}

/** Adds entries before the bracket that closes a collection. */
function beforeEnd(text: string, { srcToken }: YAMLMap | YAMLSeq, entries: string): Insertion {
  if (srcToken?.type !== "flow-collection") throw new Error("A collection in brackets has no tokens");
  const { items, end } = srcToken;
  const last = items.at(-1);
  const close = end.find(({ type }) => type === "flow-map-end" || type === "flow-seq-end")?.offset ?? text.length;
  if (!last) return { at: close, column: 0, text: ` ${entries} ` };
  const comma = last.key || last.value ? "," : "";
  const at = text.slice(0, close).trimEnd().length;
  // The line may end with a comment.
  return text.slice(at, close).includes("\n")
    ? { at: close, column: 0, text: `${comma} ${entries} ` }
    : { at, column: 0, text: `${comma} ${entries}` };
}
