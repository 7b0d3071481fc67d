import { readdirSync, realpathSync, statSync, type Dirent } from "node:fs";
import { isAbsolute, join } from "node:path";
import { mayBringIn } from "../../lib/inside.ts";
import { matchesGlob } from "../../model/glob.ts";

/** A folder below that of fleet.yaml. */
export interface FoundFolder {
  /** Its path relative to the folder of fleet.yaml, with `/`. */
  readonly name: string;
  /** The path without links. */
  readonly real: string;
  /** Why it cannot be the folder of an account. */
  readonly wrong?: "leads_out" | "no_manifest";
}

/**
 * Finds the folders that a pattern names, sorted. `*` stands for any characters of one name, and for none of a hidden folder or node_modules.
 * Throws an Error of the system for a folder that cannot be read.
 */
export function findFolders(top: string, pattern: string): readonly FoundFolder[] {
  if (isAbsolute(pattern) || pattern.split("/").includes(".."))
    return [{ name: pattern, real: pattern, wrong: "leads_out" }];
  let names = [""];
  for (const part of partsOf(pattern)) names = names.flatMap((name) => namesBelow(top, name, part));
  const realTop = realpathSync.native(top);
  return names.map((name) => inspect(realTop, realpathSync.native(join(top, name)), name));
}

/** Returns whether a pattern names a folder. */
export function namesFolder(pattern: string, name: string): boolean {
  const [globs, parts] = [partsOf(pattern), name.split("/")];
  return globs.length === parts.length && globs.every((glob, index) => matchesGlob(glob, parts[index] ?? ""));
}

const partsOf = (pattern: string) => pattern.split("/").filter((part) => part !== "" && part !== ".");

/** Returns the names of the folders in a folder that one part of a pattern names. */
function namesBelow(top: string, name: string, part: string): string[] {
  const below = (entry: string) => (name === "" ? entry : `${name}/${entry}`);
  if (!part.includes("*")) return isFolder(join(top, name, part)) ? [below(part)] : [];
  return readdirSync(join(top, name), { withFileTypes: true })
    .filter((entry) => isShown(entry) && matchesGlob(part, entry.name))
    .filter((entry) => (entry.isSymbolicLink() ? isFolder(join(top, name, entry.name)) : entry.isDirectory()))
    .map((entry) => below(entry.name))
    .sort();
}

const isShown = ({ name }: Dirent) => !name.startsWith(".") && name !== "node_modules";

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

function inspect(top: string, real: string, name: string): FoundFolder {
  // The folder of fleet.yaml itself would bring in the manifests of all.
  if (real === top || !mayBringIn(top, real)) return { name, real, wrong: "leads_out" };
  return holdsManifest(real) ? { name, real } : { name, real, wrong: "no_manifest" };
}

function holdsManifest(folder: string): boolean {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(isShown);
  return (
    entries.some((entry) => !entry.isDirectory() && /\.ya?ml$/u.test(entry.name)) ||
    entries.some((entry) => entry.isDirectory() && holdsManifest(join(folder, entry.name)))
  );
}
