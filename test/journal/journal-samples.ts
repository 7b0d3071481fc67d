import { parseJournal } from "../../src/journal/parse-journal.ts";
import type { JournalRecord } from "../../src/journal/write-journal.ts";
import type { Begin, Intent, Write } from "../../src/model/journal.ts";
import type { Address } from "../../src/model/address.ts";

/** When all that these samples record has happened, as ISO 8601. */
export const noon = "2026-06-01T12:00:00.000Z";

/** The first record of a journal. */
export const begin: Begin = {
  type: "begin",
  version: 1,
  target: "t-0",
  by: "ann@desk",
  host: "desk",
  pid: 7,
  since: noon,
};

export const www = "dns_record/a.example/www/A" as Address;

/** A creation that is about to be sent. */
export const write: Write = {
  step: "s",
  address: www,
  operation: "create",
  method: "POST",
  path: "/r",
  identity: "192.0.2.1",
};

/** The record of `write` before it is sent; `n` is its number, `more` takes the place of its fields. */
export const intent = (n: number, more: Partial<Intent> = {}): Intent => ({
  type: "intent",
  n,
  at: noon,
  ...write,
  ...more,
});

/** The record of what became of write `n`. */
export const outcome = (n: number, is: "done" | "failed" | "unknown"): JournalRecord => ({ type: "outcome", n, is });

/** A text as it is read: in parts that end anywhere. */
export const partsOf = (text: string) => {
  const bytes = Buffer.from(text);
  const length = 1 + (bytes.length % 61);
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
};

/** Returns the numbers of the writes in flight in a journal; the reason, if its text is not one. */
export const inFlightIn = (text: string) => {
  const parsed = parseJournal(partsOf(text));
  return "journal" in parsed ? parsed.journal.inFlight.map((each) => each.intent.n) : parsed.wrong;
};
