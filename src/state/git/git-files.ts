import type { Repository } from "./repository.ts";

/** Bytes that the files of one manifest may have together, with the lines of git between them. */
const maxBytes = 64 * 1024 * 1024;

/** Returns the texts of files as they were at a commit; undefined where one of them cannot be read. One process of git reads them all. */
export async function textsAt(repository: Repository, commit: string, paths: readonly string[]) {
  const objects = await readObjects(repository, "--batch", commit, paths);
  const texts = objects?.map(({ path, type, content }) =>
    type === "blob" ? { file: path, text: new TextDecoder().decode(content) } : undefined,
  );
  return texts?.every((each) => each !== undefined) === true ? texts.flatMap((each) => each ?? []) : undefined;
}

/** Returns those of the paths that are files at a commit; undefined where git cannot tell. */
export async function filesAt(repository: Repository, commit: string, paths: readonly string[]) {
  const objects = await readObjects(repository, "--batch-check", commit, paths);
  return objects?.flatMap(({ path, type }) => (type === "blob" ? path : []));
}

interface ObjectAtPath {
  readonly path: string;
  /** `blob` for a file, `missing` for none. */
  readonly type: string;
  readonly content: Buffer;
}

/** Asks git for the object at each path. The names go through its input: a command line does not take as many as an inventory holds. */
async function readObjects(
  { apart }: Repository,
  mode: "--batch" | "--batch-check",
  commit: string,
  paths: readonly string[],
): Promise<readonly ObjectAtPath[] | undefined> {
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
  return commitObject?.type === "commit" ? objects : undefined;
}

/** Whether a path can be one of a file. Git ends at what it takes for a relative path, and a line break ends the question. */
const isNormal = (path: string) => !/[\n\0]|^\.{0,2}(?:\/|$)/u.test(path);

/** Git keeps no file of this name. */
const absent = ".git";
