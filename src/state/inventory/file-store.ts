import { advice } from "../../messages/advice.ts";
import { hash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { inWords } from "../../lib/system-words.ts";
import { readFile } from "../../lib/read-file.ts";
import { writeFile } from "../../lib/write-file.ts";
import { maxInventoryBytes, readContent, textToStore, type StoredContent } from "./inventory-content.ts";
import type { InventoryStore, StoreResult } from "./inventory-store.ts";
import { passingRegister } from "../lease/file-register.ts";
import { takeLease, type LeaseDeps } from "../lease/hold-lease.ts";
import { warning } from "./inventory-notices.ts";

/** The path of the inventory, its key and writer, and the folder of the target's lease. */
interface FilePlace {
  readonly path: string;
  readonly key: string;
  readonly by: string;
  readonly lease: string;
}

/** The inventory in a file: written aside, synced and renamed, so that it is never there half-written. */
export function fileStore(place: FilePlace, deps: LeaseDeps): InventoryStore {
  const { path, key } = place;
  const where = `file ${path}`;
  return {
    where,
    place: () => ({ kept: "file", where: path }),
    load: async () => {
      const content = read(path);
      return { version: versionOf(content), ...readContent(content, key, { where, keepsHistory: false }) };
    },
    store: async (next, _entry, over) => {
      const text = textToStore(next, key);
      return typeof text === "string" ? exclusively(place, deps, () => replace(path, text, over)) : text;
    },
    history: async () => undefined,
    appliesToWhole: async () => undefined,
    close: async () => undefined,
  };
}

function read(path: string): StoredContent {
  try {
    return { is: "bytes", bytes: readFile(path, maxInventoryBytes).bytes };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { is: "absent" } : { is: "unreadable", reason: message };
  }
}

function versionOf(content: StoredContent): string {
  if (content.is === "bytes") return hash("sha256", content.bytes);
  return content.is === "absent" ? "" : content.reason;
}

async function replace(path: string, text: string, over: string): Promise<StoreResult> {
  if (versionOf(read(path)) !== over) return { is: "moved" };
  // A link to the file stays one.
  const target = await realpath(path).catch(() => path);
  writeFile(target, text, 0o644);
  return { is: "done", version: hash("sha256", text) };
}

/** Milliseconds to wait for another swap: a whole lease, and some more. */
const timeout = 90_000;

/**
 * Comparing and replacing must not be cut in two by another process. A run whose lease was taken over writes as well, so this has a lease
 * of its own, for a moment; that of a process which ended within that moment is taken over as any other.
 */
async function exclusively(
  { path, by, lease }: FilePlace,
  deps: LeaseDeps,
  work: () => Promise<StoreResult>,
): Promise<StoreResult> {
  try {
    const taken = await takeLease(passingRegister(`${lease}.swap`, deps.newId), by, { timeout }, deps);
    if (taken.is !== "ours") throw new Error("reason" in taken ? taken.reason : "another run keeps writing it");
    try {
      return await work();
    } finally {
      await taken.lock.release();
    }
  } catch (error) {
    const summary = `The inventory ${path} could not be written: ${(inWords(error, path) as Error).message}`;
    const hint = advice.checkInventoryFolder;
    return { is: "failed", notices: [warning("inventory_not_kept", summary, hint)] };
  }
}
