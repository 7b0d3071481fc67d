import {
  COLLECTION_STYLE,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type Event,
  type MappingEvent,
  type ScalarEvent,
  type SequenceEvent,
} from "js-yaml";
import { isForbiddenKey } from "./build-tree.ts";
import { PackedMap, sorts, typedValue } from "./packed-tree.ts";
import type { SourceText, WrittenMap } from "./written.ts";

const maxDepth = 64;
// The events of a text are all held at once: at most two for each of these characters.
const maxIndicators = 4_000_000;
const indicator = /[-,:?[\]{}\n]/gu;

/**
 * Tabs, lone carriage returns, byte order marks, characters that may begin an anchor, a tag or a long key, directives,
 * marks of documents, headers of block texts that state an indentation, and an escaped end of a line before an empty line.
 */
const rare = /\t|\r(?!\n)|\ufeff|(?:^|[^0-9A-Za-z])(?:[&!]|\?\s)|^ *(?:%|\.\.\.)|^ +---|[|>][-+]?\d|\\\r?\n *\r?\n/mu;

/**
 * Reads a text of everyday YAML in a sixth of the time that parseAnyYaml takes. Returns undefined for a text with a mistake or with
 * something rare: parseAnyYaml reads such a text, and describes its mistakes.
 */
export function parseEverydayYaml(source: SourceText): WrittenMap | undefined {
  if (rare.test(source.text) || hasManyIndicators(source.text)) return undefined;
  const events = eventsOf(source.text);
  const [document] = events;
  if (document?.type !== EVENT_ID.DOCUMENT) return undefined;
  const reader: Reader = { source, events, next: 1, reached: 0, depth: 0, cells: [], texts: [] };
  const isMap = events[1]?.type === EVENT_ID.MAPPING && readNode(reader);
  const isOneDocument = reader.next === events.length - 1;
  if (!isMap || !isOneDocument) return undefined;
  return new PackedMap({ source, cells: new Int32Array(reader.cells), texts: reader.texts }, 0);
}

