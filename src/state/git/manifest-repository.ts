import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { ManifestRepository } from "../../model/inventory.ts";
import { isHeadPushed } from "./contains-commit.ts";
import { filesAt, textsAt } from "./git-files.ts";
import type { Repository } from "./repository.ts";
import { findUncommitted } from "./uncommitted.ts";

/** @param roots the manifest files and folders that the user has named. */
export function manifestRepository(repository: Repository | undefined, roots: readonly string[]): ManifestRepository {
  if (!repository) return outside;
  return {
    head: repository.head,
    pathsInRepository: (files) => pathsIn(repository.top, files),
    uncommitted: (files) => findUncommitted(repository, roots, files),
    manifestsAt: (commit, paths) => textsAt(repository, commit, paths),
    filesAt: (commit, paths) => filesAt(repository, commit, paths),
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

async function pathsIn(top: string, files: readonly string[]): Promise<readonly string[]> {
  const realTop = await realpath(top);
  const all = await Promise.all(
    files.map(async (file) => relative(realTop, await realpath(file).catch(() => sep)).replaceAll(sep, "/")),
  );
  return [...new Set(all)].filter((path) => path !== "" && !path.startsWith("../") && path !== "..").sort();
}

async function parentOfHead({ apart, head, shallow }: Repository): ReturnType<ManifestRepository["parent"]> {
  if (head === undefined || shallow) return "unknown";
  const listed = await apart(["rev-list", "--parents", "--max-count=1", head]);
  if (!listed.ok) return "unknown";
  const [, commit] = listed.stdout.toString().trim().split(" ");
  return commit === undefined ? "none" : { commit };
}
