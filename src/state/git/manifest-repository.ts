import { existsSync, realpathSync } from "node:fs";
import { join, relative, sep, resolve } from "node:path";
import type { ManifestRepository } from "../../model/inventory.ts";
import { isHeadPushed } from "./contains-commit.ts";
import type { Repository } from "./repository.ts";
import { hash } from "node:crypto";
import { readFile } from "../../lib/read-file.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

/** Bytes that the files of one manifest may have together, with the lines of git between them. */
const maxBytes = 64 * 1024 * 1024;

interface FileAtPath {
  readonly path: string;
  /** Empty where only the path was asked for. */
  readonly content: Buffer;
}

/** Asks git which of the paths are files at a commit; undefined where git cannot tell. One process of git reads them all. The names go through its input: a command line does not take as many as an inventory holds. */
async function readFiles(
  { apart }: Repository,
  mode: "--batch" | "--batch-check",
  commit: string,
  paths: readonly string[],
): Promise<readonly FileAtPath[] | undefined> {
  if (paths.length === 0) return [];
  // Git answers `missing` for a path of an unknown commit too, so the commit is asked for first.
  const questions = [`${commit}^{commit}`, ...paths.map((path) => `${commit}:${isNormal(path) ? path : absent}`)];
  const { ok, stdout } = await apart(["cat-file", mode], { input: `${questions.join("\n")}\n`, maxOutput: maxBytes });
  if (!ok) return undefined;
  let from = 0;
  const [commitObject, ...objects] = [commit, ...paths].map((path) => {
    const end = stdout.indexOf("\n", from);
    const [, type = "", size] = / (\w+)(?: (\d+))?$/u.exec(stdout.toString("utf8", from, end)) ?? [];
    from = end + 1;
    if (size === undefined || mode === "--batch-check") return { path, type, content: Buffer.of() };
    const content = stdout.subarray(from, from + Number(size));
    from += Number(size) + 1;
    return { path, type, content };
  });
  return commitObject?.type === "commit" ? objects.filter(({ type }) => type === "blob") : undefined;
}

/** Whether a path can be one of a file. Git ends at what it takes for a relative path, and a line break ends the question. */
const isNormal = (path: string) => !/[\n\0]|^\.{0,2}(?:\/|$)/u.test(path);

/** Git keeps no file of this name. */
const absent = ".git";

/** @param roots the manifest files and folders that the user has named. */
export function manifestRepository(repository: Repository | undefined, roots: readonly string[]): ManifestRepository {
  if (!repository) return outside;
  return {
    head: repository.head,
    pathsInRepository: async (files) => pathsIn(repository.top, files),
    uncommitted: (files) => findUncommitted(repository, roots, files),
    manifestsAt: async (commit, paths) =>
      (await readFiles(repository, "--batch", commit, paths))?.map(({ path, content }) => ({
        file: path,
        text: new TextDecoder().decode(content),
      })),
    filesAt: async (commit, paths) =>
      (await readFiles(repository, "--batch-check", commit, paths))?.map(({ path }) => path),
    isInWorkTree: (path) => existsSync(join(repository.top, path)),
    isPushed: () => isHeadPushed(repository),
    parent: () => parentOfHead(repository),
  };
}

const outside: ManifestRepository = {
  head: undefined,
  pathsInRepository: async () => [],
  uncommitted: async () => [],
  manifestsAt: async () => undefined,
  filesAt: async () => undefined,
  isInWorkTree: () => false,
  isPushed: async () => "unknown",
  parent: async () => "unknown",
};

function pathsIn(top: string, files: readonly string[]): readonly string[] {
  const realTop = realpathSync(top);
  const all = new Set(files.flatMap((file) => pathIn(realTop, file) ?? []));
  return [...all].filter((path) => path !== "").sort();
}

async function parentOfHead({ apart, head, shallow }: Repository): ReturnType<ManifestRepository["parent"]> {
  if (head === undefined || shallow) return "unknown";
  const listed = await apart(["rev-list", "--parents", "--max-count=1", head]);
  if (!listed.ok) return "unknown";
  const [, commit] = listed.stdout.toString().trim().split(" ");
  return commit === undefined ? "none" : { commit };
}

/** The largest manifest file that is read, in bytes. */
export const maxManifestBytes = 50 * 1024 * 1024;

/**
 * Returns the manifest files that HEAD does not hold as they are, sorted: changed, new, or deleted. Filters of the repository are not run,
 * because they are programs; line ends do not count. Without a commit, it holds none. Empty where no file is in the repository.
 * @param roots the files and folders that the user has named.
 */
async function findUncommitted(
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
  const path = orUndefined(() => relative(realTop, realpathSync(resolve(file))).replaceAll(sep, "/"));
  return path === ".." || path?.startsWith("../") === true ? undefined : path;
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
  const bytes = orUndefined(() => readFile(realpathSync(file), maxManifestBytes).bytes);
  if (id === undefined || bytes === undefined) return false;
  return (
    blobId(bytes, id) === id ||
    blobId(Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1"), id) === id
  );
}

/** Returns the id that git gives to a file, by the hash of another id. */
const blobId = (bytes: Buffer, like: string): string =>
  hash(like.length === 40 ? "sha1" : "sha256", Buffer.concat([Buffer.from(`blob ${bytes.length}\0`), bytes]));
