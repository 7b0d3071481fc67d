import { isSecretField, withholdSecrets } from "../../apply/exchanges/held.ts";
import type { RunInput } from "../../apply/run-context.ts";
import type { ReadSecret } from "../../model/template-parts.ts";
import type { ListSource } from "../../live/read-live.ts";
import type { HeldLock, OpenInventory, LeaseHolder } from "../../model/inventory.ts";
import type { Leftover } from "../../model/journal.ts";
import { refusals, type Refusal } from "../../messages/refusals.ts";
import type { Address } from "../../model/address.ts";
import { secretFields } from "../../model/body.ts";
import type { Plan } from "../../model/plan.ts";
import type { Ownership, PlanInput } from "../../model/plan-input.ts";
import type { Live } from "../../model/resource.ts";
import type { Session, Ending } from "./host.ts";
import type { OpenTarget } from "./open-target.ts";
import { type OpenOwnership, withInventory, type OwnershipOptions } from "./ownership.ts";
import {
  type EarlierJournal,
  type TargetJournal,
  withJournal,
  type JournalOptions,
  type PlacedLock,
} from "./with-journal.ts";
import { joinLocks } from "../../state/lease/target-lock.ts";

/** Asks for approval of the plan that was shown last. `stop` is aborted when nobody need answer any more. */
export type Confirm = (stop: AbortSignal) => Promise<"approved" | "declined" | "interrupted">;

/** Approves every plan. */
export const alwaysConfirm: Confirm = async () => "approved";

/** Returns a line for each thing that refuses a plan beside the rules of Hostform; one about a step begins with its address and `: `. */
export type Judge = (plan: Plan) => readonly string[] | Promise<readonly string[]>;

/** Returns a plan with what a judge refuses; it has no hash then, because it cannot be approved. */
export async function judged(plan: Plan, judge: Judge | undefined): Promise<Plan> {
  const lines = (await judge?.(plan)) ?? [];
  if (lines.length === 0) return plan;
  const found = lines.map((line): Refusal => {
    const step = plan.steps.find(({ address }) => line.startsWith(`${address}: `));
    return refusals.byPolicy(step ?? {}, step ? line.slice(step.address.length + 2) : line);
  });
  const { hash: _none, ...others } = plan;
  return { ...others, refusals: [...plan.refusals, ...found] };
}

export interface RunOptions {
  readonly confirm: Confirm;
  /** Asked about the plan before it is shown. Default: nobody. */
  readonly judge?: Judge | undefined;
  /** Whether the plan must hold on the embedded service first. */
  readonly rehearse: boolean;
  readonly parallelism: number;
  /** Seconds that the live state may take to match after the last write. */
  readonly settle: number;
  /** Seconds to wait for one object to become usable. */
  readonly waitTimeout: number;
  /** Seconds to wait for another apply to end. */
  readonly lockTimeout: number;
}

/** The means of looking up the writes of an earlier apply. Nothing in them can write to the API. */
export interface Lookup {
  readonly options: Pick<RunOptions, "settle">;
  readonly io: Session;
  /** Undefined where none is kept. */
  readonly journal: EarlierJournal | undefined;
  /** Aborted when the lookup shall end; undefined where nothing ends it. */
  readonly stop: AbortSignal | undefined;
  readonly source: ListSource;
}

export type PlanRequest = Omit<PlanInput, "live" | "now">;

/** The parts of an apply before it reads anything. */
export interface Opened {
  readonly options: RunOptions;
  readonly io: Session;
  readonly open: OpenTarget;
  readonly readSecret: ReadSecret;
  /** Undefined where none is kept. */
  readonly journal: TargetJournal | undefined;
}

/** All that running calls needs beside the plan. */
export function runInput(
  { options, io, open, readSecret }: Opened,
  { desired, ownership, inventory }: Pick<PlanInput, "desired" | "ownership"> & Partial<Pick<Ownership, "inventory">>,
  live: Live,
): RunInput {
  const { contract, connection } = open;
  const fields = (address: Address) =>
    secretFields(desired.resources.get(address), ownership.declaredThen?.resources.get(address));
  return {
    connection,
    contract,
    live,
    readSecret,
    withhold: (held) => ({
      ...withholdSecrets(contract, held, { fields, mask: io.mask }),
      ...(inventory?.addresses.has(held.address) === true && { ours: true }),
    }),
    isSecret: (address, field, value) => isSecretField({ fields, mask: io.mask }, address, field, value),
    waitTimeout: options.waitTimeout * 1000,
    settle: options.settle * 1000,
    deps: { now: io.now, sleep: io.sleep, newIdempotencyKey: io.newId },
  };
}

export interface Run extends Opened {
  readonly lock: HeldLock;
  readonly owned: OpenOwnership;
  readonly asked: PlanRequest;
  /** The unfinished work of the last apply. */
  readonly leftover: Leftover;
  /** Called when the plan begins to run: from then on it takes care of the leftover. */
  readonly onBegin: () => void;
  /** False where only what a saved plan touches is known: what else there is may be declared as well, so it is not called unmanaged. */
  readonly knowsAllDeclared: boolean;
}

/** Milliseconds between two lines about the same wait. */
const tellEvery = 10_000;

/** The parts of an apply while it alone may change the target. */
export interface Alone extends Opened {
  readonly store: OpenInventory;
  readonly lock: HeldLock;
}

/**
 * Runs `work` while no other apply of the target runs: on this machine, by the locks of its journal, and elsewhere, by that of the inventory.
 * A first Ctrl-C or SIGTERM ends it from here on.
 */
export async function runAlone(
  opened: Omit<Opened, "journal">,
  options: RunOptions & JournalOptions & OwnershipOptions,
  work: (alone: Alone) => Promise<Ending>,
): Promise<Ending> {
  const { io, open } = opened;
  io.onInterrupt(() => {
    io.emit({ type: "stopping" });
    open.stop();
  });
  return withJournal(open.inventory, options, io, (locks, openJournal) =>
    withInventory(options, open.inventory, io, (store) =>
      withLock(store, locks, opened, async (lock) => work({ ...opened, journal: await openJournal(), store, lock })),
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
  { options, io, open }: Pick<Opened, "options" | "io" | "open">,
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
