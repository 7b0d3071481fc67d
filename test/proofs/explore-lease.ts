import type * as machineOf from "../../src/state/lease/lease.ts";
import { noLease, type Holder, type Lease, type LeaseRules, type Swap } from "../../src/state/lease/lease.ts";

/** The functions of the state machine; a test puts wrong ones in their place to see that they are found. */
export type Machine = Pick<
  typeof machineOf,
  "mayWrite" | "noteBegun" | "noteDone" | "noteRead" | "noteRejected" | "replaceable"
>;

/** The bounds of an exploration. Time passes in whole moments. */
export interface World {
  readonly rules: LeaseRules;
  /** Swaps that each runner begins at most. */
  readonly swaps: readonly [number, number];
  /** By how much the clock of each runner is ahead of the world's. */
  readonly offsets: readonly [number, number];
  /** Whether a runner sees that the process of the other has ended. */
  readonly sameMachine: boolean;
  /** Whether the register goes, and its content with it, when a runner gives it back. Default: a free content stays. */
  readonly isRemoved?: boolean;
  /** Whether the register replaces a content by a swap. Default: if it is the one that the swap is to replace. */
  readonly takes?: (content: string, swap: Swap) => boolean;
}

/** A swap on its way. `answer`: what the remote has made of it; `heeded`: whether the runner still waits for that. */
interface Sent {
  readonly swap: Swap;
  readonly answer?: "done" | "rejected";
  readonly heeded: boolean;
}

interface Runner {
  readonly lease: Lease;
  readonly alive: boolean;
  readonly begun: number;
  readonly sent: readonly Sent[];
  /** What a read under way has found, which has not come back yet. */
  readonly reading?: { readonly version: string; readonly holder: Holder };
}

interface State {
  readonly now: number;
  readonly content: string;
  readonly runners: readonly [Runner, Runner];
}

export interface Explored {
  readonly states: number;
  /** The events that led to a moment at which both might start a write. */
  readonly violation: readonly string[] | undefined;
  /** Whether each of the runners could write at some time after the other. */
  readonly held: "none" | "one" | "both";
}

const free = "";
const runner: Runner = { lease: noLease, alive: true, begun: 0, sent: [] };

/** Takes every order of events from the beginning, each state once, until a moment is found at which both runners may start a write. */
export function explore(machine: Machine, world: World): Explored {
  const start: State = { now: 0, content: free, runners: [runner, runner] };
  const seen = new Map<string, readonly [from: string, event: string]>([[keyOf(start, world), ["", ""]]]);
  const queue: [string, State][] = [[keyOf(start, world), start]];
  const writers = new Set<string>();
  for (let each = queue.pop(); each; each = queue.pop()) {
    if (seen.size > 5_000_000) throw new Error(`more than ${seen.size} states`);
    const [from, state] = each;
    const may = ([0, 1] as const).filter((who) => mayStart(machine, world, state, who));
    if (may.length === 2) return { states: seen.size, violation: trace(seen, from), held: "both" };
    for (const who of may) writers.add(String(who));
    for (const [event, next] of eventsOf(machine, world, state)) {
      const key = keyOf(next, world);
      if (seen.has(key)) continue;
      seen.set(key, [from, event]);
      queue.push([key, next]);
    }
  }
  return {
    states: seen.size,
    violation: undefined,
    held: writers.size === 2 ? "both" : writers.size === 1 ? "one" : "none",
  };
}

/** Without the swaps that can have no effect any more, and that their runner waits for no longer. */
function withoutDeadSwaps({ runners: [one, other], ...state }: State, { isRemoved = false }: World): State {
  const coming = new Set([
    state.content,
    ...(isRemoved ? [free] : []),
    ...[...one.sent, ...other.sent].flatMap(({ swap, answer }) => (answer === undefined ? [swap.version] : [])),
  ]);
  const trim = (each: Runner): Runner => ({
    ...each,
    sent: each.sent.filter(({ swap, answer, heeded }) => heeded || (answer === undefined && coming.has(swap.over))),
  });
  return { ...state, runners: [trim(one), trim(other)] };
}

const clockOf = ({ offsets }: World, { now }: State, who: 0 | 1) => now + offsets[who];

const mayStart = (machine: Machine, world: World, state: State, who: 0 | 1) =>
  state.runners[who].alive && machine.mayWrite(state.runners[who].lease, world.rules, clockOf(world, state, who));

/** All that can happen next. */
function* eventsOf(machine: Machine, world: World, state: State): Generator<[string, State]> {
  yield ["a moment passes", { ...state, now: state.now + 1 }];
  for (const who of [0, 1] as const) {
    for (const [event, runnerAfter, content] of runnerEvents(machine, world, state, who)) {
      const runners: [Runner, Runner] = [...state.runners];
      runners[who] = runnerAfter;
      yield [`${who}: ${event}`, withoutDeadSwaps({ ...state, content: content ?? state.content, runners }, world)];
    }
  }
}

