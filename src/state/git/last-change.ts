import { realpathSync } from "node:fs";
import { dirname, relative } from "node:path";
import { readText } from "../../lib/read-file.ts";
import type { Declaration, LineCommit } from "../../model/explanation.ts";
import { maxManifestBytes } from "./manifest-repository.ts";
import { openRepository, type GitSurroundings, type Repository } from "./repository.ts";
import { timeOf, type Git } from "./run-git.ts";
import { orUndefined } from "../../lib/or-undefined.ts";

interface Lines {
  readonly file: string;
  /** The first and the last line, from 1. */
  readonly first: number;
  readonly last: number;
}

/**
 * The commit that last changed any of some lines. Lines that the checked-out commit does not hold are not committed, and a change that a
 * shallow clone does not hold is cut off; undefined where there is no git, no repository, no commit, or the file is not in it.
 */
export async function lastChange(lines: Lines, surroundings: GitSurroundings): Promise<Declaration["lastChange"]> {
  const found = orUndefined(() => {
    const path = realpathSync(lines.file);
    return { path, wanted: splitLines(readText(path, maxManifestBytes)).slice(lines.first - 1, lines.last) };
  });
  // Standard input has no path.
  if (!found) return undefined;
  const opened = await openRepository(dirname(found.path), surroundings);
  if (!opened.ok) return undefined;
  const { repository } = opened;
  try {
    const path = relative(realpathSync(repository.top), found.path);
    const committed = await repository.apart(["cat-file", "blob", `${repository.head}:${path}`]);
    if (!committed.ok) return undefined;
    const first = lineOf(found.wanted, committed.stdout.toString(), lines.first);
    return first === undefined
      ? "not_committed"
      : await blame(repository, path, first, first + found.wanted.length - 1);
  } finally {
    await repository.close();
  }
}

const splitLines = (text: string) => text.split(/\r?\n/u);

/** The line of a text at which the wanted ones stand, of several the one nearest to where they are now. */
function lineOf(wanted: readonly string[], text: string, near: number): number | undefined {
  const lines = splitLines(text);
  const starts = lines.flatMap((_, index) =>
    wanted.every((line, at) => lines[index + at] === line) ? [index + 1] : [],
  );
  return starts.toSorted((a, b) => Math.abs(a - near) - Math.abs(b - near))[0];
}

async function blame(
  { apart, head = "", shallow }: Repository,
  path: string,
  first: number,
  last: number,
): Promise<LineCommit | "cut_off" | undefined> {
  const answer = await apart(["blame", "--line-porcelain", "-L", `${first},${last}`, head, "--", path]);
  const headers = answer.ok ? answer.stdout.toString().split(/^\t.*\n?/mu) : [];
  const commits = new Map(headers.flatMap((header) => readHeader(header) ?? []).map((each) => [each.commit, each]));
  // Times may be equal, and clocks differ: the newest is the one that no other follows.
  const newest =
    commits.size < 2 ? undefined : await apart(["rev-list", "--topo-order", "--max-count=1", ...commits.keys()]);
  const found = newest ? commits.get(newest.stdout.toString().trim()) : [...commits.values()][0];
  return found && shallow && (await isCutOff(apart, found.commit)) ? "cut_off" : found;
}

/** Whether a shallow clone lacks the parents of a commit: git blames that commit for all that is older. */
async function isCutOff(git: Git, commit: string): Promise<boolean> {
  const listed = await git(["rev-list", "--parents", "--max-count=1", commit]);
  const whole = await git(["cat-file", "commit", commit]);
  return (
    listed.stdout.toString().trim() === commit && /^parent /mu.test(whole.stdout.toString().split("\n\n")[0] ?? "")
  );
}

/** Reads the header that `git blame --line-porcelain` writes before a line. */
function readHeader(header: string): LineCommit | undefined {
  const [commit] = /^[0-9a-f]{40,64}/u.exec(header) ?? [];
  const field = (name: string) => new RegExp(`^${name} (.*)$`, "mu").exec(header)?.[1] ?? "";
  if (commit === undefined) return undefined;
  return { commit, author: field("author"), time: timeOf(field("committer-time")), summary: field("summary") };
}
