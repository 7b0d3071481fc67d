import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isLink } from "./inside.ts";
import { readFile } from "./read-file.ts";
import { removeAbandoned } from "./temp-folder.ts";
import { makeFolders, replaceFile, requireFilePlace, requireOwnPlace } from "./write-file.ts";

/** The file that lists the others: it is not hidden, because some programs that publish a folder leave hidden files out. */
const listName = "hostform-pages.json";
const mostBytes = 256 * 1024 * 1024;

/** Names that are removed though the list may be somebody else's: no part of them begins with a dot. */
const isOwnName = (name: unknown): name is string =>
  typeof name === "string" && /^(?:\w[\w.~-]*\/)*\w[\w.~-]*\.html$/u.test(name);

/**
 * Keeps files in a folder: writes each one that is another than before, whole or not at all, and removes those that an earlier call wrote
 * and that are not among `paths`. All others stay. A call that is cut off leaves whole files, and the next one goes on.
 * Throws before it writes anything if a file that no call wrote is at one of the paths; and the system's errors.
 * @param paths relative, with slashes, of all files; `files` yields each of them once.
 * @returns the number of files written and removed.
 */
export async function keepFiles(
  folder: string,
  paths: readonly string[],
  files: AsyncIterable<readonly [path: string, text: string]>,
): Promise<{ readonly written: number; readonly removed: number }> {
  requireOwnPlace(folder);
  const known = new Set(readList(folder));
  const wanted = new Set(paths);
  for (const path of paths) {
    const place = join(folder, path);
    if (known.has(path) || !isThere(place)) continue;
    throw new Error(`${place} is there, and Hostform did not write it: choose another folder, or move that file away`);
  }
  for (const each of new Set([folder, ...paths.map((path) => dirname(join(folder, path)))])) {
    makeFolders(each);
    removeAbandoned(each);
  }
  const gone = [...known].filter((path) => !wanted.has(path));
  let written = 0;
  const write = (path: string, text: string) => {
    const place = join(folder, path);
    if (readText(place) === text) return;
    requireFilePlace(place);
    // The next call writes again what a power failure has damaged.
    replaceFile(place, text, 0o644, "unsynced");
    written += 1;
  };
  // Before the first file is written it is known to be ours.
  write(listName, listOf([...paths, ...gone]));
  for await (const [path, text] of files) write(path, text);
  for (const path of gone) {
    requireOwnPlace(dirname(join(folder, path)));
    rmSync(join(folder, path), { force: true });
  }
  if (gone.length > 0) write(listName, listOf(paths));
  return { written, removed: gone.length };
}

const listOf = (pages: readonly string[]) => `${JSON.stringify({ format: 1, pages }, undefined, 1)}\n`;

const isThere = (path: string) => existsSync(path) || isLink(path);

const readText = (path: string): string | undefined =>
  isThere(path) && !isLink(path) ? readFile(path, mostBytes).bytes.toString("utf8") : undefined;

/** Returns the paths that earlier calls wrote. Throws for a file of this name that is not such a list. */
function readList(folder: string): string[] {
  const path = join(folder, listName);
  const text = readText(path);
  if (text === undefined) return [];
  try {
    const { format, pages } = JSON.parse(text) as { readonly format: unknown; readonly pages: readonly unknown[] };
    if (format === 1) return pages.filter(isOwnName);
  } catch {
    // It is damaged, or somebody else's.
  }
  throw new Error(
    `${resolve(path)} is not a list of pages that Hostform wrote: choose another folder, or remove that file`,
  );
}
