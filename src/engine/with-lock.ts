import type { HeldLock, InventoryStore, LeaseHolder } from "../model/inventory.ts";
import type { Opened } from "./run-plan.ts";
import type { Ending } from "./ending.ts";

/** Milliseconds between two lines about the same wait. */
const tellEvery = 10_000;

/**
 * Takes the lock of the target, does the work, and gives the lock back. Waits up to `lockTimeout` seconds while another run holds it.
 * Once it is lost, no write starts any more.
 */
export async function withLock(
  store: InventoryStore,
  { options, emit, open }: Pick<Opened, "options" | "emit" | "open">,
  work: (lock: HeldLock) => Promise<Ending>,
): Promise<Ending> {
  const { stop } = open.connection;
  let nextLine = 0;
  const onWait = (by: LeaseHolder | undefined, waited: number) => {
    if (waited < nextLine) return;
    nextLine = waited + tellEvery;
    emit({ type: "lock_waiting", by, waited, timeout: options.lockTimeout });
  };
  const taken = await store.lock({ timeout: options.lockTimeout * 1000, stop, onWait });
  if (taken.is === "stopped") {
    emit({ type: "cancelled", why: "interrupted" });
    return "interrupted";
  }
  if (taken.is === "held") {
    emit({ type: "locked", by: taken.by, unwatched: taken.unwatched, where: store.where });
    return "refused";
  }
  const { lock } = taken;
  emit({ type: "diagnostics", diagnostics: lock.notices });
  open.guardWrites(lock.mayWrite);
  lock.onLost((lost) => {
    if (stop.aborted) return;
    emit({ type: "lock_lost", lost, where: store.where });
    open.stop();
  });
  try {
    const status = await work(lock);
    return status === "interrupted" && lock.lost() ? "refused" : status;
  } finally {
    await lock.release();
  }
}
