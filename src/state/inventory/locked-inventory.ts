import { nameSome } from "../../lib/name-some.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import {
  emptyInventory,
  type Inventory,
  type InventoryStore,
  type RunningApply,
  type WroteInventory,
} from "../../model/inventory.ts";
import type { InventoryBackend, HistoryEntry, Loaded, CasResult, NotShared, Succession } from "./backend.ts";
import { formatContent, inventoryIn, maxInventoryBytes, parseContent, type Unreadable } from "./content.ts";
import { mergeInventories } from "./merge-inventories.ts";
import { notice, warning } from "./notice.ts";
import type { TargetLock } from "../lease/target-lock.ts";
import { endedHere, runningApplyOf, type Runner } from "../../model/runner.ts";

export interface LockedInventoryDeps {
  readonly lock: TargetLock;
  readonly runner: Runner;
  /** `user@host`, or the CI job. */
  readonly by: string;
  readonly now: () => number;
}

/** An inventory as it was read; `problem` where there is a text that is none. */
export interface LoadedInventory {
  readonly version: string;
  readonly inventory: Inventory | undefined;
  readonly problem?: Unreadable;
  readonly alsoApplied?: readonly string[];
  readonly isUndecided?: boolean;
  readonly isUnpushed?: boolean;
  /** What the others have, if that is something else. */
  readonly shared?: Inventory;
  readonly notices: readonly Diagnostic[];
}

export interface LockedInventory {
  readonly read: () => Promise<LoadedInventory>;
  readonly lock: InventoryStore["lock"];
  readonly holder: InventoryStore["holder"];
  readonly begin: InventoryStore["begin"];
  readonly countOnce: InventoryStore["countOnce"];
  readonly confirm: InventoryStore["confirm"];
  readonly finish: (next: Inventory, subject: string) => Promise<readonly Diagnostic[]>;
  readonly edit: (
    change: (inventory: Inventory) => Inventory,
    subject: string,
    force: boolean,
  ) => Promise<WroteInventory>;
}

/** The number of attempts at a change, since another process may be faster. */
const attempts = 5;

/** Takes a cell's text as an inventory, and in it the mark of the apply that is running. The lock beside it keeps others out. */
export function lockedInventory(cell: InventoryBackend, key: string, deps: LockedInventoryDeps): LockedInventory {
  let seen: LoadedInventory | undefined;
  let begun: Begun | undefined;
  let finished: Finished | undefined;
  const read = async () => (seen = interpret(await cell.load(), key, cell));
  const write: WriteInventory = async (next, entry, over, succession) => {
    const text = formatContent(next, key);
    return Buffer.byteLength(text) > maxInventoryBytes
      ? tooLarge(next)
      : cell.compareAndSwap(text, entry, over, succession);
  };
  const { by, now, runner } = deps;
  /** The mark of an apply that may be running still, because the lock that the other runners use cannot be read. */
  const notEnded = ({ inventory }: LoadedInventory) => {
    const found = deps.lock.isBlind() ? inventory?.running : undefined;
    return found && endedHere(found, runner) === undefined ? found : undefined;
  };
  return {
    read,
    lock: deps.lock.take,
    holder: async () => {
      const by = await deps.lock.look();
      if (by) return { is: "held", by };
      const running = notEnded(seen ?? (await read()));
      return running && { is: "not_ended", by: running };
    },
    begin: async (next, commit) => {
      const from = seen ?? (await read());
      if (mustStay(from)) return { is: "written", kept: false, notices: [leftAlone(cell.where)] };
      const found = from.inventory?.running;
      const running = notEnded(from);
      if (running) return { is: "held", by: running };
      const lock = { ...runningApplyOf(runner, by, now()), ...(commit !== undefined && { commit }) };
      const swapped = await write({ ...next, running: lock }, { subject: "apply: begun", by }, from.version, "shared");
      if (swapped.is === "moved") return conflictResult((await read()).inventory);
      if (swapped.is === "not_shared") return swapped;
      const notices = found ? [unended(found)] : [];
      if (swapped.is === "failed") return { is: "written", kept: false, notices: [...notices, ...swapped.notices] };
      const before = from.inventory ?? emptyInventory;
      begun = {
        version: swapped.version,
        before,
        next,
        lock,
        shared: swapped.notShared ? (from.shared ?? before) : next,
      };
      return { is: "written", kept: true, notices };
    },
    countOnce: async (sent) => {
      if (!begun) return;
      const lock = { ...begun.lock, once: sent.length };
      const unconfirmed = [...(begun.before.unconfirmed ?? []), ...sent];
      const marked = { ...begun.next, unconfirmed, running: lock };
      const swapped = await write(marked, { subject: "apply: begun", by }, begun.version, "instead");
      if (swapped.is === "done") begun = { ...begun, version: swapped.version, lock };
    },
    finish: async (next, subject) => {
      if (!begun) return [];
      const { before, lock, shared } = begun;
      const entry = entryOf(next, subject, by);
      const swapped = await write(next, entry, begun.version, "instead");
      begun = undefined;
      if (swapped.is === "done") {
        finished = { version: swapped.version, next, entry };
        return swapped.notShared ? [notPushed(swapped.notShared, shared, next), markStays(lock)] : [];
      }
      if ("notices" in swapped) return [...swapped.notices, markStays(lock)];
      const change = (current: Inventory) => withoutLock(mergeInventories(before, next, current), lock);
      const late = await retried(read, write, change, entry);
      return [...("notices" in late ? late.notices : []), finishedLate(late.is === "written")];
    },
    confirm: async (unconfirmed) => {
      if (!finished) return;
      const { version, next, entry } = finished;
      finished = undefined;
      await write({ ...next, unconfirmed }, entry, version, "instead");
    },
    edit: async (change, subject, force) => {
      const edit = () => retried(read, write, change, { subject, by });
      if (force) {
        const problem = await deps.lock.break();
        const wrote = await edit();
        return problem === undefined || wrote.is !== "written"
          ? wrote
          : { ...wrote, notices: [...wrote.notices, lockRemains(problem)] };
      }
      const taken = await deps.lock.take({ timeout: 0 });
      if (taken.is !== "ours") return { is: "held", by: taken.is === "held" ? taken.by : undefined };
      try {
        return await edit();
      } finally {
        await taken.lock.release();
      }
    },
  };
}

