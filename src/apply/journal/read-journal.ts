import { readFile, rename, stat } from "node:fs/promises";
import { parseJournal } from "./parse-journal.ts";
import type { ReadJournal } from "./record.ts";

/** A journal of a hundred thousand writes has some 80 MB. */
const maxBytes = 256 * 1024 * 1024;

/** `bad`: what is there is no journal of this target; it was moved aside, to `kept`. */
export type FoundJournal =
  | { readonly is: "absent" }
  | { readonly is: "read"; readonly journal: ReadJournal }
  | { readonly is: "bad"; readonly reason: string; readonly kept: string };

/** Reads what an earlier apply has left. `now`: milliseconds since the epoch. Throws where the disk refuses. */
export async function readJournal(path: string, target: string, now: number): Promise<FoundJournal> {
  const text = await readText(path);
  if (text === "") return { is: "absent" };
  const parsed = typeof text === "string" ? parseJournal(text) : text;
  if ("journal" in parsed && parsed.journal.begin.target === target) return { is: "read", journal: parsed.journal };
  const reason =
    "journal" in parsed ? `it is of another target, ${JSON.stringify(parsed.journal.begin.target)}` : parsed.wrong;
  const kept = `${path}.bad-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, "")}`;
  await rename(path, kept);
  return { is: "bad", reason, kept };
}

/** Empty for a file that is not there. */
async function readText(path: string): Promise<string | { readonly wrong: string }> {
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw new Error("it is no regular file");
    if (stats.size > maxBytes) return { wrong: `it has ${stats.size} bytes, more than ${maxBytes}` };
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
}
