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
import { isForbiddenKey } from "./build-tree.ts";
import type { SourceText, Span, WrittenEntry, WrittenMap, WrittenNode, WrittenScalar } from "./written.ts";

const maxDepth = 64;
// The events of a text are all held at once: at most two for each of these characters.
const maxIndicators = 4_000_000;
const indicator = /[-,:?[\]{}\n]/gu;

/**
 * Tabs, lone carriage returns, byte order marks, characters that may begin an anchor, a tag or a long key, directives,
 * marks of documents, and headers of block texts that state an indentation.
 */
const rare = /\t|\r(?!\n)|\ufeff|(?:^|[^0-9A-Za-z])(?:[&!]|\?\s)|^ *(?:%|\.\.\.)|^ +---|[|>][-+]?\d/mu;

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

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: 2 * maxDepth });
  } catch {
    return [];
  }
}

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

function readMap(reader: Reader, event: MappingEvent): WrittenNode | undefined {
  const entries = new Map<string, WrittenEntry>();
  while (!takeEnd(reader)) {
    const key = readKey(reader);
    if (!key || entries.has(key.source)) return undefined;
    const value = readNode(reader);
    if (!value) return undefined;
    entries.set(key.source, { key: key.source, keySpan: key.span, value });
  }
  const span = collectionSpan(reader, event, "{");
  return span && { type: "map", span, entries };
}

function readList(reader: Reader, event: SequenceEvent): WrittenNode | undefined {
  const items: WrittenNode[] = [];
  while (!takeEnd(reader)) {
    const item = readNode(reader);
    if (!item) return undefined;
    items.push(item);
  }
  const span = collectionSpan(reader, event, "[");
  return span && { type: "list", span, items };
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
  if (!key || isForbiddenKey(key.source)) return undefined;
  return key.plain && (key.source === "" || key.source === "<<") ? undefined : key;
}

function readScalar(reader: Reader, event: ScalarEvent): WrittenScalar | undefined {
  if (hasProperties(event)) return undefined;
  if (event.valueStart < 0) return readNothing(reader);
  const { source } = reader;
  const { style } = event;
  const text = getScalarValue(source.text, event);
  const plain = style === SCALAR_STYLE.PLAIN;
  if (!plain && half.test(text)) return undefined;
  const span = scalarSpan(reader, event);
  reader.reached = span.end;
  return { type: "scalar", span, value: plain ? valueOf(text) : text, source: text, plain };
}

/** A unit of UTF-16 that is not one of a pair. */
const half = /\p{Surrogate}/u;

const beforeHeader = /(?:[\s:-]|#[^\n]*\n)*/uy;

function scalarSpan({ source, reached }: Reader, { style, valueStart, valueEnd }: ScalarEvent): Span {
  if (style === SCALAR_STYLE.PLAIN) return { source, start: valueStart, end: valueEnd };
  if (style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED)
    return { source, start: valueStart - 1, end: valueEnd + 1 };
  beforeHeader.lastIndex = reached;
  beforeHeader.test(source.text);
  return { source, start: beforeHeader.lastIndex, end: valueEnd };
}

const placeOfNothing = /(?:\s|#[^\n]*\n)*[:-] */uy;

/** The value that is left out behind a colon or a dash, or whose colon is left out as well. */
function readNothing(reader: Reader): WrittenScalar {
  placeOfNothing.lastIndex = reader.reached;
  if (placeOfNothing.test(reader.source.text)) reader.reached = placeOfNothing.lastIndex;
  const span: Span = { source: reader.source, start: reader.reached, end: reader.reached };
  return { type: "scalar", span, value: null, source: "", plain: true };
}

// No other text can be anything but a string, and most begin otherwise.
const maybeTyped = /^[-+.\d~nNtTfF]/u;
const tags = [nullCoreTag, boolCoreTag, intCoreTag, floatCoreTag];

function valueOf(text: string): WrittenScalar["value"] {
  if (!maybeTyped.test(text)) return text;
  for (const { resolve, tagName } of tags) {
    const value = resolve(text, false, tagName);
    if (value !== NOT_RESOLVED) return value;
  }
  // A number that is too large for JavaScript resolves to nothing.
  return Math.abs(Number(text)) === Infinity ? Number(text) : text;
}
