import type { Address } from "../model/address.ts";
import type { Begin, HeldRecord, Intent, RemovedValues, WriteOutcome } from "../model/journal.ts";

/**
 * One line of a journal (schemas/journal.schema.json). `hold`: an object that is about to be deleted to make room for another, until `release`:
 * it is there again, or another is in its place, or it was given up. `carry`: values that are about to be removed, until `carry_end`: they
 * are written again, or were never removed. `end`: the apply has ended by itself; steps by what became of them.
 */
export type JournalRecord =
  | Begin
  | Intent
  | ({ readonly type: "outcome"; readonly n: number } & WriteOutcome)
  | ({ readonly type: "hold" } & HeldRecord)
  | { readonly type: "release"; readonly key: string }
  | ({ readonly type: "carry" } & RemovedValues)
  | { readonly type: "carry_end"; readonly address: Address }
  | ({ readonly type: "end" } & Readonly<Record<"done" | "failed" | "blocked" | "not_attempted", number>>);
