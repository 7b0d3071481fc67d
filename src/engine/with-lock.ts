import type { HeldLock, InventoryStore, LeaseHolder, LostLock, TakenLock } from "../model/inventory.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
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
    emit({ type: "diagnostics", diagnostics: [held(taken, store.where)] });
    return "refused";
  }
  const { lock } = taken;
  emit({ type: "diagnostics", diagnostics: lock.notices });
  open.guardWrites(lock.mayWrite);
  lock.onLost((lost) => {
    if (stop.aborted) return;
    emit({ type: "diagnostics", diagnostics: [lostLock(lost, store.where)] });
    open.stop();
  });
  try {
    const status = await work(lock);
    return status === "interrupted" && lock.lost() ? "refused" : status;
  } finally {
    await lock.release();
  }
}

/** Who holds the lock, and since when, by the clock of that machine. */
const described = (by: LeaseHolder | undefined) =>
  by
    ? `the apply by ${by.by} since ${by.since} (process ${by.pid} on ${by.host})`
    : "another apply, which does not tell whose it is,";

function held({ by, unwatched }: Extract<TakenLock, { is: "held" }>, where: string): Diagnostic {
  const whose = by ? ` since ${by.since}, by ${by.by} (process ${by.pid} on ${by.host})` : "";
  const longer = unwatched ? "; with --lock-timeout 60 or more, that of a dead run is taken over" : "";
  return {
    severity: "error",
    code: "locked",
    summary: `Another apply is running${whose}`,
    detail: where,
    hint: `wait until it ends${longer}; if its process is certainly dead, run: hostform inventory --unlock`,
  };
}

const lostLock = ({ by, reason }: LostLock, where: string): Diagnostic => ({
  severity: "error",
  code: "lock_lost",
  summary: `The lock of this apply is lost: ${by ? `${described(by)} has it` : reason}. No further write is started`,
  detail: where,
  hint: "wait until no other apply is running, then apply again",
});