interface Reader {
  readonly source: SourceText;
  readonly events: readonly Event[];
  /** The index of the next event. */
  next: number;
  /** The offset behind the last value that was read. */
  reached: number;
  depth: number;
  /** Those of the nodes that were read: see packed-tree.ts. */
  readonly cells: number[];
  readonly texts: string[];
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

/** Reads the next value. Returns false where that is left to the other reader. */
function readNode(reader: Reader): boolean {
  const event = reader.events[reader.next];
  reader.next += 1;
  if (event?.type === EVENT_ID.SCALAR) return readScalar(reader, event) !== undefined;
  if (event?.type !== EVENT_ID.MAPPING && event?.type !== EVENT_ID.SEQUENCE) return false;
  if (hasProperties(event) || reader.depth === maxDepth) return false;
  reader.depth += 1;
  reader.reached = event.style === COLLECTION_STYLE.FLOW ? event.start + 1 : event.start;
  const isMap = event.type === EVENT_ID.MAPPING;
  const at = reader.cells.push(isMap ? sorts.map : sorts.list, event.start, 0, 0) - 4;
  const isRead =
    (isMap ? readEntries(reader, event.style) : readItems(reader)) && readEnd(reader, event, isMap ? "{" : "[");
  reader.cells[at + 2] = reader.reached;
  reader.cells[at + 3] = reader.cells.length;
  reader.depth -= 1;
  return isRead;
}

const hasProperties = ({ anchorStart, tagStart }: ScalarEvent | MappingEvent | SequenceEvent) =>
  anchorStart >= 0 || tagStart >= 0;

/** Reads the event that ends a list or map, if it is the next. */
function takeEnd(reader: Reader): boolean {
  const isEnd = reader.events[reader.next]?.type === EVENT_ID.POP;
  if (isEnd) reader.next += 1;
  return isEnd;
}

function readEntries(reader: Reader, style: MappingEvent["style"]): boolean {
  let first: string | undefined;
  // Most maps have one key.
  let others: Set<string> | undefined;
  while (!takeEnd(reader)) {
    // js-yaml takes text behind the last item of a list for a key, where the list is indented no further than its own key.
    if (first !== undefined && style !== COLLECTION_STYLE.FLOW && !isOnNewLine(reader)) return false;
    const key = readKey(reader);
    if (key === undefined || key === first || others?.has(key) === true) return false;
    if (first === undefined) first = key;
    else (others ??= new Set()).add(key);
    if (!readNode(reader)) return false;
  }
  return true;
}

/** Whether a line ends between the last value that was read and the next scalar. */
function isOnNewLine({ source: { text }, events, next, reached }: Reader): boolean {
  const event = events[next];
  // A block text ends behind its last line feed.
  return event?.type === EVENT_ID.SCALAR && text.lastIndexOf("\n", event.valueStart - 1) >= reached - 1;
}

function readItems(reader: Reader): boolean {
  while (!takeEnd(reader)) if (!readNode(reader)) return false;
  return true;
}

const closing = /(?:[\s,:?]|#[^\n]*\n)*[\]}]/uy;

/** Reads to the end of a list or map whose members are read. Brackets are looked for, since no event tells the place of the closing one. */
function readEnd(reader: Reader, { start, style }: MappingEvent | SequenceEvent, bracket: string): boolean {
  const { text } = reader.source;
  if (style === COLLECTION_STYLE.FLOW && text[start] === bracket) {
    closing.lastIndex = reader.reached;
    if (!closing.test(text)) return false;
    reader.reached = closing.lastIndex;
  }
  return true;
}

/** Reads a key that is a scalar, other than those that a manifest must not have. */
function readKey(reader: Reader): string | undefined {
  const event = reader.events[reader.next];
  if (event?.type !== EVENT_ID.SCALAR) return undefined;
  const key = readScalar(reader, event);
  reader.next += 1;
  if (key === undefined || isForbiddenKey(key)) return undefined;
  const isPlain = event.valueStart < 0 || event.style === SCALAR_STYLE.PLAIN;
  return isPlain && (key === "" || key === "<<") ? undefined : key;
}

/** Reads a scalar, and returns its text. */
function readScalar(reader: Reader, event: ScalarEvent): string | undefined {
  if (hasProperties(event)) return undefined;
  if (event.valueStart < 0) return readNothing(reader);
  const { source, cells, texts } = reader;
  const { style, valueStart, valueEnd, fast } = event;
  const text = getScalarValue(source.text, event);
  const isPlain = style === SCALAR_STYLE.PLAIN;
  if (!isPlain && half.test(text)) return undefined;
  const sort = isPlain ? (typedValue(text) === text ? sorts.plain : sorts.typed) : sorts.quoted;
  const quotes = style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0;
  const start = isPlain || quotes > 0 ? valueStart - quotes : startOfBlock(reader);
  reader.reached = valueEnd + quotes;
  cells.push(sort, start, reader.reached, fast && start === valueStart - quotes ? -quotes : texts.push(text));
  return text;
}

/** A unit of UTF-16 that is not one of a pair. */
const half = /\p{Surrogate}/u;

const beforeHeader = /(?:[\s:-]|#[^\n]*\n)*/uy;

function startOfBlock({ source, reached }: Reader): number {
  beforeHeader.lastIndex = reached;
  beforeHeader.test(source.text);
  return beforeHeader.lastIndex;
}

const placeOfNothing = /(?:\s|#[^\n]*\n)*[:-] */uy;

/** The value that is left out behind a colon or a dash, or whose colon is left out as well. */
function readNothing(reader: Reader): string {
  placeOfNothing.lastIndex = reader.reached;
  if (placeOfNothing.test(reader.source.text)) reader.reached = placeOfNothing.lastIndex;
  reader.cells.push(sorts.typed, reader.reached, reader.reached, 0);
  return "";
}
