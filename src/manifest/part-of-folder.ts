import { readdir, realpath, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readFile } from "../lib/read-file.ts";
import type { Diagnostic } from "../model/diagnostic.ts";

/** The keys that a manifest needs once, in one of its files. */
const once = [
  { summary: '"version" is missing in the manifest', pattern: /^version:\s*["']?1["']?\s*(?:#.*)?$/mu },
  { summary: '"name" is missing in the manifest', pattern: /^name:\s*\S/mu },
];

/** A folder of a manifest has few files, and a folder of anything else is not searched. */
const mostFiles = 100;
const mostBytes = 1024 * 1024;

/**
 * Replaces the hints of mistakes that come from naming a file of a manifest alone: its version or its name stands in a file beside it.
 * @param paths the paths of the manifest, as they were given.
 */
export async function namePartsOfFolder(
  diagnostics: readonly Diagnostic[],
  paths: readonly string[],
): Promise<readonly Diagnostic[]> {
  const isMissing = ({ code, summary }: Diagnostic) =>
    code === "missing_key" && once.some((each) => each.summary === summary);
  const [first] = paths;
  if (first === undefined || paths.includes("-") || !diagnostics.some(isMissing)) return diagnostics;
  const folder = dirname(first);
  if (!(await areFiles(paths))) return diagnostics;
  const beside = await textsBeside(folder, paths);
  if (!once.every(({ pattern }) => beside.some((text) => pattern.test(text)))) return diagnostics;
  const shown = folder.endsWith("/") ? folder : `${folder}/`;
  const subject = paths.length === 1 ? "this file is" : "these files are";
  const hint = `${subject} part of the manifest in ${shown}: use -f ${shown}, with --only 'ADDRESS-PATTERN' for a part of it`;
  return diagnostics.map((each) => (isMissing(each) ? { ...each, hint } : each));
}

/** Returns whether each path is a file. */
async function areFiles(paths: readonly string[]): Promise<boolean> {
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return found.every((each) => each?.isFile() === true);
}

/** Returns the texts of the manifest files in a folder, without those that were given. */
async function textsBeside(folder: string, given: readonly string[]): Promise<readonly string[]> {
  const known = new Set(given.map((path) => resolve(path)));
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const others = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/u.test(entry.name) && !entry.name.startsWith("."))
    .map(({ name }) => join(folder, name))
    .filter((path) => !known.has(resolve(path)));
  return Promise.all(others.slice(0, mostFiles).map(textOf));
}

/** Returns the text of a file; none for a file that cannot be read. */
async function textOf(path: string): Promise<string> {
  try {
    return readFile(await realpath(path), mostBytes).bytes.toString("utf8");
  } catch {
    return "";
  }
}
