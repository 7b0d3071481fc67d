import { rename, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { appendText, createFile, syncFolder } from "../lib/write-file.ts";
import { sealLine } from "./seal-line.ts";

/** Appends lines of JSON to a file, each sealed (`seal-line.ts`). The file takes the place of an older one with the first of them. */
export interface GroupWriter {
  /** Resolves when the line is on the disk: undefined, or why it is not, and then nothing more will be. */
  readonly append: (line: string) => Promise<string | undefined>;
  /** A line that nobody waits for: it outlives the process at once, a power failure once the disk is waited for again. */
  readonly note: (line: string) => void;
  /** Resolves when all is written, or cannot be. */
  readonly close: () => Promise<void>;
}

/**
 * Writes a new file aside, beginning with these lines. Lines of one turn of the event loop, and those appended while the disk is at work,
 * are written and synced together, so that many at once cost as much as one. Throws where the disk refuses already.
 */
export async function openGroupWriter(path: string, ...first: readonly string[]): Promise<GroupWriter> {
  const draft = draftOf(path);
  let count = 0;
  const seal = (line: string) => `${sealLine(line, (count += 1))}\n`;
  const file = await begin(draft, first.map(seal).join(""));
  let waiting: { readonly line: string; readonly settle?: (failure: string | undefined) => void }[] = [];
  let turn: Promise<void> | undefined;
  let isInPlace = false;
  let broken: string | undefined;
  const work = async () => {
    while (waiting.length > 0) {
      await nextTurn();
      const group = waiting;
      waiting = [];
      const text = group.map(({ line }) => seal(line)).join("");
      const isWaitedFor = group.some(({ settle }) => settle);
      broken ??= await writeGroup(file, text, isWaitedFor);
      if (!isInPlace && broken === undefined) {
        broken = await putInPlace(draft, path);
        isInPlace = broken === undefined;
      }
      for (const { settle } of group) settle?.(broken);
    }
    turn = undefined;
  };
  const add = (entry: (typeof waiting)[number]) => {
    waiting.push(entry);
    turn ??= work();
  };
  return {
    append: (line) => new Promise((settle) => add({ line, settle })),
    note: (line) => add({ line }),
    close: async () => {
      await turn;
      await file.close();
      if (!isInPlace) await rm(draft, { force: true });
    },
  };
}

/** Returns the path at which a file stands until its first group of lines is written. */
export const draftOf = (path: string) => `${path}.new`;

async function begin(path: string, text: string): Promise<FileHandle> {
  // One left by a dead process, or a link that someone else has put there and that leads away.
  await rm(path, { force: true });
  return createFile(path, text, 0o600);
}

async function writeGroup(file: FileHandle, text: string, isWaitedFor: boolean): Promise<string | undefined> {
  try {
    appendText(file, text);
    if (isWaitedFor) await file.datasync();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

async function putInPlace(draft: string, path: string): Promise<string | undefined> {
  try {
    await rename(draft, path);
    syncFolder(dirname(path));
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
