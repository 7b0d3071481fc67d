import { readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readInParts } from "../lib/read-file.ts";
import { inWords } from "../lib/system-words.ts";
import { appendText, createFile, syncFolder } from "../lib/write-file.ts";
import type { JournalLines, JournalStore } from "./journal-store.ts";

/** A journal of a hundred thousand writes has some 80 MB. */
const maxBytes = 256 * 1024 * 1024;

/** The path at which a journal stands until its first lines are appended. */
const draftOf = (path: string) => `${path}.new`;
const aside = ".bad-";

/** The journal in a file. */
export const fileJournal = (path: string): JournalStore => ({
  where: path,
  file: path,
  read: async () => ({ parts: () => partsOf(path), draft: () => partsOf(draftOf(path)) }),
  begin: (text) => begin(path, text),
  remove: () => rm(path, { force: true }),
  setAside: (now) => rename(path, `${path}${aside}${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/gu, "")}`),
  listAside: async () => {
    const names = await readdir(dirname(path)).catch(noneIfAbsent);
    return names
      .filter((name) => name.startsWith(`${basename(path)}${aside}`))
      .toSorted()
      .map((name) => join(dirname(path), name));
  },
});

async function begin(path: string, text: string): Promise<JournalLines> {
  const draft = draftOf(path);
  // One left by a dead process, or a link that someone else has put there and that leads away.
  await rm(draft, { force: true });
  const file = await createFile(draft, text, 0o600);
  let isInPlace = false;
  return {
    append: async (lines, isWaitedFor) => {
      try {
        appendText(file.fd, lines);
        if (isWaitedFor) await file.datasync();
        if (isInPlace) return undefined;
        await rename(draft, path);
        syncFolder(dirname(path));
        isInPlace = true;
        return undefined;
      } catch (error) {
        return (inWords(error, path) as Error).message;
      }
    },
    close: async () => {
      await file.close();
      if (!isInPlace) await rm(draft, { force: true });
    },
  };
}

/** Reads a file part by part; one that is not there has none. */
function* partsOf(path: string): Generator<Buffer> {
  try {
    yield* readInParts(path, maxBytes);
  } catch (error) {
    noneIfAbsent(error);
  }
}

function noneIfAbsent(error: unknown): never[] {
  if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  return [];
}
