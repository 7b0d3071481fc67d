import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isOpen, opensAt } from "../../../src/fleet/file/window.ts";
import type { Window } from "../../../src/fleet/model.ts";
import { forDraws } from "../../support/for-draws.ts";

const berlin = (from: string, to: string, ...days: number[]): Window => {
  const [begins = 0, ends = 0] = [from, to].map((time) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3)));
  return { days, from: begins, to: ends, timeZone: "Europe/Berlin" };
};
const opens = (window: Window, from: string) => new Date(opensAt(window, Date.parse(from))).toISOString();

describe("a window", () => {
  test("that ends before it begins stays open until the next day", () => {
    const night = berlin("22:00", "04:00", 1);
    const at = (time: string) => isOpen(night, Date.parse(time));
    // 2026-11-23 is a Monday, and Berlin is an hour before UTC.
    expect(at("2026-11-23T20:59:59Z")).toBe(false);
    expect(at("2026-11-23T21:00:00Z")).toBe(true);
    expect(at("2026-11-24T02:59:59Z")).toBe(true);
    expect(at("2026-11-24T03:00:00Z")).toBe(false);
    expect(at("2026-11-24T21:00:00Z")).toBe(false);
    expect(opens(night, "2026-11-24T03:00:00Z")).toBe("2026-11-30T21:00:00.000Z");
    expect(opens(night, "2026-11-24T01:00:00Z")).toBe("2026-11-24T01:00:00.000Z");
  });

  test("opens an hour earlier by UTC after the clocks are put forward", () => {
    expect(opens(berlin("09:00", "10:00"), "2026-03-28T12:00:00Z")).toBe("2026-03-29T07:00:00.000Z");
  });

  test("whose beginning the wall skips opens with the first moment that the wall shows of it", () => {
    expect(opens(berlin("02:30", "04:00"), "2026-03-28T12:00:00Z")).toBe("2026-03-29T01:00:00.000Z");
  });

  test("that the wall skips as a whole opens the next day", () => {
    expect(opens(berlin("02:10", "02:50"), "2026-03-28T12:00:00Z")).toBe("2026-03-30T00:10:00.000Z");
  });

  test("that the wall shows twice, as the clocks are put back, is open twice", () => {
    const window = berlin("02:00", "02:30");
    expect(opens(window, "2026-10-25T00:30:00Z")).toBe("2026-10-25T01:00:00.000Z");
    expect(isOpen(window, Date.parse("2026-10-25T00:15:00Z"))).toBe(true);
    expect(isOpen(window, Date.parse("2026-10-25T01:15:00Z"))).toBe(true);
  });

  const zones = "UTC Europe/Berlin America/New_York Australia/Lord_Howe Asia/Kathmandu America/Sao_Paulo".split(" ");
  const window = fc.record({
    days: fc.uniqueArray(fc.nat({ max: 6 })),
    from: fc.nat({ max: 24 * 60 - 1 }),
    to: fc.nat({ max: 24 * 60 }),
    timeZone: fc.constantFrom(...zones),
  });
  const drawn = window.filter(({ from, to }) => from !== to);
  // Half of the moments are near the changes of 2026.
  const changes = [
    "2026-03-29T01:00Z",
    "2026-10-25T01:00Z",
    "2026-03-08T07:00Z",
    "2026-11-01T06:00Z",
    "2026-04-04T15:00Z",
  ];
  const near = fc.tuple(fc.constantFrom(...changes), fc.integer({ min: -36 * 60, max: 36 * 60 }));
  const moment = fc.oneof(
    near.map(([change, minutes]) => Date.parse(change) + minutes * 60_000),
    fc.integer({ min: Date.parse("2001-01-01"), max: Date.parse("2040-01-01") }),
  );

  /** Reads the wall anew, from a text. */
  function oracle({ days, from, to, timeZone }: Window, at: number): boolean {
    const wall = new Date(at).toLocaleString("en-GB", {
      timeZone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
    });
    const [, name = "", hour, minute] = /^(\w{3})\D+(\d+):(\d+)/u.exec(wall) ?? [];
    const [day, now] = [
      ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(name),
      Number(hour) * 60 + Number(minute),
    ];
    const isOn = (each: number) => days.length === 0 || days.includes(each);
    if (from < to) return isOn(day) && from <= now && now < to;
    return (isOn(day) && from <= now) || (isOn((day + 6) % 7) && now < to);
  }

  test("is open exactly when the wall in its time zone shows one of its days and hours", () =>
    forDraws(16_000, drawn, moment, (each, at) => {
      expect(isOpen(each, at)).toBe(oracle(each, at));
    }));

  test("opens at the first open moment: it is open then, and at no minute before", () =>
    forDraws(
      4000,
      drawn,
      moment,
      fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })),
      (each, from, shares) => {
        const first = opensAt(each, from);
        expect(oracle(each, first)).toBe(true);
        if (oracle(each, from)) expect(first).toBe(from);
        else expect(oracle(each, first - 1)).toBe(false);
        const times = [...shares.take(40)].map((share) => Math.floor(from + share * (first - from)));
        expect(times.filter((at) => at < first && oracle(each, at))).toEqual([]);
      },
    ));
});
