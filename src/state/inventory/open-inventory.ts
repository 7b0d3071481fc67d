import { realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { OpenInventory, ReadInventory } from "../../model/inventory.ts";
import { describeRunner } from "../../model/runner.ts";
import { orElse } from "../../lib/or-undefined.ts";
import { requireOwnPlace } from "../../lib/write-file.ts";
import { manifestRepository } from "../git/manifest-repository.ts";
import { folderOf, openRepository, type GitSurroundings, type Repository } from "../git/repository.ts";
import { fileRegister } from "../lease/file-register.ts";
import { gitRegister } from "../lease/git-register.ts";
import type { LeaseDeps } from "../lease/hold-lease.ts";
import type { Register } from "../lease/register.ts";
import { targetLock, type TargetLock } from "../lease/target-lock.ts";
import { applyInventory } from "./apply-inventory.ts";
import { fileStore } from "./file-store.ts";
import { gitStore } from "./git-store.ts";
import { noStore, type InventoryStore, type LoadedInventory, type StoreResult } from "./inventory-store.ts";
import { notice, notKept } from "./inventory-notices.ts";
import { findingDiagnostics } from "../../messages/findings.ts";
import { targetKey, type InventoryTarget } from "./target-key.ts";
import { containsCommit, findMissed, isOlderThanAny } from "../git/contains-commit.ts";

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

/** Other places than files and git for what is known of a target, by the key that names it. What is absent stays where it is. */
export interface TargetStores {
  readonly inventory?: (target: string) => InventoryStore;
  /** The lease that keeps other applies out, wherever they run. `call`: a UUID, the same for all stores of one call. */
  readonly lease?: (target: string, call: string) => Register;
}

export interface InventoryDeps extends LeaseDeps, GitSurroundings {
  readonly stores?: TargetStores | undefined;
  readonly call?: string | undefined;
}

/** A place for the inventory of a target, and the lock that belongs to it. */
interface Place {
  readonly store: InventoryStore;
  readonly lock: TargetLock;
}

/** Opens the inventory of a target: in the file that was named, else in the store that was given, else in the git repository that holds the first manifest, else none. Throws for a link that leads out. */
export async function openInventory(choice: InventoryChoice, deps: InventoryDeps): Promise<OpenInventory> {
  const { manifests, otherFolder, file, target } = choice;
  const by = describeRunner(deps.env, deps.runner);
  if (!target) {
    const notices = file === undefined ? [] : findingDiagnostics({ type: "file_not_used", file: "inventory" });
    const store = noStore("none: the embedded service ends with the command", notices);
    return opened({ store, lock: targetLock({}, by, deps) }, undefined, choice, { ...deps, by });
  }
  if (file !== undefined) requireOwnPlace(file);
  const key = targetKey(target);
  const own = await openRepository(folderOf(manifests[0] ?? "-"), deps);
  const found = own.ok || otherFolder === undefined ? own : await openRepository(otherFolder, deps);
  const repository = found.ok ? found.repository : undefined;
  const stores = file === undefined ? deps.stores : undefined;
  const shared = stores?.lease?.(key, deps.call ?? "");
  const usual =
    file !== undefined
      ? await placeInFile(file, key, by, deps)
      : found.ok
        ? placeInGit(found.repository, key, by, deps)
        : placeNowhere(found, by, deps);
  const place = {
    store: stores?.inventory ? withReason(stores.inventory(key)) : usual.store,
    lock: shared ? targetLock({ shared, isRequired: true }, by, deps) : usual.lock,
  };
  return opened(place, repository, choice, { ...deps, by });
}

/**
 * A store that rejects does so also after writes: what was done is said all the same. One that fails in words of its own has failed, too; one
 * that only fails to close has kept what it was given.
 * It may be an instance of a class, whose functions a copy would not have.
 */
const withReason = (store: InventoryStore): InventoryStore => ({
  where: store.where,
  place: () => store.place(),
  load: () => store.load(),
  history: (address) => store.history(address),
  appliesToWhole: () => store.appliesToWhole(),
  close: async () => void (await orElse(() => store.close(), String)),
  store: async (...given) => {
    const stored = await orElse(() => store.store(...given), failedBecause);
    if (stored.is !== "failed" || stored.notices.some(({ code }) => code === "inventory_not_kept")) return stored;
    const reason = stored.notices.map(({ summary }) => summary).join("; ");
    return { is: "failed", notices: [notKept(store.where, reason || "its store does not say why")] };
  },
});

const failedBecause = (error: unknown): StoreResult => ({
  is: "failed",
  notices: [{ severity: "warning", code: "rejected", summary: (error as Error).message }],
});

/** The lease of a file stands in a folder beside it: one and the same, whichever link names the file. */
async function placeInFile(path: string, key: string, by: string, deps: LeaseDeps): Promise<Place> {
  const real = await realpath(path).catch(async () =>
    join(await realpath(dirname(path)).catch(() => dirname(path)), basename(path)),
  );
  const lease = `${real}.lease`;
  const local = fileRegister(lease, deps.newId);
  return {
    store: fileStore({ path, key, by, lease }, deps),
    lock: targetLock({ local }, by, deps),
  };
}

/** The lease stands at the remote of the repository; beside it, the clone has one for the time that the remote cannot be reached. */
function placeInGit(repository: Repository, key: string, by: string, deps: LeaseDeps): Place {
  const local = fileRegister(join(repository.commonFolder, `hostform-${key}.lease`), deps.newId);
  const shared = repository.remote && gitRegister(repository, key, deps.sleep);
  const localBecause = shared ? undefined : "the repository of the manifest has no remote";
  return {
    store: gitStore(repository, key, deps),
    lock: targetLock({ shared, local, localBecause }, by, deps),
  };
}

function placeNowhere(
  { reason, hint }: { readonly reason: string; readonly hint: string },
  by: string,
  deps: LeaseDeps,
): Place {
  const without =
    "without an inventory, undeclared resources are not deleted, and no collection is known to have been exclusive before";
  const notices: Diagnostic[] = [notice("no_inventory", `No inventory is kept: ${reason}`, `${hint}; ${without}`)];
  return {
    store: noStore(`none: ${reason}`, notices),
    lock: targetLock({ localBecause: reason }, by, deps),
  };
}

function opened(
  { store, lock }: Place,
  repository: Repository | undefined,
  { target, manifests }: InventoryChoice,
  deps: InventoryDeps & { readonly by: string },
): OpenInventory {
  const { where, place, history, appliesToWhole } = store;
  const { read, ...changes } = applyInventory(store, { ...deps, lock });
  return {
    ...manifestRepository(repository, manifests),
    ...changes,
    where,
    place,
    keeps: place() !== undefined,
    by: deps.by,
    ...(target?.api && { api: target.api }),
    read: async (planned) => withMissedApply(await read(), repository, planned),
    history,
    appliesToWhole,
    close: async () => {
      await store.close();
      await repository?.close();
    },
  };
}

/** Compares the commits of the last applies with HEAD, or with that of a saved plan where one of them is newer. */
async function withMissedApply(
  seen: LoadedInventory,
  opened: Repository | undefined,
  planned: string | undefined,
): Promise<ReadInventory> {
  const { running, lastApply } = seen.inventory ?? {};
  // An apply that was cut off has made what only its own commit declares.
  const commits = [running?.commit, lastApply?.commit, ...(seen.alsoApplied ?? [])].filter(
    (each) => each !== undefined,
  );
  const isOlder = opened && planned !== undefined && (await isOlderThanAny(opened, planned, commits));
  const repository = isOlder ? { ...opened, head: planned } : opened;
  const answers = await Promise.all(
    commits.map(async (each) => (repository ? await containsCommit(repository, each) : "unknown")),
  );
  const contains = answers.find((answer) => answer === "no") ?? answers.find((answer) => answer === "unknown") ?? "yes";
  const commit = commits[answers.indexOf(contains)];
  const missed = contains === "yes" || commit === undefined ? undefined : { commit, isCertain: contains === "no" };
  const [by, time] = commit === running?.commit ? [running?.by, running?.since] : [lastApply?.by, lastApply?.time];
  const isRecorded = commit === running?.commit || commit === lastApply?.commit;
  return {
    inventory: seen.inventory,
    headContainsLastApply: contains,
    missed: missed && {
      ...missed,
      ...(isRecorded && { by, time }),
      ...(isOlder && { isAfterPlan: true }),
      dirty: (lastApply?.dirty === true && commit === lastApply.commit) || undefined,
      ...(repository ? await findMissed(repository, missed.commit) : { isHere: false }),
    },
    isUndecided: seen.isUndecided,
    isUnshared: seen.isUnshared,
    notices: [...seen.notices, ...(commit !== undefined && contains === "unknown" ? [unknownDescent(commit)] : [])],
  };
}

const unknownDescent = (commit: string) =>
  notice(
    "inventory_commit_unknown",
    `The last apply was of commit ${commit.slice(0, 12)}, and this clone cannot tell whether it is part of its history`,
    "fetch the whole history (fetch-depth: 0)",
  );
