import { existsSync, lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { orUndefined } from "./or-undefined.ts";

/** Returns whether a path lies in a folder, or is that folder. Both are without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** Returns a path without links, also of what is not there yet, and of what a link leads to that is not there. */
export function realPath(path: string): string {
  let there = resolve(path);
  let rest = "";
  // As many links as Linux follows.
  for (let links = 0; !existsSync(there) && dirname(there) !== there;) {
    if (isLink(there) && links++ < 40) there = resolve(dirname(there), readlinkSync(there));
    else [there, rest] = [dirname(there), join(basename(there), rest)];
  }
  return join(realpathSync(there), rest);
}

/**
 * Returns the innermost folder around a path that is the working folder or a repository; undefined where there is none. A repository elsewhere
 * binds no link to a file: its user may name one, and no line of it is shown.
 */
function homeOf(path: string): string | undefined {
  const isFree = isLink(path) && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  let folder = resolve(path);
  while (dirname(folder) !== folder) {
    folder = dirname(folder);
    if (folder === resolve(".") || (!isFree && existsSync(join(folder, ".git")))) return folder;
  }
  return undefined;
}

/**
 * Returns whether a path in the working folder or in repositories stays in each of them with all links followed: whoever may write to a
 * repository may have made a link of any part of it, also to another repository. A path elsewhere is that of the user, who may have links there.
 */
export function staysHere(path: string): boolean {
  const home = homeOf(path);
  return home === undefined || (isInside(realPath(home), realPath(path)) && staysHere(home));
}

/** Returns whether a link on the way to a path leads to what is hidden, or by its name to no manifest; `name` as for `mayBringIn`. */
export function leadsToHidden(path: string, name?: RegExp): boolean {
  const real = realPath(path);
  const isHidden = (home: string): boolean => {
    const [top, around] = [realPath(home), homeOf(home)];
    const isLed = join(top, relative(home, resolve(path))) !== real;
    // A link in one repository makes a part of it look like another one.
    return (isLed && !mayBringIn(top, real, name)) || (around !== undefined && isHidden(around));
  };
  const home = homeOf(path);
  return home === undefined ? isLink(path) && !mayBringIn(dirname(real), real, name) : isHidden(home);
}

/** The names of files that a folder may bring in. Others, such as keys, are what a link must not lead to. */
export const yamlFile = /\.ya?ml$/iu;

/**
 * Returns whether a folder may bring in what really lies at a path: below the folder, and not hidden, as `.git/config` and `.env` are. Both
 * paths are without links. `..data` is the folder in which Kubernetes keeps the files of a mount.
 */
export function mayBringIn(folder: string, path: string, name = /./u): boolean {
  const parts = relative(folder, path).split(sep);
  return isInside(folder, path) && !parts.some((part) => /^\.(?!\.)|^node_modules$/u.test(part)) && name.test(path);
}

/** Returns whether a path itself, not a part before its end, is a link. */
export function isLink(path: string): boolean {
  // Why a path cannot be followed is said by whoever opens it.
  return orUndefined(() => lstatSync(resolve(path)).isSymbolicLink()) === true;
}

/** Returns whether a folder, or one that is allowed, may bring in the file or folder at a path, with all links followed. */
export const broughtIn =
  (folder: string, allowed: readonly string[], name?: RegExp) =>
  (path: string): boolean => {
    const real = realPath(path);
    const isOwn = staysHere(folder) && mayBringIn(realPath(folder), real, name);
    return isOwn || allowed.some((each) => isInside(realPath(each), real));
  };

/** Returns whether a path leads to what its user named: it is not a link, or a link to a file that its folder may bring in. */
export const isItself = (path: string, name?: RegExp): boolean =>
  isLink(path) ? broughtIn(dirname(path), [], name)(path) : staysHere(path);
