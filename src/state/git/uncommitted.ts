import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import { readFile } from "../../lib/read-file.ts";
import type { Repository } from "./repository.ts";

/** The largest manifest file that is read, in bytes. */
const maxManifestBytes = 50 * 1024 * 1024;

/**
 * Returns the manifest files that HEAD does not hold as they are, sorted: changed, new, or deleted. Filters of the repository are not run,
 * because they are programs; line ends do not count. Without a commit, it holds none. Empty where no file is in the repository.
 * @param roots the files and folders that the user has named.
 */
export async function findUncommitted(
  { top, head, apart }: Repository,
  roots: readonly string[],
  files: readonly string[],
): Promise<readonly string[]> {
  const realTop = realpathSync(top);
  const read = files.map((file) => ({ file, path: pathIn(realTop, file) }));
  const inside = read.flatMap(({ path }) => path ?? []);
  if (inside.length === 0) return [];
  const folders = roots.flatMap((root) => pathIn(realTop, root) ?? []);
  const others = inside.filter((path) => !folders.some((folder) => isBelow(folder, path)));
  const tree = ["ls-tree", "-r", "-z", "--full-tree", head ?? "", "--", ...asked([...folders, ...others])];
  const listed = head === undefined ? { ok: true as const, stdout: "" } : await apart(tree);
  if (!listed.ok) return [];
  const committed = new Map(listed.stdout.toString().split("\0").flatMap(readEntry));
  const changed = read.filter(({ file, path }) => path === undefined || !isSame(file, committed.get(path)));
  const given = new Set(inside);
  const deleted = [...committed.keys()].filter(
    (path) => !given.has(path) && folders.some((folder) => isManifestBelow(folder, path)),
  );
  return [...new Set([...changed.map(({ file, path }) => path ?? file), ...deleted])].sort();
}

/** Returns a path relative to the repository, with `/`; undefined for one outside, and for standard input. */
function pathIn(realTop: string, file: string): string | undefined {
  try {
    const path = relative(realTop, realpathSync(resolve(file))).replaceAll(sep, "/");
    return path === ".." || path.startsWith("../") ? undefined : path;
  } catch {
    return undefined;
  }
}

// Git takes no path for the top folder.
const asked = (paths: readonly string[]) => (paths.includes("") ? [] : paths.map((path) => `:(literal)${path}`));

const isBelow = (folder: string, path: string) => folder === "" || path === folder || path.startsWith(`${folder}/`);

/** Returns whether a folder that is read as a manifest would have this file. */
function isManifestBelow(folder: string, path: string): boolean {
  if (!isBelow(folder, path)) return false;
  const parts = path.slice(folder === "" ? 0 : folder.length + 1).split("/");
  return /\.ya?ml$/u.test(path) && !parts.some((part) => part.startsWith(".") || part === "node_modules");
}

/** Reads `MODE blob ID⇥PATH`. */
function readEntry(entry: string): (readonly [string, string])[] {
  const [, id, path] = /^\d+ blob ([0-9a-f]+)\t(.+)$/su.exec(entry) ?? [];
  return id === undefined || path === undefined ? [] : [[path, id]];
}

function isSame(file: string, id: string | undefined): boolean {
  if (id === undefined) return false;
  try {
    const { bytes } = readFile(realpathSync(file), maxManifestBytes);
    return (
      blobId(bytes, id) === id ||
      blobId(Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1"), id) === id
    );
  } catch {
    return false;
  }
}

/** Returns the id that git gives to a file, by the hash of another id. */
const blobId = (bytes: Buffer, like: string): string =>
  createHash(like.length === 40 ? "sha1" : "sha256")
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest("hex");
