import { readdir, rename } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readInParts } from "../lib/read-file.ts";
import { draftOf } from "./group-writer.ts";
import { parseBeginning, parseJournal } from "./parse-journal.ts";
import type { Begin, ReadJournal } from "../model/journal.ts";

/** A journal of a hundred thousand writes has some 80 MB. */
const maxBytes = 256 * 1024 * 1024;

/**
 * `absent`: with the beginning of an apply that was cut off before it sent anything. `bad`: it cannot be read. `foreign`: it is another
 * target's. `none`: the file is not a journal.
 */
export type FoundJournal =
  | { readonly is: "absent"; readonly begun: Begin | undefined }
  | { readonly is: "read"; readonly journal: ReadJournal; readonly begun: Begin | undefined }
  | { readonly is: "bad"; readonly reason: string }
  | { readonly is: "foreign"; readonly target: string }
  | { readonly is: "none" };

/** Reads what an earlier apply has left, and leaves it as it is. Throws where the disk refuses. */
export async function readJournal(path: string, target: string): Promise<FoundJournal> {
  const begun = beginningOfDraft(path);
  const begin = parseBeginning(partsOf(path));
  if (!begin) return partsOf(path).next().done === true ? { is: "absent", begun } : { is: "none" };
  if (begin.target !== target) return { is: "foreign", target: begin.target };
  const parsed = parseJournal(partsOf(path));
  return "journal" in parsed ? { is: "read", journal: parsed.journal, begun } : { is: "bad", reason: parsed.wrong };
}

/** Moves a file out of the way of a journal. `now`: milliseconds since the epoch. */
export const quarantine = (path: string, now: number): Promise<void> =>
  rename(path, `${path}${aside}${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, "")}`);

/** Journals that could not be read and were moved aside, and that nobody has removed since. */
export async function quarantinedJournals(path: string): Promise<readonly string[]> {
  const names = await readdir(dirname(path)).catch(() => []);
  return names
    .filter((name) => name.startsWith(`${basename(path)}${aside}`))
    .toSorted()
    .map((name) => join(dirname(path), name));
}

const aside = ".bad-";

function beginningOfDraft(path: string): Begin | undefined {
  try {
    return parseBeginning(partsOf(draftOf(path)));
  } catch {
    return undefined;
  }
}

/** Reads a journal part by part; a file that is not there has none. */
function* partsOf(path: string): Generator<Buffer> {
  try {
    yield* readInParts(path, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
