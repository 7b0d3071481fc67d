import { loadValidator } from "../lib/load-validator.ts";
import { normaliseAddress } from "../kinds/derived/collection.ts";
import { parseJson } from "../lib/parse-json.ts";
import type { Address } from "../model/address.ts";
import type { RemoteId } from "../model/resource.ts";
import type {
  Begin,
  RemovedValues,
  Deletion,
  WriteOutcome,
  HeldRecord,
  Hold,
  InFlight,
  Intent,
  JournalRecord,
  AnsweredRequest,
  ReadJournal,
} from "../model/journal.ts";
import { unsealLine } from "./seal-line.ts";
import { getOrMake } from "../lib/collect.ts";

/** Reads the parts of a journal, which may come from anyone: checked line by line, nothing thrown. A last line that was cut off is none. */
export function parseJournal(parts: Iterable<Buffer>): { readonly journal: ReadJournal } | { readonly wrong: string } {
  const lines = linesOf(parts);
  try {
    return readLines(lines);
  } finally {
    lines.return(undefined);
  }
}

function readLines(lines: Generator<Buffer, undefined>): { journal: ReadJournal } | { wrong: string } {
  const first = nextRecord(lines, 1);
  if ("wrong" in first) return first;
  if (first.record?.type !== "begin") return { wrong: "its first line is missing" };
  const begin = first.record;
  const content: JournalContent = {
    counted: 0,
    numbers: new Set(),
    open: new Map(),
    unnamed: new Map(),
    answered: new Map(),
    paths: new Map(),
    made: [],
    failed: [],
    gone: new Set(),
    deleted: new Map(),
    everHeld: new Set(),
    deletions: new Map(),
    holds: new Map(),
    removedValues: new Map(),
  };
  let [once, ended] = [0, false];
  for (let number = 2; ; number += 1) {
    const next = nextRecord(lines, number);
    if ("wrong" in next) return next;
    const { record } = next;
    if (!record) break;
    const wrong = noteRecord(content, record);
    if (wrong !== undefined) return { wrong };
    if (record.type === "intent" && record.once) once += 1;
    ended ||= record.type === "end";
  }
  const inFlight = inFlightOf(content);
  const made = content.made.filter(({ address, id }) => id === undefined || !content.gone.has(objectAt(address, id)));
  const held = [...content.holds.values()].map(({ type: _type, ...each }) => withDeletion(each, content.deletions));
  return {
    journal: {
      begin,
      inFlight,
      failed: content.failed,
      made,
      deleted: content.deleted,
      held,
      removedValues: [...content.removedValues.values()],
      once,
      ended,
    },
  };
}

/** Returns the beginning that stands in the first line, also if its checksum is wrong; undefined if there is none. */
export function parseBeginning(parts: Iterable<Buffer>): Begin | undefined {
  const [line] = linesOf(parts);
  const record = line && parseRecord(line.toString().replace(/,"line":1,"sum":"[^"]*"\}$/u, "}"));
  return record?.type === "begin" ? record : undefined;
}

/** A record is an object of texts and numbers, and of one object. */
const deepest = 32;

const validate = loadValidator<JournalRecord>("journal");

