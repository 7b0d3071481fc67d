import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { makeReadyQueue } from "../../src/apply/schedule.ts";
import { makeSchedule } from "../../src/apply/schedule.ts";
import type { Failure } from "../../src/model/failure.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep } from "../support/make-step.ts";

describe("of the steps that may run", () => {
  test("the one that stands first in the plan is next", () => {
    const [a, b, c] = [makeStep("a"), makeStep("b", ["a"]), makeStep("c")];
    const schedule = makeSchedule([a, b, c]);
    expect(schedule.next()).toBe(a);
    schedule.settle(a, { is: "done" });
    expect([schedule.next(), schedule.next(), schedule.next()]).toEqual([b, c, undefined]);
  });

  test("nothing is blocked by what the stop of a run has held back", () => {
    const [a, b] = [makeStep("a"), makeStep("b", ["a"])];
    const schedule = makeSchedule([a, b]);
    schedule.settle(a, { is: "not_attempted", callsDone: 1 });
    expect([...schedule.outcomes.keys()]).toEqual([a.id]);
    expect(schedule.next()).toBe(a);
    expect(schedule.next()).toBeUndefined();
  });

  const sorts: Record<Failure["sort"], boolean> = {
    unreachable: true,
    untrusted: true,
    unauthorized: true,
    unrecorded: true,
    forbidden: false,
    not_found: false,
    conflict: false,
    stale: false,
    invalid: false,
    rate_limited: false,
    server_error: false,
    malformed: false,
    unknown_outcome: false,
    not_ready: false,
    interrupted: false,
    unexpected: false,
  };
  test.each(Object.entries(sorts))(
    "after a failure %s, none is next if every request would fail so: %s",
    (sort, all) => {
      const [a, b, c] = [makeStep("a"), makeStep("b", ["a"]), makeStep("c")];
      const schedule = makeSchedule([a, b, c]);
      expect(schedule.next()).toBe(a);
      const failure = { sort: sort as Failure["sort"], method: "POST", path: "/x", message: "no", attempts: 1 };
      schedule.settle(a, { is: "failed", failure, callsDone: 0 });
      expect(schedule.outcomes.get(b.id)).toEqual({ is: "blocked", by: a.id });
      expect(schedule.next()).toBe(all ? undefined : c);
    },
  );

  test("those that end a gap go before all that became ready with them, and what must go before the end is one of them", () => {
    const untilCname = [{ name: "www.example.com", until: "create CNAME" }];
    const zone = makeStep("zone");
    const records = [makeStep("r1", ["zone"]), makeStep("r2", ["zone"])];
    const first = makeStep("delete A", [], untilCname);
    const second = makeStep("delete TXT", ["delete A"], untilCname);
    const end = makeStep("create CNAME", ["delete TXT"]);
    const schedule = makeSchedule([zone, ...records, first, second, end]);
    expect([schedule.next(), schedule.next()]).toEqual([zone, first]);
    schedule.settle(zone, { is: "done" });
    schedule.settle(first, { is: "done" });
    expect(schedule.next()).toBe(second);
    schedule.settle(second, { is: "done" });
    expect(schedule.next()).toBe(end);
    expect([schedule.next(), schedule.next()]).toEqual(records);
  });
});

test("a queue gives what was added by its place, whenever it was added", () =>
  forDraws({}, fc.uniqueArray(fc.integer()), fc.uniqueArray(fc.integer()), (early, late) => {
    const queue = makeReadyQueue<number>();
    for (const place of early) queue.add(place, place);
    const sorted = early.toSorted((a, b) => a - b);
    const half = Math.floor(early.length / 2);
    expect(Array.from({ length: half }, () => queue.take())).toEqual(sorted.slice(0, half));
    for (const place of late) queue.add(place, place);
    const rest = [...sorted.slice(half), ...late].toSorted((a, b) => a - b);
    expect(Array.from({ length: rest.length + 1 }, () => queue.take())).toEqual([...rest, undefined]);
  }));
