import { existsSync, realpathSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { InventoryStore, ReadInventory } from "../../model/inventory.ts";
import type { InventoryBackend } from "./backend.ts";
import { containsCommit, findMissed, isHeadPushed } from "../git/contains-commit.ts";
import { fileBackend } from "./file-backend.ts";
import { gitBackend } from "./git-backend.ts";
import { filesAt, textsAt } from "../git/git-files.ts";
import { fileRegister } from "../lease/file-register.ts";
import { gitRegister } from "../lease/git-register.ts";
import type { LeaseDeps } from "../lease/hold-lease.ts";
import type { LeaseRegister } from "../lease/register.ts";
import { targetLock, unguarded, type LockPlaces } from "../lease/target-lock.ts";
import { lockedInventory, type LockedInventory, type LoadedInventory } from "./locked-inventory.ts";
import { notice, unused } from "./notice.ts";
import { openRepository, type GitSurroundings, type Repository } from "../git/repository.ts";
import { findUncommitted } from "../git/uncommitted.ts";
import { requireOwnPlace } from "../../lib/write-file.ts";
import { describeRunner } from "../../model/runner.ts";
import { targetKey, type InventoryTarget } from "./target-key.ts";

export interface InventoryChoice {
  /** The manifests as they were named; the first says which repository. */
  readonly manifests: readonly string[];
  /** A folder whose repository is taken if the first manifest is in none: a plan file may lie outside. */
  readonly otherFolder?: string | undefined;
  /** `--inventory` */
  readonly file?: string | undefined;
  /** Undefined for a service that is gone after the command: then none is kept. */
  readonly target: InventoryTarget | undefined;
}

export interface InventoryDeps extends LeaseDeps, GitSurroundings {}

/** Opens the inventory of a target: in the file that was named, else in the git repository that holds the first manifest, else none. Throws for a link that leads out. */
export async function openInventory(choice: InventoryChoice, deps: InventoryDeps): Promise<InventoryStore> {
  const by = describeRunner(deps.env, deps.runner);
  if (!choice.target) {
    const where = "none: the embedded service ends with the command";
    return keepsNone(where, by, choice.file === undefined ? [] : [unused("--inventory")]);
  }
  if (choice.file !== undefined) requireOwnPlace(choice.file);
  const key = targetKey(choice.target);
  const own = await openRepository(folderOf(choice.manifests[0] ?? "-"), deps);
  const opened = own.ok || choice.otherFolder === undefined ? own : await openRepository(choice.otherFolder, deps);
  const repository = opened.ok ? opened.repository : undefined;
  if (!repository && choice.file === undefined && !opened.ok) {
    const summary = `No inventory is kept: ${opened.reason}`;
    const told = notice(
      "no_inventory",
      summary,
      `${opened.hint}; without an inventory, undeclared resources are not deleted, and no collection is known to have been exclusive before`,
    );
    const lock = targetLock({ shared: undefined, local: undefined, localBecause: opened.reason }, by, deps);
    return keepsNone(`none: ${opened.reason}`, by, [told], lock.take);
  }
  const isInGit = choice.file === undefined && repository !== undefined;
  const lease = isInGit ? join(repository.commonFolder, `hostform-${key}.lease`) : await leaseBeside(choice.file ?? "");
  const cell = isInGit ? gitBackend(repository, key, deps) : fileBackend({ path: choice.file ?? "", by, lease }, deps);
  const local = fileRegister(lease, deps.newId);
  const lock = targetLock(lockPlaces(isInGit ? repository : undefined, local, key, deps), by, deps);
  const locked = lockedInventory(cell, key, { ...deps, by, lock });
  const { api } = choice.target;
  return {
    ...storeOf(cell, locked, repository, by),
    ...(api && { api }),
    uncommitted: uncommittedIn(repository, choice.manifests),
  };
}

const uncommittedIn =
  (repository: Repository | undefined, roots: readonly string[]): InventoryStore["uncommitted"] =>
  async (files) =>
    repository ? findUncommitted(repository, roots, files) : [];

/** The lease stands where the inventory does: at the remote of its repository, or beside its file. */
function lockPlaces(
  repository: Repository | undefined,
  local: LeaseRegister,
  key: string,
  { sleep }: LeaseDeps,
): LockPlaces {
  if (!repository) return { shared: undefined, local, localBecause: undefined };
  return repository.remote
    ? { shared: gitRegister(repository, key, sleep), local, localBecause: undefined }
    : { shared: undefined, local, localBecause: "the repository of the manifest has no remote" };
}

/** The folder of the lease of a file: one and the same, whichever link names the file. */
async function leaseBeside(path: string): Promise<string> {
  const real = await realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  );
  return `${real}.lease`;
}

