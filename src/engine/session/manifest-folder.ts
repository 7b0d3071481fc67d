import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { InputError } from "./input-error.ts";

/** Folders that secrets may be read from. Throws an InputError for one that is none. */
export function allowedFolders(paths: readonly string[]): readonly string[] {
  const wrong = paths.find((path) => !isFolder(path));
  if (wrong === undefined) return paths.map((path) => resolve(path));
  throw new InputError({ type: "no_folder", path: wrong });
}

/** The folder that `${file:…}` is relative to and may not leave: the first manifest's. */
export function manifestFolder([path = "."]: readonly string[]): string {
  if (path === "-") return resolve(".");
  return isFolder(path) ? resolve(path) : dirname(resolve(path));
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Why the path cannot be followed is said by whoever reads it.
    return false;
  }
}
