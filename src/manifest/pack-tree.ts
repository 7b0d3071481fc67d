import type { SourceText, Span, WrittenEntry, WrittenMap, WrittenNode, WrittenScalar } from "./written.ts";

/** The tree of a text, or undefined for a text that holds nothing. */
type Root = WrittenMap | undefined;

/**
 * Returns the tree of a text as bytes, without the text itself: a thread hands them to another, and a file can keep them.
 * The tree is as `parseSource` returns it: all of its places are in this text, and no template has made any of them.
 */
export function packTree(root: Root, text: string): Uint8Array {
  const packing: Packing = { text, words: [], more: [], length: 0 };
  if (root) packNode(packing, root);
  const { words, more } = packing;
  const rest = Buffer.from(more.join(""), "utf16le");
  const head = Uint32Array.of(words.length, rest.length);
  return Buffer.concat([asBytes(head), asBytes(Uint32Array.from(words)), rest]);
}

/** Returns the tree that was packed, with its places in the same text. Undefined if the bytes are none that `packTree` returned for it. */
export function unpackTree(bytes: Uint8Array, source: SourceText): { readonly root: Root } | undefined {
  // Bytes may begin anywhere in their memory, words only at every fourth.
  const whole = new Uint8Array(bytes);
  if (whole.length < headLength) return undefined;
  const [count = 0, rest = 0] = new Uint32Array(whole.buffer, 0, 2);
  if (whole.length !== headLength + count * wordLength + rest) return undefined;
  const words = new Uint32Array(whole.buffer, headLength, count);
  const more = Buffer.from(whole.buffer, headLength + count * wordLength).toString("utf16le");
  const unpacking: Unpacking = { source, words, more, at: 0 };
  try {
    const root = count === 0 ? undefined : unpackNode(unpacking);
    return unpacking.at === count && root?.type !== "list" && root?.type !== "scalar" ? { root } : undefined;
  } catch (error) {
    // Bytes that are damaged may nest without end.
    if (error instanceof Damaged || error instanceof RangeError) return undefined;
    throw error;
  }
}

class Damaged extends Error {}

const wordLength = 4;
const headLength = 2 * wordLength;

interface Packing {
  readonly text: string;
  readonly words: number[];
  /** Texts that do not stand in the source as they are, such as those with escapes; `length` of them in all. */
  readonly more: string[];
  length: number;
}

interface Unpacking {
  readonly source: SourceText;
  readonly words: Uint32Array;
  readonly more: string;
  /** The next word. */
  at: number;
}

/** The sort of a node: the two lowest bits of its first word. Above them stands the number of its children, or the sorts of a scalar. */
const sorts = { map: 0, list: 1, scalar: 2 } as const;
const sortBits = 2;

/** Where a text stands: the whole of its span, the inside of its quotes, or beside the source. */
const texts = { whole: 0, quoted: 1, beside: 2 } as const;
const textBits = 2;

const values = { null: 0, true: 1, false: 2, source: 3, text: 4, sourceNumber: 5, number: 6 } as const;

const asBytes = ({ buffer, byteOffset, byteLength }: Uint32Array) => Buffer.from(buffer, byteOffset, byteLength);

function packNode(packing: Packing, node: WrittenNode): void {
  if (node.type === "scalar") return packScalar(packing, node);
  const { words } = packing;
  const { start, end } = node.span;
  const count = node.type === "map" ? node.entries.size : node.items.length;
  words.push((count << sortBits) | sorts[node.type], start, end);
  if (node.type === "list") for (const item of node.items) packNode(packing, item);
  else for (const entry of node.entries.values()) packEntry(packing, entry);
}

function packEntry(packing: Packing, { key, keySpan, value }: WrittenEntry): void {
  const sort = sortOfText(packing, key, keySpan);
  packing.words.push(sort, keySpan.start, keySpan.end);
  if (sort === texts.beside) packText(packing, key);
  packNode(packing, value);
}

