import type { HeldLock, LeaseHolder, LockWish, TakenLock } from "../../model/inventory.ts";
import { notice } from "../inventory/inventory-notices.ts";
import { breakLease, lookAtLease, takeLease, type LeaseDeps } from "./hold-lease.ts";
import type { Register } from "./register.ts";

/** The places that keep the lease of a target. */
interface LockPlaces {
  /** The place that every runner of the target can reach; undefined where there is none. */
  readonly shared?: Register | undefined;
  /** Whether nothing may be changed where that one cannot be reached: then an apply does not run. */
  readonly isRequired?: boolean;
  /** Used where the shared one is missing or cannot be used; undefined where this run can write no place at all. */
  readonly local?: Register;
  /** Why the lock is local from the beginning, for the notice; undefined where it is not, or where no other run can reach the target. */
  readonly localBecause?: string | undefined;
}

/** Allows one apply of a target at a time: a lease in a shared place, else in a local one. */
export type TargetLock = ReturnType<typeof targetLock>;

/** The lock at the shared place, or else at the local one; then the notices say so. */
export function targetLock(places: LockPlaces, by: string, deps: LeaseDeps) {
  const { shared, isRequired = false, local, localBecause } = places;
  let isBlind = false;
  const takeLocal = async (wish: LockWish, reason: string | undefined): Promise<TakenLock> => {
    const taken = local && (await takeLease(local, by, wish, deps));
    if (taken?.is === "held" || taken?.is === "stopped") return taken;
    const lock = taken?.is === "ours" ? taken.lock : joinLocks([]);
    const reasons = [reason, taken && "reason" in taken ? taken.reason : undefined].filter(
      (each) => each !== undefined,
    );
    return { is: "ours", lock: { ...lock, notices: reasons.length === 0 ? [] : [localNotice(reasons.join("; "))] } };
  };
  return {
    take: async (wish: LockWish): Promise<TakenLock> => {
      if (!shared) return takeLocal(wish, localBecause);
      const taken = await takeLease(shared, by, wish, deps);
      isBlind = taken.is === "unreachable";
      if (taken.is !== "unreachable" && taken.is !== "refused") return taken;
      if (isRequired) return { is: "held", by: undefined, unwatched: false, reason: taken.reason };
      return takeLocal(wish, `the remote ${isBlind ? "cannot be reached" : "rejects it"}: ${taken.reason}`);
    },
    /** Returns the runner that holds it now; undefined where none is known to. Takes nothing. */
    look: async (): Promise<LeaseHolder | undefined> => {
      const seen = shared && (await lookAtLease(shared, deps));
      isBlind = seen?.is === "unreachable";
      const found = seen && !isBlind ? seen : local && (await lookAtLease(local, deps));
      return found?.is === "held" ? found.by : undefined;
    },
    /** Whether the lock was taken, or looked at, without a look at the place that the other runners use. */
    isBlind: () => isBlind,
    /** Frees it, whoever holds it. Returns why it could not be freed, if so. */
    break: async (): Promise<string | undefined> => {
      const registers = [shared, local].filter((each) => each !== undefined);
      const problems = await Promise.all(registers.map((each) => breakLease(each, by, deps)));
      return problems.find((problem) => problem !== undefined);
    },
  };
}

/** Several locks as one; none of them is the lock if no place can be written. */
export const joinLocks = (locks: readonly HeldLock[]): HeldLock => ({
  notices: locks.flatMap(({ notices }) => notices),
  mayWrite: () => locks.every((each) => each.mayWrite()),
  confirm: async () => !(await Promise.all(locks.map((each) => each.confirm()))).includes(false),
  lost: () => locks.map((each) => each.lost()).find((each) => each !== undefined),
  onLost: (handler) => locks.forEach((each) => each.onLost(handler)),
  release: async () => {
    for (const each of locks.toReversed()) await each.release();
  },
});

const localNotice = (reason: string) =>
  notice(
    "lock_local",
    `The lock of this apply keeps out other runs on this machine only: ${reason}`,
    "let no other machine apply this target meanwhile",
  );
