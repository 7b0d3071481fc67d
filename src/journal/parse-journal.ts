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
  InFlight,
  Intent,
  AnsweredRequest,
  ReadJournal,
} from "../model/journal.ts";
import { linesOf, unsealLine } from "./seal-line.ts";
import type { JournalRecord } from "./write-journal.ts";
import { getOrMake } from "../lib/collect.ts";
import { orUndefined } from "../lib/or-undefined.ts";
import type { JournalStore, StoredJournal } from "./journal-store.ts";

/** Reads the parts of a journal, which may come from anyone: checked line by line, nothing thrown. A last line that was cut off is none. */
export function parseJournal(parts: Iterable<Buffer>): { readonly journal: ReadJournal } | { readonly wrong: string } {
  let content: JournalContent | undefined;
  let number = 0;
  for (const line of linesOf(parts)) {
    number += 1;
    const text = unsealLine(line, number);
    if (text === undefined)
      return { wrong: `line ${number} is missing or damaged: its number or its checksum is wrong` };
    const record = parseRecord(text);
    if (!record) return { wrong: `line ${number} is not as schemas/journal.schema.json says` };
    if (content) {
      const wrong = noteRecord(content, record);
      if (wrong !== undefined) return { wrong };
    } else if (record.type === "begin") content = contentOf(record);
    else break;
  }
  return content ? { journal: journalOf(content) } : { wrong: "its first line is missing" };
}

function journalOf(content: JournalContent): ReadJournal {
  const { begin, once, failed, deleted, ended } = content;
  return {
    begin,
    inFlight: inFlightOf(content),
    failed,
    made: content.made.filter(({ address, id }) => id === undefined || !content.gone.has(objectAt(address, id))),
    deleted,
    held: [...content.holds.values()].map((each) => withDeletion(each, content.deletions)),
    removedValues: [...content.removedValues.values()],
    once,
    ended,
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
  const value = orUndefined(() => parseJson(line, deepest));
  return validate(value) ? value : undefined;
}

/** The content of the lines so far. A write whose end is known, and that made nothing, leaves its number alone. */
type JournalContent = ReturnType<typeof contentOf>;

const contentOf = (begin: Begin) => ({
  begin,
  /** Those of all intents so far. */
  numbers: new Set<number>(),
  open: new Map<number, Intent>(),
  /** The ids in answers that did not show the requested name, by the number of the creation. */
  answered: new Map<number, RemoteId>(),
  /** Creations that were done without an id, by address. */
  unnamed: new Map<Address, number>(),
  /** One text of each path of `made`, in which many are equal. */
  paths: new Map<string, string>(),
  made: new Array<AnsweredRequest>(),
  /** The number of intents that must not be repeated blindly. */
  once: 0,
  /** Those of them that failed. */
  failed: new Array<Intent>(),
  /** Objects that were deleted again, as `objectAt` names them. */
  gone: new Set<string>(),
  /** The ids of these objects by address. */
  deleted: new Map<Address, string[]>(),
  /** The addresses that a hold has named so far: a deletion elsewhere gives room to nothing. */
  everHeld: new Set<Address>(),
  /** Deletions of objects with known ids at these addresses, by address and number. */
  deletions: new Map<Address, Map<number, SentDeletion>>(),
  holds: new Map<string, HeldRecord>(),
  /** Values that a replacement takes away, by address. */
  removedValues: new Map<Address, RemovedValues>(),
  ended: false,
});

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
    const { type: _type, ...held } = record;
    content.holds.set(held.key, held);
    content.everHeld.add(record.address);
  }
  if (record.type === "end") content.ended = true;
  if (record.type === "release") content.holds.delete(record.key);
  if (record.type === "carry_end") content.removedValues.delete(record.address);
  if (record.type === "carry") {
    const { type: _type, ...values } = record;
    content.removedValues.set(record.address, values);
  }
  if (record.type === "intent") {
    if (content.numbers.has(record.n)) return `the number ${record.n} stands in it twice`;
    content.numbers.add(record.n);
    content.open.set(record.n, record);
    if (record.once) content.once += 1;
    if (record.operation === "delete" && record.ids && content.everHeld.has(record.address)) {
      const { n, at, address, ids } = record;
      getOrMake(content.deletions, address, () => new Map()).set(n, { at, ids });
    }
  }
  if (record.type === "outcome") {
    if (!content.numbers.has(record.n)) return `an outcome is of the number ${record.n}, which is not in it`;
    noteOutcome(content, record.n, record);
  }
  return undefined;
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

/** Returns the writes without a known outcome, those under one key once, each with the number of creations at its address that were done. */
function inFlightOf({ open: all, made, unnamed, answered }: JournalContent): InFlight[] {
  const open = new Map([...all].map(([n, intent]) => [intent.key ?? n, intent]));
  const done = new Map([...open.values()].map(({ address }) => [address, unnamed.get(address) ?? 0]));
  for (const { address, id } of made)
    if (id !== undefined && done.has(address)) done.set(address, (done.get(address) ?? 0) + 1);
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

/**
 * `absent`: with the beginning of an apply that was cut off before it sent anything. `bad`: it cannot be read. `foreign`: it is another
 * target's. `none`: what is there is not a journal.
 */
export type FoundJournal =
  | { readonly is: "absent"; readonly begun: Begin | undefined }
  | { readonly is: "read"; readonly journal: ReadJournal; readonly begun: Begin | undefined }
  | { readonly is: "bad"; readonly reason: string }
  | { readonly is: "foreign"; readonly target: string }
  | { readonly is: "none" };

/** Reads what an earlier apply has left, and leaves it as it is. Rejects where its place refuses. */
export async function readJournal(store: JournalStore, target: string): Promise<FoundJournal> {
  const { parts, draft } = await store.read();
  const begun = beginningOf(draft);
  const begin = parseBeginning(parts());
  if (!begin) return parts()[Symbol.iterator]().next().done === true ? { is: "absent", begun } : { is: "none" };
  if (begin.target !== target) return { is: "foreign", target: begin.target };
  const parsed = parseJournal(parts());
  return "journal" in parsed ? { is: "read", journal: parsed.journal, begun } : { is: "bad", reason: parsed.wrong };
}

const beginningOf = (draft: StoredJournal["draft"]): Begin | undefined => orUndefined(() => parseBeginning(draft()));
