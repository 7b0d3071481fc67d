import type { Clock } from "../../lib/repeat-until.ts";
import { advice } from "../../messages/advice.ts";
import { quoted } from "../../lib/escape.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { emptyInventory } from "../../model/inventory.ts";
import { textToStore } from "./inventory-content.ts";
import type {
  HistoryEntry,
  InventoryStore,
  LoadedInventory,
  NotShared,
  StoreResult,
  Succession,
} from "./inventory-store.ts";
import { mergeInventories } from "./merge-inventories.ts";
import { fetchRef, moveRef, pushRef, readGitObject, readRefs, readRemoteRef, setRef } from "../git/git-refs.ts";
import { notice, warning } from "./inventory-notices.ts";
import type { Repository } from "../git/repository.ts";
import {
  isAncestor,
  readApplies,
  readAt,
  readHistory,
  valueAt,
  writeCommit,
  type GitStorage,
  whatIsStrange,
} from "./git-commit.ts";

/** The state of both ends of the ref, as last seen. */
interface RefState {
  readonly version: string;
  /** Of the next commit; two after runs that did not know of each other. */
  readonly parents: readonly string[];
  /** Of the commit that the next one is to take the place of. */
  readonly parentsBefore: readonly string[];
  readonly local: string | undefined;
  /** False where there is no remote, or none that can be used in this run. */
  readonly remote: { readonly tip: string | undefined } | false;
  /** Why the remote does not have the content at `local`, as far as that is known. */
  readonly notShared?: string | undefined;
}

/**
 * The inventory of one target in `refs/hostform/KEY`, at the remote where there is one. `refs/hostform-remote/KEY` is where the remote
 * was last seen: what is at the ref but not there was written without the remote, and is joined with what came meanwhile.
 */
export function gitStore(repository: Repository, key: string, { now, sleep }: Clock): InventoryStore {
  const ref = `refs/hostform/${key}`;
  const where = `${ref} in ${repository.top}`;
  const context: GitStorage = { repository, ref, seenRef: `refs/hostform-remote/${key}`, where, key, now, sleep };
  let state: RefState | undefined;
  return {
    where,
    place: () =>
      repository.remote && state?.notShared === undefined
        ? { kept: "shared", where: ref, sharedAt: repository.remote.name }
        : { kept: "unshared", where: ref },
    load: async () => {
      const found = await loadBoth(context);
      state = found.state;
      return found.loaded;
    },
    store: async (next, entry, over, succession) => {
      const text = textToStore(next, key);
      if (typeof text !== "string") return text;
      if (state?.version !== over) return { is: "moved" };
      const swapped = await swap(context, state, { text, entry }, succession);
      state = swapped.state ?? state;
      return swapped.outcome;
    },
    history: async (address) => {
      const tip = state?.parents[0] ?? (await readGitObject(repository.inPlace, `${ref}^{commit}`));
      return tip === undefined ? [] : readHistory(repository.beside, tip, address);
    },
    appliesToWhole: async () => {
      const tip = state?.parents[0];
      return tip === undefined ? [] : readApplies(context, tip);
    },
    close: repository.close,
  };
}

async function loadBoth(context: GitStorage): Promise<{ loaded: LoadedInventory; state: RefState }> {
  const { repository, ref, seenRef } = context;
  const [local, seen] = await readRefs(repository.inPlace, [ref, seenRef]);
  if (!repository.remote) return at(context, { tip: local, local, remote: false });
  const remote = await fetchTip(context, [local, seen]);
  if (!remote.ok) {
    const summary = `The inventory could not be fetched from ${repository.remote.name} (${repository.remote.url}): ${remote.reason}`;
    const hasCopy = local !== undefined;
    const hint = `${hasCopy ? "the copy in this clone is used" : "this clone has no copy of it"}; the next run that reaches the remote joins what both hold`;
    const said = hasCopy ? notice("inventory_offline", summary, hint) : warning("inventory_unreadable", summary, hint);
    const offline = { tip: local, local, remote: false, notShared: remote.reason } as const;
    const found = await at(context, offline, [said]);
    if (local === undefined || local === seen) return found;
    return {
      ...found,
      loaded: { ...found.loaded, isUnshared: true, shared: (await valueAt(context, seen)) ?? emptyInventory },
    };
  }
  const { tip } = remote;
  const isKnown = tip === seen || (tip !== undefined && tip === local);
  const strange = !isKnown && (await whatIsStrange(context, tip, { local, seen }));
  if (strange) {
    const own = { tip: local, local, remote: false, notShared: "someone has to choose first, as said above" } as const;
    const { loaded, state } = await at(context, own, [strange]);
    return { loaded: { ...loaded, isUndecided: true }, state };
  }
  if (tip === undefined || tip === local || (tip === seen && local !== undefined)) {
    if (tip !== undefined && tip !== seen) await setRef(repository.inPlace, seenRef, tip);
    const found = await at(context, { tip: local, local, remote: { tip } });
    return tip === local ? found : { ...found, loaded: { ...found.loaded, isUnshared: true } };
  }
  if (local === undefined || local === seen || (await isAncestor(repository, local, tip))) {
    const moved = await moveRef(repository.inPlace, ref, { to: tip, from: local, mirror: seenRef });
    return at(context, { tip, local: moved.is === "done" ? tip : local, remote: { tip } });
  }
  return joined(context, { local, tip, seen });
}

async function fetchTip({ repository, ref }: GitStorage, haves: readonly (string | undefined)[]) {
  const remote = await readRemoteRef(repository.beside, ref);
  if (!remote.ok || remote.tip === undefined || haves.includes(remote.tip)) return remote;
  const fetched = await fetchRef(repository.beside, ref, haves);
  if (!fetched.ok) return { ok: false, reason: fetched.problem } as const;
  return { ok: true, tip: await readGitObject(repository.beside, "refs/fetched") } as const;
}

