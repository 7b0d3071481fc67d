import { link, rename, rm } from "node:fs/promises";
import { readText } from "../lib/read-file.ts";
import { createFile } from "../lib/write-file.ts";
import type { RunningApply } from "../model/inventory.ts";
import { parseRecord } from "./parse-journal.ts";
import type { Lock } from "../model/journal.ts";

export interface LockDeps {
  /** This process, as the lock names it. */
  readonly own: RunningApply;
  /** Why a lock keeps no one out any more; undefined where it does. */
  readonly staleness: (lock: RunningApply) => string | undefined;
  readonly newId: () => string;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** `held`: another process has it; undefined where what is there does not tell which. */
export type LockResult =
  | { readonly is: "ours"; readonly release: () => Promise<void> }
  | { readonly is: "held"; readonly by: RunningApply | undefined };

/** A lock holds one line. */
const maxBytes = 64 * 1024;
const attempts = 100;
const retryAfter = 20;

/**
 * Takes a lock file. It is made aside and linked, so that it is there whole or not at all, and of many that try at once one wins.
 * The lock of a dead process is taken over. Throws where the disk refuses.
 */
export async function takeLock(path: string, deps: LockDeps): Promise<LockResult> {
  const draft = `${path}.${deps.newId()}`;
  const text = `${JSON.stringify({ type: "lock", ...deps.own } satisfies Lock)}\n`;
  const ours: LockResult = { is: "ours", release: () => release(path, text) };
  try {
    // After a power failure an empty lock would keep everyone out.
    await (await createFile(draft, text, 0o600)).close();
    for (let attempt = 1; ; attempt += 1) {
      if (await linked(draft, path)) return ours;
      const held = findHolder(path, deps.staleness);
      if (held) return held;
      const there = read(path);
      if (attempt === attempts) return { is: "held", by: there === undefined ? undefined : lockIn(there) };
      if (there === undefined) continue;
      if (await takenOver(path, there, draft, deps)) return ours;
      await deps.sleep(retryAfter);
    }
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Puts the draft in place of a dead process's lock. Two that find the same one dead must not both: a lock on the lock is taken first,
 * in the same way, and under it nobody else changes what a dead process has left.
 */
async function takenOver(path: string, stale: string, draft: string, deps: LockDeps): Promise<boolean> {
  const guard = await takeLock(`${path}.over`, deps);
  if (guard.is === "held") return false;
  try {
    if (read(path) !== stale) return false;
    await rename(draft, path);
    return true;
  } finally {
    await guard.release();
  }
}

/** Returns the holder of a lock that keeps this process out, without taking it; undefined where none does. */
export function findHolder(
  path: string,
  staleness: LockDeps["staleness"],
): Extract<LockResult, { is: "held" }> | undefined {
  const there = read(path);
  const by = there === undefined ? undefined : lockIn(there);
  return there !== undefined && (!by || staleness(by) === undefined) ? { is: "held", by } : undefined;
}

async function release(path: string, own: string): Promise<void> {
  // Another machine may have taken the lock if its time was over.
  if (read(path) === own) await rm(path, { force: true });
}

async function linked(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function read(path: string): string | undefined {
  try {
    return readText(path, maxBytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function lockIn(text: string): RunningApply | undefined {
  const record = parseRecord(text);
  if (record?.type !== "lock") return undefined;
  const { type: _type, ...running } = record;
  return running;
}
