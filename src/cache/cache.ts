import { randomBytes } from "node:crypto";
import { lstatSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { readFile } from "../lib/read-file.ts";
import { writeFile } from "../lib/write-file.ts";
import { entryName, packEntry, unpackEntry } from "./entry.ts";
import { findFolder } from "./find-folder.ts";
import { trimFolder } from "./trim-folder.ts";

/** Content that outlives a run, and without which a run comes to the same. No method throws: a failure is a miss. */
export interface Cache {
  /** Returns what was kept under these parts; undefined where nothing was, or it is damaged. */
  readonly read: (sort: string, parts: readonly string[]) => Buffer | undefined;
  /** Keeps content in place of what was kept under these parts. */
  readonly keep: (sort: string, parts: readonly string[], content: Uint8Array) => void;
}

/** Bytes of one entry, and of all. */
const mostOfOne = 64 * 1024 * 1024;
const mostOfAll = 256 * 1024 * 1024;
/** Bytes that are kept at most before it is looked again how many there are in all, which takes longer than to keep a list. */
const mostUncounted = 16 * 1024 * 1024;

const saltBytes = 32;

/**
 * Opens the cache of a user. Returns undefined where `HOSTFORM_NO_CACHE` is set, and where no folder can be trusted (`find-folder.ts`).
 * @param uid of this process; undefined where the system has none, and so no owners to check.
 */
export function openCache(
  env: Readonly<Record<string, string | undefined>>,
  uid: number | undefined,
): Cache | undefined {
  if (uid === undefined || (env["HOSTFORM_NO_CACHE"] ?? "") !== "") return undefined;
  return orUndefined(() => {
    const folder = findFolder(env, uid, true);
    if (folder === undefined) return undefined;
    const salt = readSalt({ folder, uid });
    let room = 0;
    const keep = (name: string, content: Uint8Array) => {
      room -= keepEntry({ folder, salt }, name, content);
      if (room >= 0) return;
      room = mostUncounted;
      trimFolder(folder, mostOfAll - mostUncounted);
    };
    return {
      read: (sort, parts) => orUndefined(() => readEntry({ folder, uid, salt }, entryName(salt, sort, parts))),
      keep: (sort, parts, content) => orUndefined(() => keep(entryName(salt, sort, parts), content)),
    };
  });
}

/** Removes an entry, also where the cache is switched off: another run may use it. Without a cache nothing is done. */
export function forgetEntry(
  env: Readonly<Record<string, string | undefined>>,
  uid: number | undefined,
  sort: string,
  parts: readonly string[],
): void {
  orUndefined(() => {
    const folder = uid === undefined ? undefined : findFolder(env, uid, false);
    if (uid === undefined || folder === undefined) return;
    rmSync(join(folder, entryName(readSalt({ folder, uid }), sort, parts)), { force: true });
  });
}

interface Store {
  readonly folder: string;
  readonly uid: number;
  readonly salt: Uint8Array;
}

/** A cache that cannot be used is none: a full disk and a damaged file are no reason to end a run. */
function orUndefined<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

function readSalt({ folder, uid }: Omit<Store, "salt">): Uint8Array {
  const path = join(folder, "salt");
  const salt = () => {
    const bytes = orUndefined(() => (isOwnFile(path, uid) ? readFile(path, saltBytes).bytes : undefined));
    // A power failure may have left nothing, or zeros.
    return bytes?.length === saltBytes && bytes.some((byte) => byte !== 0) ? bytes : undefined;
  };
  if (!salt()) writeFile(path, randomBytes(saltBytes), 0o600, "unsynced");
  // Another process may have written it at the same time: the salt of the file counts.
  const found = salt();
  if (!found) throw new Error("no salt");
  return found;
}

function readEntry({ folder, uid, salt }: Store, name: string): Buffer | undefined {
  const path = join(folder, name);
  if (!isOwnFile(path, uid)) return undefined;
  const content = unpackEntry(salt, name, readFile(path, mostOfOne).bytes);
  const now = new Date();
  // The oldest go first: what is used is young.
  if (content) orUndefined(() => utimesSync(path, now, now));
  return content;
}

/** Writes an entry, unless it is too large, and returns its bytes. */
function keepEntry({ folder, salt }: Omit<Store, "uid">, name: string, content: Uint8Array): number {
  const entry = packEntry(salt, name, content);
  if (entry.length > mostOfOne) return 0;
  writeFile(join(folder, name), entry, 0o600, "unsynced");
  return entry.length;
}

/** Whether a path is a regular file, not a link to one, that only this user may read. */
function isOwnFile(path: string, uid: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.uid === uid && (found.mode & 0o077) === 0;
}