function packScalar(packing: Packing, node: WrittenScalar): void {
  const { words } = packing;
  const { source, value, span, plain } = node;
  const sourceSort = sortOfText(packing, source, span);
  const valueSort = sortOfValue(node);
  const bits = (((valueSort << textBits) | sourceSort) << 1) | Number(plain);
  words.push((bits << sortBits) | sorts.scalar, span.start, span.end);
  if (sourceSort === texts.beside) packText(packing, source);
  if (valueSort === values.text) packText(packing, String(value));
  if (valueSort === values.number) words.push(...new Uint32Array(Float64Array.of(Number(value)).buffer));
}

function sortOfText({ text }: Packing, found: string, { start, end }: Span): number {
  const length = end - start;
  if (found.length === length && text.startsWith(found, start)) return texts.whole;
  return found.length + 2 === length && text.startsWith(found, start + 1) ? texts.quoted : texts.beside;
}

function sortOfValue({ value, source }: WrittenScalar): number {
  if (value === null) return values.null;
  if (typeof value === "boolean") return value ? values.true : values.false;
  if (typeof value === "string") return value === source ? values.source : values.text;
  return Object.is(Number(source), value) ? values.sourceNumber : values.number;
}

function packText(packing: Packing, text: string): void {
  packing.words.push(packing.length, text.length);
  packing.more.push(text);
  packing.length += text.length;
}

function next(unpacking: Unpacking): number {
  const word = unpacking.words[unpacking.at];
  if (word === undefined) throw new Damaged();
  unpacking.at += 1;
  return word;
}

function nextSpan(unpacking: Unpacking): Span {
  const { source } = unpacking;
  const start = next(unpacking);
  const end = next(unpacking);
  if (start > end || end > source.text.length) throw new Damaged();
  return { source, start, end };
}

function nextText(unpacking: Unpacking, sort: number, { source: { text }, start, end }: Span): string {
  if (sort === texts.whole) return text.slice(start, end);
  if (sort === texts.quoted) return text.slice(start + 1, end - 1);
  if (sort !== texts.beside) throw new Damaged();
  const from = next(unpacking);
  return unpacking.more.slice(from, from + next(unpacking));
}

function unpackNode(unpacking: Unpacking): WrittenNode {
  const first = next(unpacking);
  const span = nextSpan(unpacking);
  const sort = first & ((1 << sortBits) - 1);
  const rest = first >>> sortBits;
  if (sort === sorts.scalar) return unpackScalar(unpacking, span, rest);
  if (sort === sorts.list) {
    const items: WrittenNode[] = [];
    for (let index = 0; index < rest; index += 1) items.push(unpackNode(unpacking));
    return { type: "list", span, items };
  }
  if (sort !== sorts.map) throw new Damaged();
  const entries = new Map<string, WrittenEntry>();
  for (let index = 0; index < rest; index += 1) {
    const keySort = next(unpacking);
    const keySpan = nextSpan(unpacking);
    const key = nextText(unpacking, keySort, keySpan);
    entries.set(key, { key, keySpan, value: unpackNode(unpacking) });
  }
  return { type: "map", span, entries };
}

function unpackScalar(unpacking: Unpacking, span: Span, bits: number): WrittenScalar {
  const plain = (bits & 1) === 1;
  const source = nextText(unpacking, (bits >>> 1) & ((1 << textBits) - 1), span);
  const value = nextValue(unpacking, bits >>> (1 + textBits), source);
  return { type: "scalar", span, value, source, plain };
}

function nextValue(unpacking: Unpacking, sort: number, source: string): WrittenScalar["value"] {
  if (sort === values.null) return null;
  if (sort === values.true || sort === values.false) return sort === values.true;
  if (sort === values.source) return source;
  if (sort === values.text) return nextText(unpacking, texts.beside, { source: unpacking.source, start: 0, end: 0 });
  if (sort === values.sourceNumber) return Number(source);
  if (sort !== values.number) throw new Damaged();
  return new Float64Array(Uint32Array.of(next(unpacking), next(unpacking)).buffer)[0] ?? 0;
}
