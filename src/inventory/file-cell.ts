import { createHash } from "node:crypto";
import { realpath, rm, stat } from "node:fs/promises";
import { readFile } from "../lib/read-file.ts";
import { createFile, writeFile } from "../lib/write-file.ts";
import type { Cell, CellContent, Loaded, Swapped } from "./cell.ts";
import { maxBytes } from "./content.ts";
import { warning } from "./notice.ts";

interface FileDeps {
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The inventory in a file: written aside, synced and renamed, so that it is never there half-written. */
export function fileCell(path: string, deps: FileDeps): Cell {
  return {
    where: `file ${path}`,
    keepsHistory: false,
    load: () => load(path),
    swap: (text, _entry, over) => exclusively(path, deps, async () => replace(path, text, over)),
    history: async () => undefined,
    close: async () => undefined,
  };
}

async function load(path: string): Promise<Loaded> {
  const content = read(path);
  return { content, version: versionOf(content), notices: [] };
}

function read(path: string): CellContent {
  try {
    return { is: "bytes", bytes: readFile(path, maxBytes).bytes };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { is: "absent" } : { is: "unreadable", reason: message };
  }
}

function versionOf(content: CellContent): string {
  if (content.is === "bytes") return createHash("sha256").update(content.bytes).digest("hex");
  return content.is === "absent" ? "" : content.reason;
}

async function replace(path: string, text: string, over: string): Promise<Swapped> {
  if (versionOf(read(path)) !== over) return { is: "moved" };
  // A link to the file stays one.
  const target = await realpath(path).catch(() => path);
  writeFile(target, text, 0o644);
  return { is: "done", version: createHash("sha256").update(text).digest("hex"), notices: [] };
}

/** Milliseconds after which a lock file was left behind: what is done under it takes a few. */
const abandonedAfter = 10_000;
const retryAfter = 20;

/** Comparing and replacing must not be cut in two by another process: FILE.lock is there meanwhile. */
async function exclusively(path: string, { now, sleep }: FileDeps, work: () => Promise<Swapped>): Promise<Swapped> {
  const lock = `${path}.lock`;
  try {
    for (const start = now(); ; await sleep(retryAfter)) {
      if (await makeFile(lock)) break;
      const made = (await stat(lock).catch(() => undefined))?.mtimeMs ?? now();
      if (now() - made > abandonedAfter) await rm(lock, { force: true });
      else if (now() - start > 2 * abandonedAfter) throw new Error(`${lock} stays`);
    }
    try {
      return await work();
    } finally {
      await rm(lock, { force: true });
    }
  } catch (error) {
    const summary = `The inventory ${path} could not be written: ${(error as Error).message}`;
    const hint = "what this run adds is not known as ours afterwards; check the folder of --inventory";
    return { is: "failed", notices: [warning("inventory_not_kept", summary, hint)] };
  }
}

async function makeFile(path: string): Promise<boolean> {
  try {
    await (await createFile(path, 0o644)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
