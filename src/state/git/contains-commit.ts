import type { MissedApply, ReadInventory } from "../../model/inventory.ts";
import { fetchQuietly } from "./git-refs.ts";
import type { Repository } from "./repository.ts";
import { linesIn } from "./run-git.ts";

/**
 * Whether the commit that is checked out descends from another. A shallow clone does not hold enough to deny it: then the commits
 * that it lacks are fetched, for this run only, and without their files where the remote can do that.
 */
export async function containsCommit(
  repository: Repository,
  commit: string,
): Promise<ReadInventory["headContainsLastApply"]> {
  const { head, shallow, remote, apart } = repository;
  if (head === undefined) return "unknown";
  if (head === commit) return "yes";
  const isAncestor = ["merge-base", "--is-ancestor", commit, head];
  let answer = await apart(isAncestor);
  if (!answer.ok && shallow) {
    if (!remote) return "unknown";
    const unshallow = [...fetchQuietly, "--filter=tree:0", "--unshallow", "hostform", head];
    const fetched = await apart(unshallow, { network: true });
    if (!fetched.ok) return "unknown";
    answer = await apart(isAncestor);
  }
  if (answer.ok) return "yes";
  return answer.status === 1 || !(await hasCommit(repository, commit)) ? "no" : "unknown";
}

/** Whether one of the commits descends from another, as far as this clone knows. */
export async function isOlderThanAny(
  { apart }: Repository,
  commit: string,
  others: readonly string[],
): Promise<boolean> {
  const newer = others.filter((other) => other !== commit);
  const answers = await Promise.all(newer.map((other) => apart(["merge-base", "--is-ancestor", commit, other])));
  return answers.some(({ ok }) => ok);
}

async function hasCommit({ apart }: Repository, commit: string): Promise<boolean> {
  return (await apart(["cat-file", "-e", `${commit}^{commit}`])).ok;
}

/**
 * Returns what this clone knows of a commit that HEAD does not contain. A commit that it lacks is fetched, for this run only, so that
 * its manifest can be compared.
 */
export async function findMissed(
  repository: Repository,
  commit: string,
): Promise<Pick<MissedApply, "isHere" | "branch" | "base">> {
  const { head = "", remote, apart } = repository;
  const isHere = await hasCommit(repository, commit);
  if (!isHere && remote) await apart([...fetchQuietly, "hostform", commit], { network: true });
  const answer = await apart(["merge-base", "--all", commit, head]);
  const bases = answer.ok ? linesIn(answer.stdout) : [];
  const branch = isHere ? await branchWith(repository, commit) : undefined;
  return { isHere, branch, base: bases.length === 1 ? bases[0] : undefined };
}

/** Returns the branch to name for a commit: the usual one where that contains it. */
async function branchWith({ inPlace }: Repository, commit: string): Promise<string | undefined> {
  const listed = await inPlace([
    "for-each-ref",
    `--contains=${commit}`,
    "--format=%(refname:lstrip=2)",
    "refs/heads",
    "refs/remotes",
  ]);
  const names = listed.ok ? linesIn(listed.stdout) : [];
  const usual = ["main", "master"].find((name) => names.some((each) => each === name || each.endsWith(`/${name}`)));
  return usual ?? names.find((name) => !name.endsWith("/HEAD"));
}

/**
 * Returns whether a ref that came from the remote contains the commit that is checked out. Nothing is fetched. A CI job that has no
 * branch may have fetched its commit without a ref, so that nothing is known.
 */
export async function isHeadPushed({ head, remote, inPlace }: Repository): Promise<"yes" | "no" | "unknown"> {
  if (head === undefined || remote === undefined) return "unknown";
  const listed = await inPlace(["for-each-ref", `--contains=${head}`, "--format=%(refname)"]);
  if (!listed.ok) return "unknown";
  if (
    linesIn(listed.stdout).some((name) => !/^refs\/(?:heads|tags|stash|hostform|hostform-remote)(?:\/|$)/u.test(name))
  )
    return "yes";
  return (await inPlace(["symbolic-ref", "--quiet", "HEAD"])).ok ? "no" : "unknown";
}
