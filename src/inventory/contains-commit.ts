import type { ReadInventory } from "../model/inventory.ts";
import type { Repository } from "./repository.ts";

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
  const isAncestor = () => apart(["merge-base", "--is-ancestor", commit, head]);
  const first = await isAncestor();
  if (first.ok) return "yes";
  if (!shallow) return first.status === 1 || !(await hasCommit(repository, commit)) ? "no" : "unknown";
  if (!remote) return "unknown";
  const unshallow = ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--filter=tree:0", "--unshallow"];
  const fetched = await apart([...unshallow, "hostform", head], { network: true });
  if (!fetched.ok) return "unknown";
  const second = await isAncestor();
  return second.ok ? "yes" : second.status === 1 || !(await hasCommit(repository, commit)) ? "no" : "unknown";
}

async function hasCommit({ apart }: Repository, commit: string): Promise<boolean> {
  return (await apart(["cat-file", "-e", `${commit}^{commit}`])).ok;
}
