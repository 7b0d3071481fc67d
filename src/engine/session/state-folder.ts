import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLink } from "../../lib/inside.ts";
import { writeFile } from "../../lib/write-file.ts";
import type { Runner } from "../../model/runner.ts";
import { InputError } from "./input-error.ts";

/** The folder, in the working one, of what outlives a run: journals, their locks, and what is left of approved plans. */
export const stateFolder = ".hostform";

/** Makes it, for its owner alone, and keeps it out of version control. Throws where the disk refuses, and an InputError for a link. */
export function makeStateFolder(): void {
  // With `recursive`, Node says of a read-only disk that the folder is not there.
  madeFolder(stateFolder);
  if (isLink(stateFolder)) throw new InputError({ type: "link_in_the_way", path: stateFolder });
  const ignore = join(stateFolder, ".gitignore");
  if (!existsSync(ignore)) writeFile(ignore, "*\n", 0o644);
}

/**
 * The folders of the locks that hold for all of a user's working folders on this machine: in the temporary one, each for its owner alone.
 * There is one, unless another user has taken its name: then one of a random name is made. A lock is to be taken in all of them, because
 * two runs may have found that name free and taken. Throws where none can be made.
 */
export function makeLockFolders(runner: Runner): readonly string[] {
  const name = lockFolderName(runner);
  if (lockFolders(runner).length === 0 && !madeFolder(join(tmpdir(), name))) mkdtempSync(join(tmpdir(), `${name}-`));
  return lockFolders(runner);
}

/** Returns those of these folders that there are. */
export function lockFolders(runner: Runner): readonly string[] {
  const name = lockFolderName(runner);
  const names = readdirSync(tmpdir()).filter((each) => each === name || each.startsWith(`${name}-`));
  return names
    .toSorted()
    .map((each) => join(tmpdir(), each))
    .filter((each) => isOwn(each, runner.uid));
}

const lockFolderName = ({ user }: Runner) => `hostform-locks-${user.replaceAll(/[^\w.-]/gu, "_")}`;

/** Whether a folder was made; not so where the name is taken. */
function madeFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Whether it is a folder that only this user may write to. */
function isOwn(path: string, uid: number | undefined): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && (found.mode & 0o077) === 0 && (uid === undefined || found.uid === uid);
}
