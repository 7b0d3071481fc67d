import type { EarlierJournals } from "../../policy/unknown-outcomes.ts";
import type { Emit } from "./events.ts";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileJournal } from "../../journal/file-journal.ts";
import { readJournal } from "../../journal/parse-journal.ts";
import { releaseHeld, writeJournal } from "../../journal/write-journal.ts";
import { inWords } from "../../lib/system-words.ts";
import type { Begin, HeldRecord, Leftover } from "../../model/journal.ts";
import { targetKey, type InventoryTarget } from "../../state/inventory/target-key.ts";
import { passingRegister } from "../../state/lease/file-register.ts";
import { lookAtLease, takeLease } from "../../state/lease/hold-lease.ts";
import type { Result } from "../../model/failure.ts";
import type { HeldLock } from "../../model/inventory.ts";
import { describeRunner, holderOf } from "../../model/runner.ts";
import type { Ending, Session } from "./host.ts";
import { InputError } from "./input-error.ts";
import type { OpenTargetOptions } from "./open-target.ts";
import type { ApplyRecord } from "./apply-record.ts";
import { lockFolders, makeLockFolders, makeStateFolder, stateFolder } from "./state-folder.ts";

export interface JournalOptions extends Pick<OpenTargetOptions, "inventory"> {
  /** Its file; default: in the state folder. */
  readonly journal?: string | undefined;
}

/** The journals of earlier applies of a target. */
export interface EarlierJournal extends EarlierJournals {
  readonly path: string;
  /** Whether the last of the files in `kept` stands in the place of the journal. */
  readonly isBad: boolean;
  /** Notes that these held records need no put-back any more. Absent where it is only read. */
  readonly release?: (held: readonly HeldRecord[]) => Promise<void>;
}

/** A lock that this run holds, and its place in words. */
export interface PlacedLock {
  readonly lock: HeldLock;
  readonly where: string;
}

/** The journal of a target, while this run alone may write it. */
export type TargetJournal = ReturnType<typeof targetJournal>;

function targetJournal({ key, store }: JournalPlace, earlier: EarlierJournal, by: string, { runner, now }: Session) {
  const { isBad } = earlier;
  return {
    ...earlier,
    /** Begins this run's own. Throws an InputError where its place refuses. */
    begin: (apply: Pick<Begin, "plan" | "commit">, leftover: Leftover, countOnce: ApplyRecord["countOnce"]) =>
      orRefuse(store.where, async () => {
        if (isBad) await store.setAside(now());
        const begin = { type: "begin", version: 1, target: key, ...apply, ...holderOf(runner, by, now()) } as const;
        return writeJournal(store, begin, leftover, { now, countOnce });
      }),
    release: (held: readonly HeldRecord[]) => orRefuse(store.where, () => releaseHeld(store, held)),
    /** Removes what an earlier apply has left. */
    forget: async () => (isBad ? undefined : store.remove()),
  };
}

/**
 * Keeps a second apply of the same target on this machine out for the length of `work`, and gives it the locks, and a function that reads
 * the journal: to be called when no other machine can write to it either. A journal in a store that several machines share needs no lock of
 * this one: whoever writes to it holds the lease.
 * @param target undefined for a service that is gone after the command: then no journal is kept, for there is nothing to find out.
 */
export async function withJournal(
  target: InventoryTarget | undefined,
  options: JournalOptions,
  io: Session,
  work: (locks: readonly PlacedLock[], open: () => Promise<TargetJournal | undefined>) => Promise<Ending>,
): Promise<Ending> {
  if (!target) {
    if (options.journal !== undefined) io.emit({ type: "file_not_used", file: "journal" });
    return work([], async () => undefined);
  }
  const place = placeOf(target, options, io);
  const { store, path } = place;
  const locks: PlacedLock[] = [];
  const by = describeRunner(io.env, io.runner);
  try {
    if (path !== undefined) {
      if (place.isUsual) await orRefuse(path, async () => makeStateFolder());
      const folders = await orRefuse(tmpdir(), async () => makeLockFolders(io.runner), "lock");
      for (const where of lockPlaces(folders, place)) {
        const taken = await takeLease(passingRegister(where, io.newId), by, { timeout: 0 }, io);
        if (taken.is === "held") {
          io.emit({ type: "locked_here", by: taken.by, file: where });
          return "refused";
        }
        if (taken.is !== "ours") throw unusable(where, path, taken);
        locks.push({ lock: taken.lock, where });
      }
    }
    const read = () => orRefuse(store.where, () => readEarlier(place, options, io.emit));
    // Before anything is asked of other machines: a file that is something else is a mistake.
    const here = path === undefined ? undefined : await read();
    return await work(locks, async () => targetJournal(place, here ?? (await read()), by, io));
  } finally {
    for (const { lock } of locks.toReversed()) await lock.release();
  }
}

