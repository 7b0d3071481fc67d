import { statSync } from "node:fs";
import { resolve } from "node:path";
import { inputError } from "../../engine/session/input-error.ts";
import { isInside, mayBringIn, realPath, yamlFile } from "../../lib/inside.ts";
import { packageFile } from "../../lib/package-file.ts";
import { confineReading } from "../../lib/read-file.ts";

/** Files that the system and git keep about themselves: who holds a lock is known from them. */
const ofSystem = /^\/proc\/(?:sys\/kernel\/random\/boot_id|\d+\/stat)$|\/\.git\/(?:worktrees\/[^/]+\/)?shallow$/u;

/** Lets this process read nothing but the folder, the package, and what its runner has named. */
export function confineTo(folder: string, named: readonly (string | undefined)[]): void {
  const places = [folder, packageFile("."), ...named.flatMap((path) => (path ? path : []))].map(realPath);
  confineReading((real) => ofSystem.test(real) || places.some((place) => isInside(place, real)));
}

/** Throws an InputError for a path of a caller, unless it leads to a folder or a file of this form in the folder, which is not hidden. */
export function requireInside(folder: string, paths: readonly string[], form = yamlFile): void {
  const wrong = paths.filter((path) => {
    const isFolder = form === yamlFile && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    return path === "-" || !mayBringIn(folder, realPath(resolve(path)), isFolder ? undefined : form);
  });
  if (wrong.length === 0) return;
  throw inputError(
    "leads_out",
    `${wrong.join(", ")}: outside ${folder}, hidden, or not of a sort that is read here`,
    "name a file in that folder, by its path in it",
  );
}
