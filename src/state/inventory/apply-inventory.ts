import {
  type OpenInventory,
  type WroteInventory,
  emptyInventory,
  type Inventory,
  type RunningApply,
} from "../../model/inventory.ts";
import { hasEndedHere, runningApplyOf, runsHere, type Runner } from "../../model/runner.ts";
import type { TargetLock } from "../lease/target-lock.ts";
import type { HistoryEntry, InventoryStore, LoadedInventory, Succession } from "./inventory-store.ts";
import { finishedLate, leftAlone, lockRemains, notPushed, unended } from "./inventory-notices.ts";
import { mergeInventories } from "./merge-inventories.ts";

interface ApplyDeps {
  readonly lock: TargetLock;
  readonly runner: Runner;
  /** `user@host`, or the CI job. */
  readonly by: string;
  readonly now: () => number;
}

/** An inventory and its lock, for one command: each change is a value that replaces the one that was read. */
export interface ApplyInventory extends Pick<
  OpenInventory,
  "lock" | "holder" | "begin" | "countOnce" | "finish" | "staying" | "confirm" | "edit"
> {
  readonly read: () => Promise<LoadedInventory>;
}

/** The inventory that this run has written last. */
interface Written {
  readonly version: string;
  readonly value: Inventory;
  readonly entry: HistoryEntry;
}

/** The beginning of this run's apply. */
interface Begun {
  readonly before: Inventory;
  readonly next: Inventory;
  readonly mark: RunningApply;
  /** The inventory that the others see from then on. */
  readonly shared: Inventory;
}

/** The number of attempts at a change, since another process may be faster. */
const attempts = 5;

/** Opens an inventory for the changes of one command. The lock keeps others out; the mark in the inventory says that an apply has begun. */
export function applyInventory(store: InventoryStore, { lock, runner, by, now }: ApplyDeps): ApplyInventory {
  let seen: LoadedInventory | undefined;
  let written: Written | undefined;
  let begun: Begun | undefined;
  let staying: RunningApply | undefined;
  const read = async () => (seen = await store.load());
  const put = async (value: Inventory, entry: HistoryEntry, over: string, succession: Succession) => {
    const stored = await store.store(value, entry, over, succession);
    written = stored.is === "done" ? { version: stored.version, value, entry } : undefined;
    return stored;
  };
  /** The mark of an apply that may be running still, because the lock that the other runners use cannot be read. */
  const notEnded = ({ inventory }: LoadedInventory) => {
    const found = lock.isBlind() ? inventory?.running : undefined;
    return found && !hasEndedHere(found, runner) ? found : undefined;
  };
  const edit = (change: (inventory: Inventory) => Inventory, entry: HistoryEntry) =>
    changed(store, read, change, entry);
  return {
    read,
    lock: lock.take,
    holder: async () => {
      const holder = await lock.look();
      if (holder) return { is: "held", by: holder };
      const running = notEnded(seen ?? (await read()));
      return running && { is: "not_ended", by: running };
    },
    begin: async (next, commit) => {
      const from = seen ?? (await read());
      if (from.mustStay === true) return { is: "written", kept: false, notices: [leftAlone(store.where)] };
      const { inventory: before = emptyInventory, shared = before } = from;
      const running = notEnded(from);
      if (running) return { is: "held", by: running };
      const mark = { ...runningApplyOf(runner, by, now()), ...(commit !== undefined && { commit }) };
      const stored = await put({ ...next, running: mark }, { subject: "apply: begun", by }, from.version, "shared");
      if (stored.is === "moved") return { is: "moved", lastApply: (await read()).inventory?.lastApply };
      if (stored.is === "not_shared") return stored;
      const notices = before.running ? [unended(before.running)] : [];
      if (stored.is === "failed") return { is: "written", kept: false, notices: [...notices, ...stored.notices] };
      begun = { before, next, mark, shared: stored.notShared ? shared : next };
      return { is: "written", kept: true, notices };
    },
    countOnce: async (sent) => {
      if (!begun || !written) return;
      const { before, next, mark } = begun;
      const { version, entry } = written;
      const value: Inventory = {
        ...next,
        unconfirmed: [...(before.unconfirmed ?? []), ...sent],
        running: { ...mark, once: sent.length },
      };
      const stored = await store.store(value, entry, version, "instead");
      if (stored.is === "done") written = { ...written, version: stored.version };
    },
    finish: async (next, subject) => {
      if (!begun || !written) return [];
      const { before, mark, shared } = begun;
      begun = undefined;
      const { planHash, commit, dirty } = next.lastApply ?? {};
      const entry: HistoryEntry = { subject, by, planHash, manifestVersion: commit, dirty };
      const stored = await put(next, entry, written.version, "instead");
      if ("notices" in stored || (stored.is === "done" && stored.notShared)) staying = mark;
      if (stored.is === "done") return stored.notShared ? [notPushed(stored.notShared, shared, next)] : [];
      if ("notices" in stored) return stored.notices;
      const late = await edit((current) => endedLate(before, next, current, mark), entry);
      return [...("notices" in late ? late.notices : []), finishedLate(late.is === "written")];
    },
    staying: () => staying,
    confirm: async (unconfirmed) => {
      if (!written || begun) return;
      const { version, value, entry } = written;
      await put({ ...value, unconfirmed }, { ...entry, subject: "apply: confirmed" }, version, "after");
    },
    edit: async (change, subject, force = false) => {
      if (!force) {
        const taken = await lock.take({ timeout: 0 });
        if (taken.is !== "ours") return { is: "held", by: taken.is === "held" ? taken.by : undefined };
        try {
          return await edit(change, { subject, by });
        } finally {
          await taken.lock.release();
        }
      }
      const holder = await lock.look();
      if (holder && runsHere(holder, runner)) return { is: "held", by: holder, lives: true };
      const problem = await lock.break();
      const wrote = await edit(change, { subject, by });
      if (problem === undefined || wrote.is !== "written") return wrote;
      return { ...wrote, notices: [...wrote.notices, lockRemains(problem)] };
    },
  };
}

/** Loads, changes and stores, again where another process was faster. */
async function changed(
  { store }: InventoryStore,
  load: InventoryStore["load"],
  change: (current: Inventory) => Inventory,
  entry: HistoryEntry,
): Promise<WroteInventory> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const from = await load();
    if (from.mustStay === true) return { is: "written", kept: false, notices: from.notices };
    const { inventory: before = emptyInventory, shared = before } = from;
    const next = change(before);
    const stored = await store(next, entry, from.version, "after");
    if (stored.is === "moved") continue;
    const kept = stored.is === "done";
    const problems = kept ? stored.notShared && [notPushed(stored.notShared, shared, next)] : stored.notices;
    return { is: "written", kept, notices: [...from.notices, ...(problems ?? [])] };
  }
  return { is: "moved" };
}

/** Returns the inventory of now after an apply that another has overtaken: with what it added and removed, and without its own mark. */
function endedLate(before: Inventory, next: Inventory, now: Inventory, mark: RunningApply): Inventory {
  const merged = mergeInventories(before, next, now);
  const { running, ...rest } = merged;
  const isOwn = running?.since === mark.since && running.pid === mark.pid && running.host === mark.host;
  return isOwn ? rest : merged;
}