/** Returns the journals of earlier applies of a target. */
export async function viewEarlier(
  target: InventoryTarget | undefined,
  options: JournalOptions,
  io: Session,
): Promise<EarlierJournal | undefined> {
  if (!target) return undefined;
  const place = placeOf(target, options, io);
  return orRefuse(place.store.where, () => readEarlier(place, options, io.emit));
}

/**
 * Reads the journal as an apply does, and looks at the locks of this machine, but takes none and writes nothing. Returns how a plan ends
 * if another apply runs here.
 */
export async function viewJournal(
  target: InventoryTarget | undefined,
  options: JournalOptions,
  io: Session,
): Promise<Result<EarlierJournal | undefined, Ending>> {
  if (!target) return { ok: true, value: undefined };
  const place = placeOf(target, options, io);
  for (const where of lockPlaces(lockFolders(io.runner), place)) {
    const seen = await lookAtLease(passingRegister(where, io.newId), io);
    if (seen.is === "free") continue;
    if (seen.is === "unreachable") throw unusable(where, place.store.where, seen);
    io.emit({ type: "locked_here", by: seen.by, file: where });
    return { ok: false, error: "refused" };
  }
  return { ok: true, value: await viewEarlier(target, options, io) };
}

type JournalPlace = ReturnType<typeof placeOf>;

/** Returns the place of a journal. `path`: its file, in no store that several machines share. `isUsual`: it lies in the state folder. */
function placeOf(target: InventoryTarget, { journal, inventory }: JournalOptions, { stores, call = "" }: Session) {
  if (journal !== undefined && inventory !== undefined && resolve(journal) === resolve(inventory))
    throw new InputError({ type: "journal_is_inventory", path: journal });
  const key = targetKey(target);
  const given = journal === undefined ? stores?.journal?.(key, call) : undefined;
  const store = given ?? fileJournal(journal ?? join(stateFolder, `${key}.journal`));
  return { key, path: store.file, store, isUsual: journal === undefined && !given };
}

/** The locks are the same from whichever folder the target is applied; the last one is that of the journal's file. */
const lockPlaces = (folders: readonly string[], { key, path }: JournalPlace) =>
  path === undefined ? [] : [...folders.map((folder) => join(folder, `${key}.lock`)), besideOf(path)];

const besideOf = (path: string) => `${path}.lock`;

/** Reads the journals of earlier applies. Throws an InputError for a file that is something else: it must stay. */
async function readEarlier(
  { key, store }: JournalPlace,
  { journal: named }: JournalOptions,
  emit: Emit,
): Promise<EarlierJournal> {
  const path = store.where;
  const found = await readJournal(store, key);
  if (found.is === "foreign")
    throw new InputError({ type: "journal_of_other_target", path, theirs: found.target, ours: key });
  if (found.is === "none" && named !== undefined)
    throw new InputError({ type: "would_overwrite", file: "journal", path });
  const isBad = found.is === "none" || found.is === "bad";
  const reason = found.is === "bad" ? found.reason : "it does not begin like a journal";
  if (isBad) emit({ type: "journal_unreadable", path, reason });
  const begun = "begun" in found && found.begun ? [found.begun] : [];
  const last = found.is === "read" ? found.journal : undefined;
  const kept = [...(isBad ? [path] : []), ...(await store.listAside())];
  return { path, last, begun: last ? [last.begin, ...begun] : begun, kept, isBad };
}

/** Runs `work`, and turns a file error into an InputError, so that the command stops before it sends anything. */
async function orRefuse<T>(path: string, work: () => Promise<T>, file: "journal" | "lock" = "journal"): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw unwritable(file, path, (inWords(error) as Error).message);
  }
}

const unusable = (where: string, path: string, { is, reason = is }: { is: string; reason?: string }) =>
  where === besideOf(path) ? unwritable("journal", path, reason) : unwritable("lock", where, reason);

const unwritable = (file: "journal" | "lock", path: string, reason: string) =>
  new InputError({ type: "unwritable", file, path: resolve(path), reason });
