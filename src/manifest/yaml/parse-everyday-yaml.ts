import {
  boolCoreTag,
  COLLECTION_STYLE,
  EVENT_ID,
  floatCoreTag,
  getScalarValue,
  intCoreTag,
  NOT_RESOLVED,
  nullCoreTag,
  parseEvents,
  SCALAR_STYLE,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
import { half } from "../../lib/parse-json.ts";
import { isForbiddenKey } from "./build-tree.ts";
import type { SourceText, Span, WrittenEntry, WrittenMap, WrittenNode, WrittenScalar } from "./written.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

const maxDepth = 64;
// The events of a text are all held at once: at most two for each of these characters.
const maxIndicators = 4_000_000;
const indicator = /[-,:?[\]{}\n]/gu;

/**
 * Tabs, lone carriage returns, byte order marks, characters that may begin an anchor, a tag or a long key, directives,
 * marks of documents, headers of block texts that state an indentation or keep the line breaks at the end, and an escaped end of a line before an empty line.
 */
const rare = /\t|\r(?!\n)|\ufeff|(?:^|[^0-9A-Za-z])(?:[&!]|\?\s)|^ *(?:%|\.\.\.)|^ +---|[|>]-?[\d+]|\\\r?\n *\r?\n/mu;

/**
 * Reads a text of everyday YAML in a sixth of the time that parseAnyYaml takes. Returns undefined for a text with a mistake or with
 * something rare: parseAnyYaml reads such a text, and describes its mistakes.
 */
export function parseEverydayYaml(source: SourceText): WrittenMap | undefined {
  if (rare.test(source.text) || hasManyIndicators(source.text)) return undefined;
  const events = eventsOf(source.text);
  const [document] = events;
  if (document?.type !== EVENT_ID.DOCUMENT) return undefined;
  const reader: Reader = { source, events, next: 1, reached: 0, depth: 0 };
  const root = readNode(reader);
  const isOneDocument = reader.next === events.length - 1;
  return root?.type === "map" && isOneDocument ? root : undefined;
}

interface Reader {
  readonly source: SourceText;
  readonly events: readonly Event[];
  /** The index of the next event. */
  next: number;
  /** The offset behind the last value that was read. */
  reached: number;
  depth: number;
}

function hasManyIndicators(text: string): boolean {
  if (text.length <= maxIndicators) return false;
  let count = 0;
  for (const _ of text.matchAll(indicator)) {
    count += 1;
    if (count > maxIndicators) return true;
  }
  return false;
}

const eventsOf = (text: string): readonly Event[] =>
  orUndefined(() => parseEvents(text, { maxDepth: 2 * maxDepth })) ?? [];

/** Reads the next value. Returns undefined where that is left to the other reader. */
function readNode(reader: Reader): WrittenNode | undefined {
  const event = reader.events[reader.next];
  reader.next += 1;
  if (event?.type === EVENT_ID.SCALAR) return readScalar(reader, event);
  if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return undefined;
  if (hasProperties(event) || reader.depth === maxDepth) return undefined;
  reader.depth += 1;
  reader.reached = event.style === COLLECTION_STYLE.FLOW ? event.start + 1 : event.start;
  const node = event.type === EVENT_ID.MAPPING ? readMap(reader, event) : readList(reader, event);
  reader.depth -= 1;
  return node;
}

const hasProperties = ({ anchorStart, tagStart }: ScalarEvent | MappingEvent | SequenceEvent) =>
  anchorStart >= 0 || tagStart >= 0;

/** Reads the event that ends a list or map, if it is the next. */
function takeEnd(reader: Reader): boolean {
  const isEnd = reader.events[reader.next]?.type === EVENT_ID.POP;
  if (isEnd) reader.next += 1;
  return isEnd;
}

/** Of more, each mistake in a map would take a Map of all its entries. */
const fewEntries = 16;

/** A small map of a text. Its entries are a list, because most maps have one, and a JavaScript Map for each would take an eighth of a plan's memory. */
class EverydayMap implements WrittenMap {
  readonly type = "map";
  readonly source: SourceText;
  readonly start: number;
  readonly end: number;
  readonly #list: readonly WrittenEntry[];

  constructor({ source, start, end }: Span, list: readonly WrittenEntry[]) {
    this.source = source;
    this.start = start;
    this.end = end;
    this.#list = list;
  }

  get entries(): Map<string, WrittenEntry> {
    return new Map(this.#list.map((entry) => [entry.key, entry]));
  }
}

function readMap(reader: Reader, event: MappingEvent): WrittenNode | undefined {
  const entries = new Map<string, WrittenEntry>();
  while (!takeEnd(reader)) {
    // js-yaml takes text behind the last item of a list for a key, where the list is indented no further than its own key.
    if (entries.size > 0 && event.style !== COLLECTION_STYLE.FLOW && !isOnNewLine(reader)) return undefined;
    const key = readKey(reader);
    if (!key || entries.has(key.text)) return undefined;
    const { source, start, end, text } = key;
    const value = readNode(reader);
    if (!value) return undefined;
    entries.set(text, { key: text, source, start, end, value });
  }
  const span = collectionSpan(reader, event, "{");
  if (!span || entries.size > fewEntries) return span && { type: "map", ...span, entries };
  return new EverydayMap(span, [...entries.values()]);
}

function readList(reader: Reader, event: SequenceEvent): WrittenNode | undefined {
  const items: WrittenNode[] = [];
  while (!takeEnd(reader)) {
    const item = readNode(reader);
    if (!item) return undefined;
    items.push(item);
  }
  const span = collectionSpan(reader, event, "[");
  if (!span) return undefined;
  const { source, start, end } = span;
  // A list to which items were pushed has room for 16 more, and most lists have one.
  return { type: "list", source, start, end, items: items.slice() };
}

/** Whether a line ends between the last value that was read and the next scalar. */
function isOnNewLine({ source: { text }, events, next, reached }: Reader): boolean {
  const event = events[next];
  // A block text ends behind its last line feed.
  return event?.type === EVENT_ID.SCALAR && text.lastIndexOf("\n", event.valueStart - 1) >= reached - 1;
}

const closing = /(?:[\s,:?]|#[^\n]*\n)*[\]}]/uy;

/** The span of a list or map whose members are read. Brackets are looked for, since no event tells the place of the closing one. */
function collectionSpan(
  reader: Reader,
  { start, style }: MappingEvent | SequenceEvent,
  bracket: string,
): Span | undefined {
  const { source } = reader;
  if (style === COLLECTION_STYLE.FLOW && source.text[start] === bracket) {
    closing.lastIndex = reader.reached;
    if (!closing.test(source.text)) return undefined;
    reader.reached = closing.lastIndex;
  }
  return { source, start, end: reader.reached };
}

/** Reads a key that is a scalar, other than those that a manifest must not have. */
function readKey(reader: Reader): WrittenScalar | undefined {
  const event = reader.events[reader.next];
  if (event?.type !== EVENT_ID.SCALAR) return undefined;
  const key = readScalar(reader, event);
  reader.next += 1;
  if (!key || isForbiddenKey(key.text)) return undefined;
  return key.plain && (key.text === "" || key.text === "<<") ? undefined : key;
}

function readScalar(reader: Reader, event: ScalarEvent): WrittenScalar | undefined {
  if (hasProperties(event)) return undefined;
  if (event.valueStart < 0) return readNothing(reader);
  const { source } = reader;
  const { style, valueStart, valueEnd } = event;
  const text = getScalarValue(source.text, event);
  const plain = style === SCALAR_STYLE.PLAIN;
  if (!plain && half.test(text)) return undefined;
  const quotes = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
  const start = plain || quotes > 0 ? valueStart - quotes : startOfBlock(reader);
  reader.reached = valueEnd + quotes;
  return { type: "scalar", source, start, end: reader.reached, value: plain ? typedValue(text) : text, text, plain };
}

const beforeHeader = /(?:[\s:-]|#[^\n]*\n)*/uy;

function startOfBlock({ source, reached }: Reader): number {
  beforeHeader.lastIndex = reached;
  beforeHeader.test(source.text);
  return beforeHeader.lastIndex;
}

const placeOfNothing = /(?:\s|#[^\n]*\n)*[:-] */uy;

/** The value that is left out behind a colon or a dash, or whose colon is left out as well. */
function readNothing(reader: Reader): WrittenScalar {
  placeOfNothing.lastIndex = reader.reached;
  if (placeOfNothing.test(reader.source.text)) reader.reached = placeOfNothing.lastIndex;
  const { source, reached } = reader;
  return { type: "scalar", source, start: reached, end: reached, value: null, text: "", plain: true };
}

// No other text can be anything but a string, and most begin otherwise.
const maybeTyped = /^(?!\d+\.\d+\.)[-+.\d~nNtTfF]/u;
const tags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];

/** Returns what YAML 1.2 makes of a plain text. */
function typedValue(text: string): WrittenScalar["value"] {
  if (text === "") return null;
  if (!maybeTyped.test(text)) return text;
  for (const { resolve, tagName } of tags) {
    const value = resolve(text, false, tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  // A number that is too large for JavaScript resolves to nothing.
  return Math.abs(Number(text)) === Infinity ? Number(text) : text;
}