/** Parses one journal line; undefined if it is not JSON or violates the schema. */
export function parseRecord(line: string): JournalRecord | undefined {
  try {
    const value = parseJson(line, deepest);
    return validate(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const lineFeed = 0x0a;

/** The lines that end, without their ends. */
function* linesOf(parts: Iterable<Buffer>): Generator<Buffer, undefined> {
  let begun: Buffer[] = [];
  for (const part of parts) {
    let start = 0;
    for (let end = part.indexOf(lineFeed); end >= 0; end = part.indexOf(lineFeed, start)) {
      const line = part.subarray(start, end);
      yield begun.length === 0 ? line : Buffer.concat([...begun, line]);
      begun = [];
      start = end + 1;
    }
    if (start < part.length) begun.push(part.subarray(start));
  }
  return undefined;
}

/** The record of the next line; undefined after the last. */
function nextRecord(
  lines: Generator<Buffer, undefined>,
  number: number,
): { readonly record: JournalRecord | undefined } | { readonly wrong: string } {
  const { value: line } = lines.next();
  if (line === undefined) return { record: undefined };
  const text = unsealLine(line, number);
  if (text === undefined) return { wrong: `line ${number} is missing or damaged: its number or its checksum is wrong` };
  const record = parseRecord(text);
  return record ? { record } : { wrong: `line ${number} is not as schemas/journal.schema.json says` };
}

/** The content of the lines so far. A write whose end is known, and that made nothing, leaves its number alone. */
interface JournalContent {
  /** All numbers from 1 to this one are in it. */
  counted: number;
  /** Numbers beyond that: an apply counts, so there are none, and the longest journal needs no set of them. */
  readonly numbers: Set<number>;
  readonly open: Map<number, Intent>;
  /** The ids in answers that did not show the requested name, by the number of the creation. */
  readonly answered: Map<number, RemoteId>;
  /** Creations that were done without an id, by address. */
  readonly unnamed: Map<Address, number>;
  /** One text of each path of `made`, in which many are equal. */
  readonly paths: Map<string, string>;
  readonly made: AnsweredRequest[];
  /** Intents that must not be repeated blindly, and that failed. */
  readonly failed: Intent[];
  /** Objects that were deleted again, as `objectAt` names them. */
  readonly gone: Set<string>;
  /** The ids of these objects by address. */
  readonly deleted: Map<Address, string[]>;
  /** The addresses that a hold has named so far: a deletion elsewhere gives room to nothing. */
  readonly everHeld: Set<Address>;
  /** Deletions of objects with known ids at these addresses, by address and number. */
  readonly deletions: Map<Address, Map<number, SentDeletion>>;
  readonly holds: Map<string, Hold>;
  /** Values that a replacement takes away, by address. */
  readonly removedValues: Map<Address, RemovedValues>;
}

interface SentDeletion {
  readonly at: string;
  readonly ids: readonly string[];
  ended?: WriteOutcome;
}

/** Notes the next record; returns why it cannot stand there, if so. */
function noteRecord(content: JournalContent, record: JournalRecord): string | undefined {
  if (record.type === "begin") return "a begin stands in its middle";
  const odd = oddAddressIn(record);
  if (odd !== undefined) return `${JSON.stringify(odd)} is not an address`;
  if (record.type === "hold") {
    content.holds.set(record.key, record);
    content.everHeld.add(record.address);
  }
  if (record.type === "release") content.holds.delete(record.key);
  if (record.type === "carry_end") content.removedValues.delete(record.address);
  if (record.type === "carry") {
    const { type: _type, ...values } = record;
    content.removedValues.set(record.address, values);
  }
  if (record.type === "intent") {
    if (isNoted(content, record.n)) return `the number ${record.n} stands in it twice`;
    noteNumber(content, record.n);
    content.open.set(record.n, record);
    if (record.operation === "delete" && record.ids && content.everHeld.has(record.address)) {
      const { n, at, address, ids } = record;
      getOrMake(content.deletions, address, () => new Map()).set(n, { at, ids });
    }
  }
  if (record.type === "outcome") {
    if (!isNoted(content, record.n)) return `an outcome is of the number ${record.n}, which is not in it`;
    noteOutcome(content, record.n, record);
  }
  return undefined;
}

const isNoted = ({ counted, numbers }: JournalContent, n: number) => n <= counted || numbers.has(n);

function noteNumber(content: JournalContent, n: number): void {
  if (n === content.counted + 1) content.counted = n;
  else content.numbers.add(n);
  while (content.numbers.size > 0 && content.numbers.delete(content.counted + 1)) content.counted += 1;
}

/** The first outcome that is known counts. */
function noteOutcome(content: JournalContent, n: number, ended: WriteOutcome): void {
  const { open, made, failed, gone, deleted, deletions, unnamed } = content;
  const { is, id } = ended;
  const intent = open.get(n);
  if (!intent) return;
  const deletion = deletions.get(intent.address)?.get(n);
  if (deletion) deletion.ended = ended;
  if (is === "unknown") {
    if (id !== undefined) content.answered.set(n, id);
    return;
  }
  open.delete(n);
  if (is === "failed" && intent.once) failed.push(intent);
  if (is !== "done") return;
  const { operation, address, set, ids = [] } = intent;
  if (operation === "delete") {
    for (const each of ids) gone.add(objectAt(address, each));
    getOrMake(deleted, address, () => []).push(...ids);
  }
  if (operation === "renew") made.push(madeBy(content, intent));
  if (operation !== "create" || set) return;
  if (id === undefined) unnamed.set(address, (unnamed.get(address) ?? 0) + 1);
  else {
    // Some servers make an id of the content: what comes again has the same.
    gone.delete(objectAt(address, id));
    made.push(madeBy(content, intent, id));
  }
}

/** Keeps of an intent only the fields by which its object is found and named: a journal may hold a million of them. */
function madeBy({ paths }: JournalContent, intent: Intent, id?: RemoteId): AnsweredRequest {
  const { at, address, operation, method, identity, once, ids = [], before } = intent;
  const path = paths.get(intent.path) ?? intent.path;
  paths.set(path, path);
  const rest = {
    ...(identity !== undefined && { identity }),
    ...(once && { once }),
    ...(ids.length > 0 && { ids }),
    ...(before && { before }),
  };
  if (id === undefined) return { at, address, operation, method, path, ...rest };
  return { id, address, operation, method, path, ...rest };
}

/** Returns the writes without a known outcome, each with the number of creations at its address that were done. */
function inFlightOf({ open, made, unnamed, answered }: JournalContent): InFlight[] {
  const done = new Map([...open.values()].map(({ address }) => [address, unnamed.get(address) ?? 0]));
  for (const { address, id } of made) {
    const count = id === undefined ? undefined : done.get(address);
    if (count !== undefined) done.set(address, count + 1);
  }
  return [...open.values()].map((intent) => {
    const id = answered.get(intent.n);
    return { intent, doneBeside: done.get(intent.address) ?? 0, ...(id !== undefined && { answered: id }) };
  });
}

/** Adds the end of the deletion that this journal knows; one that an earlier journal knew stays. */
function withDeletion(held: HeldRecord, deletions: JournalContent["deletions"]): HeldRecord {
  const ends = [...(deletions.get(held.address)?.values() ?? [])].flatMap(({ at, ids, ended }): Deletion[] => {
    if (!ids.includes(held.id)) return [];
    const { is = "unknown", sort } = ended ?? {};
    if (is === "failed") return sort === "not_found" ? [{ is: "done", at }] : [];
    return [{ is, at }];
  });
  const deletion = ends.find(({ is }) => is === "done") ?? ends.at(-1);
  return deletion ? { ...held, deletion } : held;
}

/** Returns the address of a record that is not as Hostform writes it, if there is such an address. */
function oddAddressIn(record: JournalRecord): Address | undefined {
  if (record.type === "intent" || record.type === "carry_end") return oddAddress(record.address);
  if (record.type === "hold") return oddAddress(record.address) ?? oddAddress(record.successor);
  if (record.type !== "carry") return undefined;
  return oddAddress(record.address) ?? (record.of && oddAddress(record.of.address));
}

const oddAddress = (address: Address) => (normaliseAddress(address) === address ? undefined : address);

/** Returns a name of a remote object that no other has: a server may count the ids of each kind, or of each zone, from 1. */
export const objectAt = (address: Address, id: string): string => `${address} ${id}`;
