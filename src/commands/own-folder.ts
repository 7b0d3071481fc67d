import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFile } from "../lib/write-file.ts";
import type { Runner } from "../model/runner.ts";

/** The folder, in the working one, of what outlives a run: journals, their locks, and what is left of approved plans. */
export const ownFolder = ".hostform";

/** Makes it, for its owner alone, and keeps it out of version control. Throws where the disk refuses. */
export function makeOwnFolder(): void {
  mkdirSync(ownFolder, { recursive: true, mode: 0o700 });
  const ignore = join(ownFolder, ".gitignore");
  if (!existsSync(ignore)) writeFile(ignore, "*\n", 0o644);
}

/**
 * The folder of the locks that hold for all of a user's working folders on this machine: made in the temporary one, for its owner alone.
 * Throws where it is someone else's.
 */
export function makeLockFolder({ user, uid }: Runner): string {
  const folder = join(tmpdir(), `hostform-locks-${user.replaceAll(/[^\w.-]/gu, "_")}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (found.isDirectory() && (found.mode & 0o077) === 0 && (uid === undefined || found.uid === uid)) return folder;
  throw new Error(`${folder} is not a folder that only this user may write to`);
}
