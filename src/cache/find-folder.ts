import { existsSync, lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";

/**
 * Finds the folder of the cache, `$XDG_CACHE_HOME/hostform` or `~/.cache/hostform`, and makes it where that is asked for. Returns
 * undefined where there is none, and where none can be trusted: it would be in a git checkout, it or its parent belongs to another user, others may enter it, or it
 * is a symbolic link. Throws the system's errors.
 */
export function findFolder(
  { XDG_CACHE_HOME: given, HOME: home }: Readonly<Record<string, string | undefined>>,
  uid: number,
  make: boolean,
): string | undefined {
  // The XDG rules: a path that is not absolute does not count.
  const base = given !== undefined && isAbsolute(given) ? given : join(home ?? "", ".cache");
  if (!isAbsolute(base)) return undefined;
  const parent = nearestFolder(base);
  if (lstatSync(parent).uid !== uid || isInCheckout(parent)) return undefined;
  const folder = join(base, "hostform");
  if (make) makeFolder(folder);
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid && (found.mode & 0o077) === 0 ? folder : undefined;
}

/** Returns the real path of a folder, or of the nearest one above it that is there. */
function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? realpathSync(path) : nearestFolder(dirname(path));
}

/** Whether a folder is a git work tree, or below one: `.git` may be a file there. */
function isInCheckout(folder: string): boolean {
  return existsSync(join(folder, ".git")) || (dirname(folder) !== folder && isInCheckout(dirname(folder)));
}

/** Makes a folder and those above it that are missing. Node's own way tries for ever where none can be made, as below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another run may have made it since.
    if (!existsSync(folder)) throw error;
  }
}