function storeOf(
  cell: InventoryBackend,
  locked: LockedInventory,
  repository: Repository | undefined,
  by: string,
): Omit<InventoryStore, "uncommitted"> {
  return {
    where: cell.where,
    place: cell.place,
    keeps: true,
    by,
    head: repository?.head,
    read: async () => describe(await locked.read(), repository),
    lock: locked.lock,
    holder: locked.holder,
    begin: locked.begin,
    countOnce: locked.countOnce,
    finish: locked.finish,
    confirm: locked.confirm,
    edit: (change, subject, force = false) => locked.edit(change, subject, force),
    pathsInRepository: async (files) => (repository ? pathsIn(repository.top, files) : []),
    manifestsAt: async (commit, paths) => repository && textsAt(repository, commit, paths),
    filesAt: async (commit, paths) => repository && filesAt(repository, commit, paths),
    isInWorkTree: (path) => repository !== undefined && existsSync(join(repository.top, path)),
    isPushed: async () => (repository ? isHeadPushed(repository) : "unknown"),
    parent: async () => (repository ? parentOfHead(repository) : "unknown"),
    history: cell.history,
    close: async () => {
      await cell.close();
      await repository?.close();
    },
  };
}

async function describe(seen: LoadedInventory, repository: Repository | undefined): Promise<ReadInventory> {
  const { running, lastApply } = seen.inventory ?? {};
  // An apply that was cut off has made what only its own commit declares.
  const commits = [running?.commit, lastApply?.commit, ...(seen.alsoApplied ?? [])].filter(
    (each) => each !== undefined,
  );
  const answers = await Promise.all(
    commits.map(async (each) => (repository ? await containsCommit(repository, each) : "unknown")),
  );
  const contains = answers.find((answer) => answer === "no") ?? answers.find((answer) => answer === "unknown") ?? "yes";
  const commit = commits[answers.indexOf(contains)];
  const missed = contains === "yes" || commit === undefined ? undefined : { commit, isCertain: contains === "no" };
  const [by, time] = commit === running?.commit ? [running?.by, running?.since] : [lastApply?.by, lastApply?.time];
  const isTold = commit === running?.commit || commit === lastApply?.commit;
  return {
    inventory: seen.inventory,
    headContainsLastApply: contains,
    ...(missed && {
      missed: {
        ...missed,
        ...(isTold && by !== undefined && { by }),
        ...(isTold && time !== undefined && { time }),
        ...(lastApply?.dirty === true && commit === lastApply.commit && { dirty: true }),
        ...(repository ? await findMissed(repository, missed.commit) : { isHere: false }),
      },
    }),
    ...(seen.isUndecided === true && { isUndecided: true }),
    ...(seen.isUnpushed === true && { isUnpushed: true }),
    notices: [...seen.notices, ...(commit !== undefined && contains === "unknown" ? [unknownDescent(commit)] : [])],
  };
}

const unknownDescent = (commit: string) =>
  notice(
    "inventory_commit_unknown",
    `The last apply was of commit ${commit.slice(0, 12)}, and this clone cannot tell whether it is part of its history`,
    "fetch the whole history (fetch-depth: 0)",
  );

/** The folder in which to look for the repository: the manifest's own after all links, or the working folder for standard input. */
export function folderOf(path: string): string {
  if (path === "-") return resolve(".");
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? real : dirname(real);
  } catch {
    // A pipe has no real path, and what is not there may lie in a folder that is.
    return folderOf(dirname(resolve(path)));
  }
}

async function pathsIn(top: string, files: readonly string[]): Promise<readonly string[]> {
  const realTop = await realpath(top);
  const all = await Promise.all(
    files.map(async (file) => relative(realTop, await realpath(file).catch(() => sep)).replaceAll(sep, "/")),
  );
  return [...new Set(all)].filter((path) => path !== "" && !path.startsWith("../") && path !== "..").sort();
}

async function parentOfHead({ apart, head, shallow }: Repository): ReturnType<InventoryStore["parent"]> {
  if (head === undefined || shallow) return "unknown";
  const listed = await apart(["rev-list", "--parents", "--max-count=1", head]);
  if (!listed.ok) return "unknown";
  const [, commit] = listed.stdout.toString().trim().split(" ");
  return commit === undefined ? "none" : { commit };
}

function keepsNone(
  where: string,
  by: string,
  notices: readonly Diagnostic[],
  lock: InventoryStore["lock"] = async () => ({ is: "ours", lock: unguarded }),
): InventoryStore {
  return {
    lock,
    holder: async () => undefined,
    where,
    place: () => undefined,
    keeps: false,
    by,
    head: undefined,
    read: async () => ({ inventory: undefined, notices, headContainsLastApply: "yes" }),
    begin: async () => ({ is: "written", kept: false, notices: [] }),
    countOnce: async () => undefined,
    finish: async () => [],
    confirm: async () => undefined,
    edit: async () => ({ is: "written", kept: false, notices }),
    pathsInRepository: async () => [],
    uncommitted: async () => [],
    manifestsAt: async () => undefined,
    filesAt: async () => undefined,
    isInWorkTree: () => false,
    isPushed: async () => "unknown",
    parent: async () => "unknown",
    history: async () => undefined,
    close: async () => undefined,
  };
}