function* runnerEvents(machine: Machine, world: World, state: State, who: 0 | 1): Generator<[string, Runner, string?]> {
  const own = state.runners[who];
  yield* arrivals(world, own, state);
  if (!own.alive) return;
  yield ["is killed", { ...runner, alive: false, begun: 0, sent: own.sent.map(unheeded) }];
  yield* answers(machine, own);
  const now = clockOf(world, state, who);
  const { lease, reading, begun } = own;
  // It does one thing at a time.
  if (own.sent.some(({ heeded }) => heeded)) return;
  if (reading) {
    const { reading: _over, ...rest } = own;
    yield ["is read", { ...rest, lease: machine.noteRead(lease, reading.version, reading.holder, now) }];
    return;
  }
  yield ["reads", { ...own, reading: { version: state.content, holder: holderOf(world, state, who) } }];
  const over = machine.replaceable(lease, world.rules, now);
  if (over === undefined || begun === world.swaps[who]) return;
  const swap = { version: `${who}.${begun + 1}`, over, started: now };
  const sent = [...own.sent, { swap, heeded: true }];
  yield ["swaps", { ...own, begun: begun + 1, lease: machine.noteBegun(lease, swap), sent }];
  if (lease.own) {
    const given = { swap: { ...swap, version: `free${swap.version}` }, heeded: false };
    yield ["gives it back", { ...own, lease: noLease, begun: begun + 1, sent: [...own.sent.map(unheeded), given] }];
  }
}

const isOver = (content: string, { over }: Swap) => over === content;

/** What is on its way reaches the remote, or is lost. */
function* arrivals(
  { takes = isOver, isRemoved = false }: World,
  own: Runner,
  { content }: State,
): Generator<[string, Runner, string?]> {
  for (const [index, each] of own.sent.entries()) {
    if (each.answer !== undefined) continue;
    const isDone = takes(content, each.swap);
    const reached: Sent = { ...each, answer: isDone ? "done" : "rejected" };
    const { version } = each.swap;
    const next = isRemoved && version.startsWith("free") ? free : version;
    yield [`${version} arrives`, { ...own, sent: own.sent.with(index, reached) }, isDone ? next : content];
  }
}

/** An answer comes, or the runner waits for it no longer. */
function* answers(machine: Machine, own: Runner): Generator<[string, Runner]> {
  for (const [index, { swap, answer, heeded }] of own.sent.entries()) {
    if (!heeded) continue;
    yield [
      `waits no longer for ${swap.version}`,
      { ...own, sent: own.sent.map((each, at) => (at === index ? unheeded(each) : each)) },
    ];
    if (answer === undefined) continue;
    const note = answer === "done" ? machine.noteDone : machine.noteRejected;
    yield [
      `${swap.version} is ${answer}`,
      { ...own, lease: note(own.lease, swap), sent: own.sent.toSpliced(index, 1) },
    ];
  }
}

const unheeded = (sent: Sent): Sent => ({ ...sent, heeded: false });

function holderOf({ sameMachine }: World, { content, runners }: State, who: 0 | 1): Holder {
  if (content.startsWith("free") || content === free) return "free";
  const by = Number(content[0]) as 0 | 1;
  return sameMachine && by !== who && !runners[by].alive ? "dead" : "other";
}

/** The same text for states in which the same can happen: of times, only how long ago they were counts, and no longer than a lease. */
function keyOf(state: State, world: World): string {
  const { runners, content } = state;
  const [one, two] = runners;
  return `${content}|${keyOfRunner(one, state, world, 0)}|${keyOfRunner(two, state, world, 1)}`;
}

function keyOfRunner({ lease, alive, begun, sent, reading }: Runner, state: State, world: World, who: 0 | 1): string {
  const now = clockOf(world, state, who);
  const ago = (time: number) => Math.min(now - time, world.rules.length);
  const { seen, own, open, lost } = lease;
  const swap = (each: Swap | undefined) => each && `${each.version}<${each.over}@${ago(each.started)}`;
  const seenKey = seen && `${seen.version}${seen.holder}@${ago(seen.since)}`;
  const sentKey = sent.map((each) => `${each.swap.version}<${each.swap.over}${each.answer}${each.heeded}`).join();
  const readKey = reading && `${reading.version}${reading.holder}`;
  return [alive, begun, lost, seenKey, swap(own), open.map(swap).join(), sentKey, readKey].join(";");
}

function trace(seen: ReadonlyMap<string, readonly [string, string]>, last: string): readonly string[] {
  const events: string[] = [];
  for (let at = seen.get(last); at && at[1] !== ""; at = seen.get(at[0])) events.unshift(at[1]);
  return events;
}
