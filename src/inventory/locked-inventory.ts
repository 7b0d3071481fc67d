import type { Diagnostic } from "../model/diagnostic.ts";
import { emptyInventory, type Inventory, type RunningApply, type WroteInventory } from "../model/inventory.ts";
import type { Cell, Entry, Loaded, Swapped } from "./cell.ts";
import { formatContent, maxBytes, parseContent, type Unreadable } from "./content.ts";
import { applyDelta } from "./delta.ts";
import { notice, warning } from "./notice.ts";
import { staleness, lockOf, type Runner } from "../model/runner.ts";

export interface LockDeps {
  readonly runner: Runner;
  /** `user@host`, or the CI job. */
  readonly by: string;
  readonly now: () => number;
}

/** An inventory as it was read; `problem` where there is a text that is none. */
export interface Seen {
  readonly version: string;
  readonly inventory: Inventory | undefined;
  readonly problem?: Unreadable;
  readonly alsoApplied?: readonly string[];
  readonly notices: readonly Diagnostic[];
}

export interface LockedInventory {
  readonly read: () => Promise<Seen>;
  readonly begin: (next: Inventory) => Promise<WroteInventory>;
  readonly finish: (next: Inventory, subject: string) => Promise<readonly Diagnostic[]>;
  readonly edit: (
    change: (inventory: Inventory) => Inventory,
    subject: string,
    force: boolean,
  ) => Promise<WroteInventory>;
}

/** How often a change is made again where another process was faster. */
const attempts = 5;

/** What a cell's text means: an inventory, and in it the lock of the apply that is running. */
export function lockedInventory(cell: Cell, key: string, deps: LockDeps): LockedInventory {
  let seen: Seen | undefined;
  let begun: { readonly version: string; readonly before: Inventory; readonly lock: RunningApply } | undefined;
  const read = async () => (seen = interpret(await cell.load(), key, cell));
  const write = async (next: Inventory, entry: Entry, over: string, instead: boolean): Promise<Swapped> => {
    const text = formatContent(next, key);
    return Buffer.byteLength(text) > maxBytes ? tooLarge(next) : cell.swap(text, entry, over, instead);
  };
  const { by, now, runner } = deps;
  return {
    read,
    begin: async (next) => {
      const from = seen ?? (await read());
      if (mustStay(from)) return { is: "written", kept: false, notices: [leftAlone(cell.where)] };
      const admitted = admit(from.inventory, deps);
      if ("held" in admitted) return { is: "held", by: admitted.held };
      const lock = lockOf(runner, by, now());
      const swapped = await write({ ...next, running: lock }, { subject: "apply: begun", by }, from.version, false);
      if (swapped.is === "moved") return overtaken((await read()).inventory, deps);
      if (swapped.is === "done") begun = { version: swapped.version, before: from.inventory ?? emptyInventory, lock };
      return { is: "written", kept: swapped.is === "done", notices: [...admitted.notices, ...swapped.notices] };
    },
    finish: async (next, subject) => {
      if (!begun) return [];
      const { before, lock } = begun;
      const entry = entryOf(next, subject, by);
      const swapped = await write(next, entry, begun.version, true);
      begun = undefined;
      if (swapped.is !== "moved") return [...swapped.notices, ...(swapped.notices.length > 0 ? [lockStays(lock)] : [])];
      const change = (current: Inventory) => withoutLock(applyDelta(before, next, current), lock);
      const late = await retried(read, write, change, entry, () => undefined);
      return [...(late.is === "written" ? late.notices : []), finishedLate(late.is === "written")];
    },
    edit: async (change, subject, force) => {
      const refuse = (from: Seen) => {
        const admitted = force ? { notices: [] } : admit(from.inventory, deps);
        return "held" in admitted ? admitted.held : undefined;
      };
      return retried(read, write, change, { subject, by }, refuse);
    },
  };
}

type Write = (next: Inventory, entry: Entry, over: string, instead: boolean) => Promise<Swapped>;

/** Reads, changes and writes, again where another process was faster. */
async function retried(
  read: () => Promise<Seen>,
  write: Write,
  change: (current: Inventory) => Inventory,
  entry: Entry,
  heldBy: (seen: Seen) => RunningApply | undefined,
): Promise<WroteInventory> {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const from = await read();
    const by = heldBy(from);
    if (by) return { is: "held", by };
    if (mustStay(from)) return { is: "written", kept: false, notices: from.notices };
    const swapped = await write(change(from.inventory ?? emptyInventory), entry, from.version, false);
    if (swapped.is !== "moved")
      return { is: "written", kept: swapped.is === "done", notices: [...from.notices, ...swapped.notices] };
  }
  return { is: "moved" };
}