/** The inventory that this run has written at its beginning. */
interface Begun {
  readonly version: string;
  readonly before: Inventory;
  readonly next: Inventory;
  readonly lock: RunningApply;
  /** The inventory as the others have it from then on. */
  readonly shared: Inventory;
}

/** The inventory that this run has written at its end. */
interface Finished {
  readonly version: string;
  readonly next: Inventory;
  readonly entry: HistoryEntry;
}

type WriteInventory = (
  next: Inventory,
  entry: HistoryEntry,
  over: string,
  succession: Succession,
) => Promise<CasResult>;

/** Reads, changes and writes, again where another process was faster. */
async function retried(
  read: () => Promise<LoadedInventory>,
  write: WriteInventory,
  change: (current: Inventory) => Inventory,
  entry: HistoryEntry,
): Promise<WroteInventory> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const from = await read();
    if (mustStay(from)) return { is: "written", kept: false, notices: from.notices };
    const before = from.inventory ?? emptyInventory;
    const next = change(before);
    const swapped = await write(next, entry, from.version, "after");
    if (swapped.is === "moved") continue;
    const isKept = swapped.is === "done";
    const notShared = isKept && swapped.notShared;
    const problems = isKept ? [] : swapped.notices;
    const told = notShared ? [notPushed(notShared, from.shared ?? before, next)] : problems;
    return { is: "written", kept: isKept, notices: [...from.notices, ...told] };
  }
  return { is: "moved" };
}

function interpret(
  { version, content, notices, alsoApplied, isUndecided = false, isUnpushed = false, shared }: Loaded,
  key: string,
  { where, keepsHistory }: InventoryBackend,
): LoadedInventory {
  if (content.is === "absent") return { version, inventory: undefined, notices, isUndecided };
  const parsed =
    content.is === "bytes"
      ? parseContent(content.bytes, key)
      : ({ ok: false, reason: content.reason, foreign: false } as const);
  if (!parsed.ok) {
    const summary = `The inventory (${where}) cannot be read: ${parsed.reason}`;
    const hint = "undeclared resources are not deleted until the inventory is readable again";
    return {
      version,
      inventory: undefined,
      isUndecided,
      problem: { reason: parsed.reason, foreign: parsed.foreign || !keepsHistory },
      notices: [...notices, warning("inventory_unreadable", summary, hint)],
    };
  }
  return {
    version,
    inventory: parsed.inventory,
    isUndecided,
    isUnpushed,
    notices: [...notices, ...unknownAddresses(parsed.unknown)],
    ...(shared && { shared: inventoryIn(shared, key) ?? emptyInventory }),
    ...(alsoApplied && { alsoApplied }),
  };
}

