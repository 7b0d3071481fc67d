import { parseBeginning, parseJournal } from "./parse-journal.ts";
import type { Begin, ReadJournal } from "../model/journal.ts";
import type { JournalStore, StoredJournal } from "./journal-store.ts";
import { orUndefined } from "../lib/or-undefined.ts";

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