/** The state at one commit. */
async function at(
  context: GitStorage,
  { tip, ...ends }: Pick<RefState, "local" | "remote" | "notShared"> & { readonly tip: string | undefined },
  notices: readonly Diagnostic[] = [],
): Promise<{ loaded: LoadedInventory; state: RefState }> {
  const version = tip ?? "";
  const parents = tip === undefined ? [] : [tip];
  const read = await readAt(context, tip);
  return {
    loaded: { version, ...read, notices: [...notices, ...read.notices] },
    state: { version, parents, parentsBefore: [], ...ends },
  };
}

/** Merges the local and the remote inventory, which both changed since their last common commit. */
async function joined(
  context: GitStorage,
  { local, tip, seen }: { readonly local: string; readonly tip: string; readonly seen: string | undefined },
): Promise<{ loaded: LoadedInventory; state: RefState }> {
  const [there, here] = [await valueAt(context, tip), await valueAt(context, local)];
  const base = (await valueAt(context, seen)) ?? emptyInventory;
  // The remote's inventory is shown as it is if either cannot be read, so that its fault is reported.
  const read =
    there && here ? { inventory: mergeInventories(base, here, there), notices: [] } : await readAt(context, tip);
  const summary = `The inventory was changed here and at ${context.repository.remote?.name ?? "the remote"} since their last common version; both sets of changes were merged`;
  return {
    loaded: {
      version: `${tip}+${local}`,
      ...read,
      notices: [notice("inventory_joined", summary), ...read.notices],
      isUnshared: true,
      alsoApplied: [there, here].flatMap((each) => each?.lastApply?.commit ?? []),
    },
    state: { version: `${tip}+${local}`, parents: [tip, local], parentsBefore: [], local, remote: { tip } },
  };
}

/** The new text of the inventory, and its entry in the history. */
interface InventoryCommit {
  readonly text: string;
  readonly entry: HistoryEntry;
}

interface SwapResult {
  readonly outcome: StoreResult;
  readonly state?: RefState;
}

async function swap(
  context: GitStorage,
  state: RefState,
  change: InventoryCommit,
  succession: Succession,
): Promise<SwapResult> {
  const instead = succession === "instead";
  const parents = instead ? state.parentsBefore : state.parents;
  const first = await swapOnce(context, state, change, { parents, mustShare: succession === "shared" });
  const again = instead && state.remote !== false && first.state?.notShared !== undefined;
  // A remote that takes no commit in another's place may take one after it.
  const next = { ...state, local: first.state?.local };
  return again ? swapOnce(context, next, change, { parents: state.parents, mustShare: false }) : first;
}

async function swapOnce(
  context: GitStorage,
  state: RefState,
  { text, entry }: InventoryCommit,
  { parents, mustShare }: { readonly parents: readonly string[]; readonly mustShare: boolean },
): Promise<SwapResult> {
  const { repository, ref, seenRef } = context;
  const { remote } = state;
  const commit = await writeCommit(context, text, entry, parents);
  if ("reason" in commit) return failed(`git could not store the inventory: ${commit.reason}`);
  const { id } = commit;
  const pushed = remote && (await pushRef(repository.beside, ref, { to: id, from: remote.tip }, context.sleep));
  if (pushed && pushed.is === "rejected") return { outcome: { is: "moved" } };
  const notShared = pushed && "reason" in pushed ? pushed.reason : state.remote ? undefined : state.notShared;
  if (mustShare && pushed && notShared !== undefined) return { outcome: refusedPush(context, notShared) };
  const isPushed = pushed && pushed.is === "done";
  const mirror = isPushed ? seenRef : undefined;
  const moved = await moveRef(repository.inPlace, ref, { to: id, from: state.local, mirror });
  if (moved.is !== "done" && !isPushed) return moved.is === "moved" ? { outcome: moved } : failed(moved.reason);
  // The remote decides; here another process of this clone has only brought the ref up to date.
  if (moved.is !== "done") for (const each of [ref, seenRef]) await setRef(repository.inPlace, each, id);
  const ends = { local: id, remote: isPushed ? { tip: id } : remote, notShared };
  return {
    outcome: {
      is: "done",
      version: id,
      ...(notShared !== undefined && { notShared: notSharedOf(context, notShared) }),
    },
    state: { version: id, parents: [id], parentsBefore: parents, ...ends },
  };
}

const failed = (summary: string): SwapResult => ({
  outcome: {
    is: "failed",
    notices: [
      warning("inventory_not_kept", summary, "the resources that this run creates will be missing in the inventory"),
    ],
  },
});

const notSharedOf = ({ repository: { remote, top }, ref }: GitStorage, reason: string): NotShared => ({
  place: `${remote?.name ?? "the remote"} (${remote?.url ?? ""})`,
  reason: reason.replace(/\.$/u, ""),
  remedy: `share it from this clone: git -C ${quoted(top)} push ${quoted(remote?.name ?? "origin")} ${ref}`,
});

/** Says before the first write that others would not get to know what it makes. */
function refusedPush(context: GitStorage, reason: string): StoreResult {
  const { place, reason: why } = notSharedOf(context, reason);
  const summary = `The inventory cannot be pushed to ${place}: ${why}. Nothing was changed, because others would not know what is ours`;
  const hint = advice.allowPush;
  return { is: "not_shared", notices: [{ ...warning("inventory_not_pushed", summary, hint), severity: "error" }] };
}
