import { size } from "./size.ts";
import { describe, expect, test } from "vitest";
import { mayWrite, noteBegun, noteDone, noteRead, noteRejected, replaceable } from "../../src/state/lease/lease.ts";
import { explore, type Machine, type World } from "./explore-lease.ts";

const machine: Machine = { mayWrite, noteBegun, noteDone, noteRead, noteRejected, replaceable };

/** Every order of events of two runners, up to this bound: a moment is half a lease. */
const small: World = { rules: { length: 2, margin: 0 }, swaps: size.leaseSwaps, offsets: [0, 0], sameMachine: false };

describe("of two runners, at no moment may both start a write", () => {
  test.each<[string, Partial<World>]>(
    size.every(6, [
      ["on two machines with clocks far apart", { offsets: [3_600_000, -7] }],
      ["on one machine, where a dead process is known to be dead", { sameMachine: true }],
      ["over a register that is removed when it is given back", { isRemoved: true, sameMachine: true }],
      ["with a margin", { rules: { length: 2, margin: 1 } }],
    ]),
  )("%s", (_where, more) => {
    const { states, violation, held } = explore(machine, { ...small, ...more });
    expect(violation).toBeUndefined();
    // That both can have it one after the other, or the exploration would prove nothing.
    expect(held).toBe("both");
    expect(states).toBeGreaterThan(10_000);
  });
});

describe("the exploration finds a machine that", () => {
  test.each<[string, Partial<Machine>]>([
    [
      "counts its lease from the answer",
      { mayWrite: ({ own, lost }, { length }, now) => own !== undefined && !lost && now - own.started <= length },
    ],
    [
      "takes a lease that it has not watched to its end",
      {
        replaceable: ({ own, seen, lost }, { length }, now) =>
          lost ? undefined : (own?.version ?? (seen && now - seen.since >= length - 1 ? seen.version : undefined)),
      },
    ],
    ["takes a swap without an answer for done", { noteBegun: (lease, swap) => noteDone(noteBegun(lease, swap), swap) }],
    [
      "does not care that its renewal is rejected, and renews what it finds",
      {
        noteRejected: (lease) => lease,
        noteRead: (lease, version, _holder, now) => ({ ...lease, own: { version, over: "", started: now } }),
      },
    ],
    [
      "takes a new content for the one that it has watched",
      {
        noteRead: (lease, version, holder, now) => {
          const read = noteRead(lease, version, holder, now);
          return read.seen && lease.seen ? { ...read, seen: { ...read.seen, since: lease.seen.since } } : read;
        },
      },
    ],
  ])("%s", (_mistake, wrong) => {
    expect(explore({ ...machine, ...wrong }, small).violation).toBeDefined();
  });
});
