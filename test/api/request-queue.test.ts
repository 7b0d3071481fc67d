import { describe, expect, test } from "vitest";
import { makeRequestQueue, type RequestQueue, type RateFeedback, type Ticket } from "../../src/api/request-queue.ts";
import { virtualClock } from "../support/virtual-clock.ts";

const fine: RateFeedback = { refused: false, remaining: undefined, pause: undefined };

const openGate = (most: number, clock = virtualClock(), stop = new AbortController()) =>
  makeRequestQueue(most, clock, stop.signal);

/** Requests that have asked for a turn, in the order in which they got one. */
function queueUp(gate: RequestQueue) {
  const started: { readonly name: string; readonly ticket: Ticket }[] = [];
  const turnedAway: string[] = [];
  const ask = (name: string, turn: { write?: boolean; again?: boolean } = {}) => {
    const note = (ticket: Ticket | undefined) => (ticket ? started.push({ name, ticket }) : turnedAway.push(name));
    void gate.enter({ write: false, again: false, ...turn }).then(note);
  };
  const names = async () => {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    return started.map(({ name }) => name);
  };
  const leave = (name: string, lesson: Partial<RateFeedback> = {}) => {
    const ticket = started.find((each) => each.name === name)?.ticket;
    if (!ticket) throw new Error(`${name} has not started`);
    gate.leave(ticket, { ...fine, ...lesson });
  };
  return { ask, names, leave, turnedAway };
}

/** Time that passes only by hand, so that those who sleep may wake late. It begins at 0 ms. */
function lateClock() {
  let time = 0;
  let sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  return {
    now: () => time,
    sleep: (milliseconds: number) =>
      new Promise<void>((wake) => {
        sleepers.push({ until: time + milliseconds, wake });
      }),
    passTo: (until: number) => {
      time = until;
      for (const { wake } of sleepers.filter((each) => each.until <= time)) wake();
      sleepers = sleepers.filter((each) => each.until > time);
      return new Promise((resolve) => {
        setImmediate(resolve);
      });
    },
  };
}

describe("the request queue", () => {
  test("lets no more in than the most, and the next as one leaves", async () => {
    const { ask, names, leave } = queueUp(openGate(2));
    for (const name of ["a", "b", "c", "d"]) ask(name);
    expect(await names()).toEqual(["a", "b"]);
    leave("a");
    expect(await names()).toEqual(["a", "b", "c"]);
  });

  test("lets fewer in after a refusal", async () => {
    const { ask, names, leave } = queueUp(openGate(4));
    for (const name of ["a", "b", "c", "d", "e", "f", "g"]) ask(name);
    await names();
    leave("a", { refused: true });
    leave("b", { refused: true });
    expect(await names()).toEqual(["a", "b", "c", "d"]);
    leave("c");
    leave("d");
    expect(await names()).toEqual(["a", "b", "c", "d", "e", "f"]);
  });

  test("lets reads and writes take turns, however many reads wait", async () => {
    const { ask, names, leave } = queueUp(openGate(1));
    for (const name of ["poll 1", "poll 2", "poll 3", "poll 4"]) ask(name);
    ask("write 1", { write: true });
    ask("write 2", { write: true });
    for (const name of ["poll 1", "write 1", "poll 2", "write 2", "poll 3"]) {
      expect((await names()).at(-1)).toBe(name);
      leave(name);
    }
  });

  test("lets what is tried again in before its like", async () => {
    const { ask, names, leave } = queueUp(openGate(1));
    ask("a");
    ask("b");
    await names();
    ask("c, again", { again: true });
    leave("a");
    expect(await names()).toEqual(["a", "c, again"]);
  });

  test("lets nothing in during a pause, and all of them after it", async () => {
    const clock = virtualClock(0);
    const { ask, names, leave } = queueUp(openGate(2, clock));
    ask("a");
    await names();
    leave("a", { pause: 3_000 });
    expect(clock.waits).toEqual([]);
    ask("b");
    ask("c");
    expect(await names()).toEqual(["a", "b", "c"]);
    expect(clock.waits).toEqual([3_000]);
    expect(clock.now()).toBe(3_000);
  });

  test("catches nothing up after a pause that a later refusal has made longer", async () => {
    const clock = lateClock();
    const queue = makeRequestQueue(20, clock, new AbortController().signal);
    const enter = () => queue.enter({ write: true, again: false });
    const tickets = await Promise.all(Array.from({ length: 20 }, enter));
    const [first, second, ...others] = tickets.flatMap((ticket) => ticket ?? []);
    for (const ticket of others) queue.leave(ticket, fine);
    await clock.passTo(100);
    if (first) queue.leave(first, { ...fine, refused: true, pause: 1_000 });
    const starts: number[] = [];
    for (let count = 0; count < 4; count += 1) void enter().then(() => starts.push(clock.now()));
    await clock.passTo(101);
    if (second) queue.leave(second, { ...fine, refused: true, pause: 1_000 });
    for (let time = 1_102; starts.length < 4; time += 1) await clock.passTo(time);
    // The server has answered 18 in a second: 57 ms for each.
    const gaps = starts.slice(1).map((start, index) => start - (starts[index] ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThan(50);
  });

  test("sleeps only while someone waits: nothing keeps the process alive", async () => {
    const clock = virtualClock(0);
    const { ask, names, leave } = queueUp(openGate(2, clock));
    ask("a");
    await names();
    leave("a", { pause: 60_000 });
    await names();
    expect(clock.waits).toEqual([]);
  });

  test("lets no more in than the server says to remain, counting what is under way", async () => {
    const { ask, names, leave } = queueUp(openGate(10));
    for (const name of ["a", "b", "c", "d"]) ask(name);
    await names();
    leave("a", { remaining: 3 });
    ask("e");
    ask("f");
    expect(await names()).toEqual(["a", "b", "c", "d"]);
    leave("b", { remaining: 3 });
    expect(await names()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test("takes no word of a next reset for no limit", async () => {
    const { ask, names, leave } = queueUp(openGate(1));
    ask("a");
    ask("b");
    await names();
    leave("a", { remaining: 0 });
    expect(await names()).toEqual(["a", "b"]);
  });

  test("turns away all who wait once the run is stopped, then every write, and a read that would have to wait", async () => {
    const stop = new AbortController();
    const { ask, names, leave, turnedAway } = queueUp(openGate(1, virtualClock(0), stop));
    ask("a");
    ask("b");
    ask("c", { write: true });
    await names();
    stop.abort();
    await names();
    expect(turnedAway).toEqual(["b", "c"]);
    leave("a");
    ask("d", { write: true });
    ask("e");
    expect(await names()).toEqual(["a", "e"]);
    leave("e", { pause: 1_000 });
    ask("f");
    expect(await names()).toEqual(["a", "e"]);
    expect(turnedAway).toEqual(["b", "c", "d", "f"]);
  });
});
