import { orElse } from "../../lib/or-undefined.ts";
import type { Clock } from "../../lib/repeat-until.ts";
import { advice } from "../../messages/advice.ts";
import type { HeldLock, LeaseHolder, LockWish, LostLock, TakenLock } from "../../model/inventory.ts";
import { hasEndedHere, holderOf, type Runner } from "../../model/runner.ts";
import { formatLease, parseLease, type LeaseContent, type Register, type SwappedRegister } from "./register.ts";
import {
  mayWrite,
  noLease,
  noteBegun,
  noteDone,
  noteRead,
  noteRejected,
  noteWrite,
  replaceable,
  type Holder,
  type Version,
} from "./lease.ts";

/** The clocks of the machine, and this process. */
export interface LeaseDeps extends Clock {
  /** This process, as others see it. */
  readonly runner: Runner;
  /** Milliseconds since the epoch, by a clock that never steps: its differences are durations. */
  readonly now: () => number;
  /**
   * Milliseconds since the process started, by a clock that nobody sets, and that stands still while the machine sleeps: for how long
   * another runner's lease was watched.
   */
  readonly awake: () => number;
  /** The same by one that goes on while the machine sleeps, where the system has one: for how long this runner's lease holds. */
  readonly elapsed: () => number;
  /** Calls the handler again and again until the returned function is called. */
  readonly every: (milliseconds: number, handler: () => void) => () => void;
  readonly newId: () => string;
}

/** Milliseconds. */
const usualRules = { length: 60_000, margin: 5_000, renewEvery: 15_000 };
const lookEvery = 2_000;
const breakAttempts = 5;
/** A register that cannot be used refuses every time. */
const refusals = 3;
const refusalPause = 1_000;

/** `unreachable`: not once was the register reached. `refused`: it shows that it is free, and does not let this runner take it. */
export type TakenLease =
  | TakenLock
  | { readonly is: "unreachable"; readonly reason: string }
  | { readonly is: "refused"; readonly reason: string };

type LeaseHold = ReturnType<typeof makeHold>;

/** Takes the lease of a register, and renews it until it is given back. Waits while another runner holds it. */
export async function takeLease(
  register: Register,
  by: string,
  { timeout, stop, onWait }: LockWish,
  deps: LeaseDeps,
): Promise<TakenLease> {
  const hold = makeHold(register, by, deps);
  const started = deps.awake();
  let refused = 0;
  let rejected = 0;
  let isLate = false;
  for (let isReached = false; ; isReached = true) {
    if (stop?.aborted === true) return { is: "stopped" };
    const unreachable = await hold.look();
    // Once it was reached, the other runners reach it too: a lock elsewhere would keep out none of them.
    if (unreachable !== undefined && !isReached) return { is: "unreachable", reason: unreachable };
    const state = hold.state();
    const isFree =
      unreachable === undefined && !state.own && replaceable(state, hold.rules, deps.awake()) !== undefined;
    const swapped = isFree ? await hold.swap() : undefined;
    if (hold.state().own) return { is: "ours", lock: renewed(hold, deps) };
    // A register that lags behind shows as free what others have taken: at once it is asked a few times only.
    if (swapped?.is === "rejected" && (rejected += 1) < refusals) continue;
    const reason = unreachable ?? (swapped && "reason" in swapped ? swapped.reason : undefined);
    const seen = hold.seen();
    const holder = seen && seen.free !== true ? shown(seen) : undefined;
    const waited = deps.awake() - started;
    if (swapped?.is === "refused") {
      refused += 1;
      if (refused === refusals) return swapped;
      await deps.sleep(refusalPause, stop);
    } else if (waited < timeout) {
      onWait?.(holder, waited);
      await deps.sleep(Math.min(lookEvery, timeout - waited), stop);
    } else if (isLate || (holder !== undefined && reason === undefined)) {
      return { is: "held", by: holder, unwatched: timeout < hold.rules.length, reason };
    } else isLate = true; // Another run may have begun just now: one more turn names it, or finds that it has ended.
  }
}

/** `held`: unless its holder has ended as far as this machine can see. `by`: undefined where the content does not tell. */
export type SeenLease =
  | { readonly is: "free" }
  | { readonly is: "held"; readonly by: LeaseHolder | undefined }
  | { readonly is: "unreachable"; readonly reason: string };

/** Looks at the lease of a register once, without taking it. */
export async function lookAtLease(register: Register, { runner }: Pick<LeaseDeps, "runner">): Promise<SeenLease> {
  const found = await readNow(register);
  if (found.is === "unreachable") return found;
  const content = parseLease(found.text ?? "");
  return stateOf(found, content, runner) === "other" ? { is: "held", by: content && shown(content) } : { is: "free" };
}

/** Frees a lease, whoever holds it: that holder's next renewal is rejected. Returns why it could not be, if so. */
export async function breakLease(register: Register, by: string, deps: LeaseDeps): Promise<string | undefined> {
  for (let attempt = 1; attempt <= breakAttempts; attempt += 1) {
    const found = await readNow(register);
    if (found.is === "unreachable") return found.reason;
    const held = parseLease(found.text ?? "");
    if (found.version === "" || held?.free === true) return undefined;
    const prepared = await register.prepare(formatLease({ ...contentOf(by, deps), free: true, cleared: true }));
    if ("reason" in prepared) return prepared.reason;
    const swapped = await register.swap(prepared.version, found.version);
    if (swapped.is === "done") return undefined;
    if (swapped.is !== "rejected") return swapped.reason;
  }
  return "its holder keeps renewing it";
}

