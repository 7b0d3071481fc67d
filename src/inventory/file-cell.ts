import { createHash } from "node:crypto";
import { open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
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
  const content = await read(path);
  return { content, version: versionOf(content), notices: [] };
}

async function read(path: string): Promise<CellContent> {
  try {
    const { size } = await stat(path);
    if (size > maxBytes) return { is: "unreadable", reason: `it has ${size} bytes, more than ${maxBytes}` };
    return { is: "bytes", bytes: await readFile(path) };
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
  if (versionOf(await read(path)) !== over) return { is: "moved" };
  // A link to the file stays one.
  const target = await realpath(path).catch(() => path);
  const draft = `${target}.new`;
  await writeSynced(draft, text);
  await rename(draft, target);
  await syncFolder(dirname(target));
  return { is: "done", version: createHash("sha256").update(text).digest("hex"), notices: [] };
}

async function writeSynced(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o644);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
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
    await (await open(path, "wx", 0o644)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}