const mustStay = ({ problem }: LoadedInventory) => problem?.foreign === true;

function unknownAddresses(unknown: readonly string[]): Diagnostic[] {
  if (unknown.length === 0) return [];
  const some = nameSome(
    unknown.map((text) => JSON.stringify(text.slice(0, 100))),
    3,
  );
  const summary = `The inventory holds ${some}, which this version does not know as an address`;
  return [notice("inventory_unknown_address", summary, "it is left out; a newer version may have written it")];
}

const unended = ({ by, since }: RunningApply): Diagnostic =>
  warning(
    "inventory_taken_over",
    `The apply by ${by}, begun at ${since}, did not end. It is taken over`,
    "the resources that it was about to create are in the inventory if they exist",
  );

const conflictResult = (inventory: Inventory | undefined): WroteInventory => ({
  is: "moved",
  ...(inventory?.lastApply && { lastApply: inventory.lastApply }),
});

function released({ running: _ended, ...rest }: Inventory): Inventory {
  return rest;
}

/** Without this run's own lock; that of the run which took over stays. */
function withoutLock(inventory: Inventory, { since, pid, host }: RunningApply): Inventory {
  const { running } = inventory;
  const isOwn = running?.since === since && running.pid === pid && running.host === host;
  return isOwn ? released(inventory) : inventory;
}

function entryOf({ lastApply }: Inventory, subject: string, by: string): HistoryEntry {
  return {
    subject,
    by,
    ...(lastApply && { planHash: lastApply.planHash }),
    ...(lastApply?.commit !== undefined && { commit: lastApply.commit }),
    ...(lastApply?.dirty === true && { dirty: true }),
  };
}

const tooLarge = ({ addresses }: Inventory): CasResult => ({
  is: "failed",
  notices: [
    warning(
      "inventory_not_kept",
      `The inventory of ${addresses.size} addresses would have more than ${maxInventoryBytes} bytes`,
      "split the manifest into several, each with a name of its own",
    ),
  ],
});

const leftAlone = (where: string) =>
  warning(
    "inventory_not_kept",
    `The inventory (${where}) is not overwritten, because it belongs to another target or to a newer version`,
  );

/** Says what others do not know yet, and how they get to know it. */
function notPushed({ place, reason, command }: NotShared, shared: Inventory, next: Inventory): Diagnostic {
  const added = [...next.addresses].filter((address) => !shared.addresses.has(address));
  const gone = [...shared.addresses].filter((address) => !next.addresses.has(address));
  const facts = [
    ...(added.length > 0 ? [`that ${nameSome(added, 10)} ${added.length === 1 ? "is" : "are"} ours`] : []),
    ...(gone.length > 0 ? [`that ${nameSome(gone, 10)} ${gone.length === 1 ? "is" : "are"} not ours any more`] : []),
    ...(added.length + gone.length === 0 ? ["which commit was applied"] : []),
  ];
  const summary = `The inventory could not be pushed to ${place}: ${reason}. Others do not know yet ${facts.join(", and ")}`;
  const hint = `share it from this clone: ${command}`;
  return { ...warning("inventory_not_pushed", summary, hint), severity: "error" };
}

const markStays = ({ by }: RunningApply) =>
  notice(
    "inventory_lock_stays",
    `Where the inventory could not be written, the apply by ${by} counts as interrupted until the next apply ends`,
    "apply again, or clear the mark: hostform inventory --unlock",
  );

const lockRemains = (problem: string) =>
  warning("lock_not_cleared", `The lock could not be cleared: ${problem}`, "try again, or wait for a minute");

const finishedLate = (done: boolean) =>
  done
    ? warning(
        "inventory_was_taken_over",
        "Another run took the inventory over meanwhile; the changes of this run were merged into it",
      )
    : warning(
        "inventory_not_kept",
        "Other runs kept changing the inventory; what this run added and removed is not in it",
      );