/** A register that rejects or throws, whatever it is asked, would end the process of a run that renews its lease. */
const reasonOf = (error: unknown) => ({ reason: (error as Error).message });
const withoutAnswer = (error: unknown) => ({ is: "unknown" as const, ...reasonOf(error) });
const asUnreachable = (error: unknown) => ({ is: "unreachable" as const, ...reasonOf(error) });
const readNow = (register: Register) => orElse(() => register.read(), asUnreachable);

const contentOf = (by: string, { runner, now, newId }: LeaseDeps): LeaseContent => ({
  id: newId(),
  counter: 0,
  ...holderOf(runner, by, now()),
});

/** One run's hold on a register. It owns the state of the lease; every change goes through the functions of `lease.ts`. */
function makeHold(register: Register, by: string, deps: LeaseDeps) {
  const self = contentOf(by, deps);
  const { rules = usualRules } = register;
  let lease = noLease;
  let counter = 0;
  let seen: LeaseContent | undefined;
  const prepare = (more: { readonly free?: true }) => {
    counter += 1;
    return orElse(() => register.prepare(formatLease({ ...self, counter, ...more })), reasonOf);
  };
  const look = async () => {
    const found = await readNow(register);
    if (found.is === "unreachable") return found.reason;
    const content = parseLease(found.text ?? "");
    lease = noteRead(lease, found.version, stateOf(found, content, deps.runner), deps.awake());
    if (content?.id !== self.id) seen = content;
    return undefined;
  };
  return {
    rules,
    state: () => lease,
    /** Reads the register; the reason where it cannot be reached. */
    look,
    swap: async (): Promise<SwappedRegister> => {
      const over = replaceable(lease, rules, deps.awake());
      if (over === undefined) return { is: "rejected" };
      const prepared = await prepare({});
      if ("reason" in prepared) return { is: "refused", reason: prepared.reason };
      const swap = { version: prepared.version, over, started: deps.elapsed() };
      lease = noteBegun(lease, swap);
      const swapped = await orElse(() => register.swap(swap.version, over), withoutAnswer);
      if (swapped.is === "done") lease = noteDone(lease, swap);
      if (swapped.is === "rejected") lease = noteRejected(lease, swap);
      return swapped;
    },
    /** Gives back what this run still has, also if it is too late for a write. Another run's lease stays. */
    free: async () => {
      // A swap without an answer may have taken effect.
      if (lease.open.length > 0) await look();
      if (!lease.own || lease.lost === "taken") return;
      if (register.remove) return register.remove(lease.own.version);
      const prepared = await prepare({ free: true });
      const { version } = lease.own;
      if (!("reason" in prepared)) await orElse(() => register.swap(prepared.version, version), withoutAnswer);
    },
    mayWrite: () => {
      const elapsed = deps.elapsed();
      lease = noteWrite(lease, rules, elapsed);
      return mayWrite(lease, rules, elapsed);
    },
    /** The last content of another run. */
    seen: () => seen,
  };
}

const shown = ({ id: _id, counter: _counter, free: _free, cleared: _cleared, ...holder }: LeaseContent): LeaseHolder =>
  holder;

function stateOf(
  { version, isFree = false }: { readonly version: Version; readonly isFree?: boolean },
  content: LeaseContent | undefined,
  runner: Runner,
): Holder {
  if (version === "" || isFree || content?.free === true) return "free";
  return content && hasEndedHere(content, runner) ? "dead" : "other";
}

/** Why the content of the register is not this run's any more. */
function takenBy(hold: LeaseHold): LostLock {
  const seen = hold.seen();
  if (seen?.cleared === true) return { by: undefined, reason: advice.lockCleared(seen.by) };
  if (seen?.free === true) return { by: undefined, reason: `${seen.by} took it over, and has ended since` };
  return { by: seen && shown(seen), reason: "another run holds it" };
}

/** Renews a lease until it is given back or lost. */
function renewed(hold: LeaseHold, deps: LeaseDeps): HeldLock {
  const handlers: ((lost: LostLock) => void)[] = [];
  let loss: LostLock | undefined;
  let problem: string | undefined;
  let work: Promise<void> | undefined;
  const { rules } = hold;
  const check = () => {
    const { lost } = hold.state();
    if (lost === undefined || loss) return;
    const late = `it could not be renewed for ${(rules.length - rules.margin) / 1000} s`;
    loss =
      lost === "taken"
        ? takenBy(hold)
        : { by: undefined, reason: problem === undefined ? late : `${late}: ${problem}` };
    for (const handler of handlers) handler(loss);
  };
  const renew = async () => {
    // A swap without an answer may have taken effect: the register shows it.
    problem = hold.state().open.length > 0 ? await hold.look() : undefined;
    if (problem === undefined && hold.state().lost === undefined) {
      const swapped = await hold.swap();
      if ("reason" in swapped) problem = swapped.reason;
      if (swapped.is === "rejected") await hold.look();
    }
    check();
  };
  const quiet = deps.every(rules.renewEvery, () => {
    if (loss) quiet();
    else work ??= renew().finally(() => (work = undefined));
  });
  let isGivenBack = false;
  const mayWriteNow = () => {
    const may = !isGivenBack && hold.mayWrite();
    check();
    return may;
  };
  return {
    notices: [],
    mayWrite: mayWriteNow,
    confirm: async () => {
      await work;
      if (!mayWrite(hold.state(), rules, deps.elapsed())) await renew();
      return mayWriteNow();
    },
    lost: () => loss,
    onLost: (handler) => void (loss ? handler(loss) : handlers.push(handler)),
    release: async () => {
      isGivenBack = true;
      quiet();
      await work;
      await hold.free();
    },
  };
}
