import type { ReadSecret } from "../../model/template-parts.ts";
import type { HeldLock, OpenInventory, LeaseHolder } from "../../model/inventory.ts";
import { joinLocks } from "../../state/lease/target-lock.ts";
import type { Session, Ending } from "./host.ts";
import type { OpenTarget } from "./open-target.ts";
import { withInventory, type OwnershipOptions } from "./ownership.ts";
import type { RunOptions } from "./run-options.ts";
import { type TargetJournal, withJournal, type JournalOptions, type PlacedLock } from "./with-journal.ts";

/** The means of an apply. */
export interface ApplyMeans {
  readonly options: RunOptions;
  readonly io: Session;
  readonly open: OpenTarget;
  readonly readSecret: ReadSecret;
  /** Undefined where none is kept. */
  readonly journal: TargetJournal | undefined;
}

/** Milliseconds between two lines about the same wait. */
const tellEvery = 10_000;

/** The means of an apply that alone may change the target. */
export interface Alone extends ApplyMeans {
  readonly store: OpenInventory;
  readonly lock: HeldLock;
}

/**
 * Runs `work` while no other apply of the target runs: on this machine, by the locks of its journal, and elsewhere, by that of the inventory.
 * A first Ctrl-C or SIGTERM ends it from here on.
 */
export async function runAlone(
  means: Omit<ApplyMeans, "journal">,
  options: RunOptions & JournalOptions & OwnershipOptions,
  work: (alone: Alone) => Promise<Ending>,
): Promise<Ending> {
  const { io, open } = means;
  io.onInterrupt(() => {
    io.emit({ type: "stopping" });
    open.stop();
  });
  return withJournal(open.inventory, options, io, (locks, openJournal) =>
    withInventory(options, open.inventory, io, (store) =>
      withLock(store, locks, means, async (lock) => work({ ...means, journal: await openJournal(), store, lock })),
    ),
  );
}

/**
 * Takes the lock of the target, does the work, and gives the lock back. Waits up to `lockTimeout` seconds while another run holds it.
 * Once it, or a lock of this machine, is lost, no write starts any more.
 */
async function withLock(
  store: OpenInventory,
  others: readonly PlacedLock[],
  { options, io, open }: Pick<ApplyMeans, "options" | "io" | "open">,
  work: (lock: HeldLock) => Promise<Ending>,
): Promise<Ending> {
  const { stop } = open.connection;
  let nextLine = 0;
  const onWait = (by: LeaseHolder | undefined, waited: number) => {
    if (waited < nextLine) return;
    nextLine = waited + tellEvery;
    io.emit({ type: "lock_waiting", by, waited, timeout: options.lockTimeout });
  };
  const taken = await store.lock({ timeout: options.lockTimeout * 1000, stop, onWait });
  if (taken.is === "stopped") {
    io.emit({ type: "cancelled", why: "interrupted" });
    return "interrupted";
  }
  if (taken.is === "held") {
    io.emit({ type: "locked", by: taken.by, unwatched: taken.unwatched, where: store.where, reason: taken.reason });
    return "refused";
  }
  const locks = [...others, { lock: taken.lock, where: store.where }];
  const lock = joinLocks(locks.map((each) => each.lock));
  io.emit({ type: "diagnostics", diagnostics: lock.notices });
  open.guardWrites(lock.mayWrite);
  for (const each of locks)
    each.lock.onLost((lost) => {
      if (stop.aborted) return;
      io.emit({ type: "lock_lost", lost, where: each.where });
      open.stop();
    });
  try {
    const status = await work(lock);
    return status === "interrupted" && lock.lost() ? "refused" : status;
  } finally {
    await taken.lock.release();
  }
}
