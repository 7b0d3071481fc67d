import { createRequire } from "node:module";
import { normaliseAddress } from "../../kinds/derived/normalise-address.ts";
import { parseJson } from "../../lib/parse-json.ts";
import type { Address } from "../../model/address.ts";
import type { Deletion, HeldRecord } from "../exchanges/held.ts";
import { unsealLine } from "./seal-line.ts";
import type { Begin, Ended, Hold, InFlight, Intent, JournalRecord, Made, ReadJournal } from "./record.ts";

/** Reads a journal, which may come from anyone: checked line by line, nothing thrown. A last line that was cut off is none. */
export function parseJournal(text: string): { readonly journal: ReadJournal } | { readonly wrong: string } {
  const records: JournalRecord[] = [];
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
    const number = records.length + 1;
    const line = unsealLine(text.slice(start, end), number);
    if (line === undefined)
      return { wrong: `line ${number} is missing or damaged: its number or its checksum is wrong` };
    const record = parseRecord(line);
    if (!record) return { wrong: `line ${number} is not as schemas/journal.schema.json says` };
    records.push(record);
    start = end + 1;
  }
  return readRecords(records);
}

/** Returns the beginning that stands in the first line of a text, also if its checksum is wrong; undefined if there is none. */
export function parseBeginning(text: string): Begin | undefined {
  const line = text.slice(0, Math.max(text.indexOf("\n"), 0));
  const record = parseRecord(line.replace(/,"line":1,"sum":"[^"]*"\}$/u, "}"));
  return record?.type === "begin" ? record : undefined;
}

/** A record is an object of texts and numbers, and of one object. */
const deepest = 32;

const validate = createRequire(import.meta.url)("../../../dist/validators/journal.cjs") as (value: unknown) => boolean;

/** One line; undefined for one that is none. */
export function parseRecord(line: string): JournalRecord | undefined {
  try {
    const value = parseJson(line, deepest);
    return validate(value) ? (value as JournalRecord) : undefined;
  } catch {
    return undefined;
  }
}

function readRecords([begin, ...rest]: readonly JournalRecord[]): { journal: ReadJournal } | { wrong: string } {
  if (begin?.type !== "begin") return { wrong: "it has no beginning" };
  const intents = new Map<number, Intent>();
  const outcomes = new Map<number, Ended>();
  const holds = new Map<string, Hold>();
  for (const record of rest) {
    if (record.type === "begin" || record.type === "lock") return { wrong: `a ${record.type} stands in its middle` };
    const odd = addressesOf(record).find((address) => normaliseAddress(address) !== address);
    if (odd !== undefined) return { wrong: `${JSON.stringify(odd)} is no address` };
    if (record.type === "intent") {
      if (intents.has(record.n)) return { wrong: `the number ${record.n} stands in it twice` };
      intents.set(record.n, record);
    }
    if (record.type === "hold") holds.set(record.key, record);
    if (record.type === "release") holds.delete(record.key);
    if (record.type === "outcome") {
      if (!intents.has(record.n)) return { wrong: `an outcome is of the number ${record.n}, which is not in it` };
      outcomes.set(record.n, record);
    }
  }
  const once = [...intents.values()].filter((intent) => intent.once).length;
  const ended = rest.some(({ type }) => type === "end");
  const held = [...holds.values()].map(({ type: _type, ...each }) => withDeletion(each, intents, outcomes));
  return {
    journal: {
      begin,
      inFlight: findInFlight([...intents.values()], outcomes),
      made: findMade([...intents.values()], outcomes),
      held,
      once,
      ended,
    },
  };
}

/** Adds the end of the deletion that this journal knows; one that an earlier journal knew stays. */
function withDeletion(
  held: HeldRecord,
  intents: ReadonlyMap<number, Intent>,
  outcomes: ReadonlyMap<number, Ended>,
): HeldRecord {
  const ends = [...intents.values()].flatMap(({ n, at, operation, address, ids }): Deletion[] => {
    if (operation !== "delete" || address !== held.address || ids?.includes(held.id) !== true) return [];
    const { is = "unknown", sort } = outcomes.get(n) ?? {};
    if (is === "failed") return sort === "not_found" ? [{ is: "done", at }] : [];
    return [{ is, at }];
  });
  const deletion = ends.find(({ is }) => is === "done") ?? ends.at(-1);
  return deletion ? { ...held, deletion } : held;
}

function addressesOf(record: JournalRecord): Address[] {
  if (record.type === "hold") return [record.address, record.successor];
  return record.type === "intent" ? [record.address] : [];
}

function findInFlight(intents: readonly Intent[], outcomes: ReadonlyMap<number, Ended>): InFlight[] {
  const made = new Map<Address, number>();
  for (const { n, operation, address } of intents)
    if (operation === "create" && outcomes.get(n)?.is === "done") made.set(address, (made.get(address) ?? 0) + 1);
  return intents
    .filter(({ n }) => (outcomes.get(n)?.is ?? "unknown") === "unknown")
    .map((intent) => ({ intent, doneBeside: made.get(intent.address) ?? 0 }));
}

/** Returns the creations that were answered with an id, without those whose object the same apply deleted again. */
function findMade(intents: readonly Intent[], outcomes: ReadonlyMap<number, Ended>): Made[] {
  const isDone = ({ n }: Intent) => outcomes.get(n)?.is === "done";
  const deleted = new Set(
    intents.flatMap((intent) => (intent.operation === "delete" && isDone(intent) ? (intent.ids ?? []) : [])),
  );
  return intents.flatMap((intent) => {
    const { is, id } = outcomes.get(intent.n) ?? {};
    return intent.operation === "create" && is === "done" && id !== undefined && !deleted.has(id)
      ? [{ intent, id }]
      : [];
  });
}