function interpret(
  { version, content, notices, alsoApplied }: Loaded,
  key: string,
  { where, keepsHistory }: Cell,
): Seen {
  if (content.is === "absent") return { version, inventory: undefined, notices };
  const parsed =
    content.is === "bytes"
      ? parseContent(content.bytes, key)
      : ({ ok: false, reason: content.reason, foreign: false } as const);
  if (!parsed.ok) {
    const summary = `The inventory (${where}) cannot be read: ${parsed.reason}`;
    const hint = "nothing is deleted for not being declared any more until there is one again";
    return {
      version,
      inventory: undefined,
      problem: { reason: parsed.reason, foreign: parsed.foreign || !keepsHistory },
      notices: [...notices, warning("inventory_unreadable", summary, hint)],
    };
  }
  return {
    version,
    inventory: parsed.inventory,
    notices: [...notices, ...unknownAddresses(parsed.unknown)],
    ...(alsoApplied && { alsoApplied }),
  };
}

const mustStay = ({ problem }: Seen) => problem?.foreign === true;

function unknownAddresses(unknown: readonly string[]): Diagnostic[] {
  if (unknown.length === 0) return [];
  const some = unknown.slice(0, 3).map((text) => JSON.stringify(text.slice(0, 100)));
  const more = unknown.length > some.length ? ` and ${unknown.length - some.length} more` : "";
  const summary = `The inventory holds ${some.join(", ")}${more}, which this version does not know as an address`;
  return [notice("inventory_unknown_address", summary, "it is left out; a newer version may have written it")];
}

/** Whether a new apply may begin: yes where none is running, or the one that is said to be is not any more. */
function admit(
  inventory: Inventory | undefined,
  { runner, now }: LockDeps,
): { readonly held: RunningApply } | { readonly notices: readonly Diagnostic[] } {
  const running = inventory?.running;
  if (!running) return { notices: [] };
  const stale = staleness(running, runner, now());
  if (stale === undefined) return { held: running };
  const summary = `The apply by ${running.by}, begun at ${running.since}, did not end: ${stale}. It is taken over`;
  const hint = "what it was about to create counts as ours where it exists";
  return { notices: [warning("inventory_taken_over", summary, hint)] };
}

function overtaken(inventory: Inventory | undefined, deps: LockDeps): WroteInventory {
  const admitted = admit(inventory, deps);
  if ("held" in admitted) return { is: "held", by: admitted.held };
  return { is: "moved", ...(inventory?.lastApply && { lastApply: inventory.lastApply }) };
}

function released({ running: _ended, ...rest }: Inventory): Inventory {
  return rest;
}

/** Without this run's own lock; that of the run which took over stays. */
function withoutLock(inventory: Inventory, { since, pid, host }: RunningApply): Inventory {
  const { running } = inventory;
  const isOwn = running?.since === since && running.pid === pid && running.host === host;
  return isOwn ? released(inventory) : inventory;
}

function entryOf({ lastApply }: Inventory, subject: string, by: string): Entry {
  return {
    subject,
    by,
    ...(lastApply && { planHash: lastApply.planHash }),
    ...(lastApply?.commit !== undefined && { commit: lastApply.commit }),
  };
}

const tooLarge = ({ addresses }: Inventory): Swapped => ({
  is: "failed",
  notices: [
    warning(
      "inventory_not_kept",
      `The inventory of ${addresses.size} addresses would have more than ${maxBytes} bytes`,
      "split the manifest into several, each with a name of its own",
    ),
  ],
});

const leftAlone = (where: string) =>
  warning("inventory_not_kept", `The inventory (${where}) is not written over, for it is another's or a newer one`);

const lockStays = ({ until }: RunningApply) =>
  notice(
    "inventory_lock_stays",
    `Where that could not be written, other runners are kept out until ${until}`,
    "hostform inventory --unlock ends that sooner",
  );

const finishedLate = (done: boolean) =>
  done
    ? warning(
        "inventory_was_taken_over",
        "Another run took the inventory over meanwhile; this run's changes were added to its own",
      )
    : warning(
        "inventory_not_kept",
        "Other runs kept changing the inventory; what this run added and removed is not in it",
      );
