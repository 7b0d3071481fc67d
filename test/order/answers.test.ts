import { describe, expect, test } from "vitest";
import { lookAtEnd } from "../../src/order/availability.ts";
import { findAnswer } from "../../src/order/is-answered.ts";
import { namesBelow, type RecordSet, type Zones } from "../../src/order/zones.ts";

const setOf = (hosts: readonly (string | null)[]): RecordSet => ({
  before: hosts,
  after: hosts,
  step: undefined,
  rewrittenBy: undefined,
});

type Records = Readonly<Record<string, Readonly<Record<string, readonly (string | null)[]>>>>;

/** Zones that stay as they are: for each name and type the hosts that its records name, or null. */
const zonesOf = (zones: Readonly<Record<string, Records>>): Zones =>
  new Map(
    Object.entries(zones).map(([apex, names]) => [
      apex,
      {
        names: new Map(
          Object.entries(names).map(([name, sets]) => [
            name,
            new Map(Object.entries(sets).map(([type, hosts]) => [type, setOf(hosts)])),
          ]),
        ),
        signed: undefined,
      },
    ]),
  );

const zones = zonesOf({
  "example.com": {
    "d.example.com": { DNAME: ["t.example.com"] },
    "t.example.com": { TXT: [null] },
    "www.t.example.com": { A: [null] },
    "a.b.t.example.com": { A: [null] },
    "tt.example.com": { A: [null] },
    "one.example.com": { CNAME: ["two.example.com"] },
    "two.example.com": { CNAME: ["one.example.com"] },
  },
  "t.example.org": { "www.t.example.org": { A: [null] } },
});

describe("a name has an answer", () => {
  const isAnswered = (name: string, type: string) =>
    findAnswer({ zones, look: lookAtEnd, hosts: true }, name, [type]) !== undefined;

  test.each([
    ["www.d.example.com", "A", true],
    ["www.d.example.com", "AAAA", false],
    ["a.b.d.example.com", "A", true],
    ["x.d.example.com", "A", false],
    ["www.t.example.com", "A", true],
    ["d.example.com", "TXT", false],
    ["one.example.com", "A", false],
    ["elsewhere.example", "A", true],
  ])("%s %s: %s", (name, type, expected) => {
    expect(isAnswered(name, type)).toBe(expected);
  });
});

test("the names below a name are those of each zone, without the name itself", () => {
  const below = (host: string) => namesBelow(zones, host).map(([name]) => name);
  expect(below("t.example.com")).toEqual(["www.t.example.com", "a.b.t.example.com"]);
  expect(below("t.example.org")).toEqual(["www.t.example.org"]);
  expect(below("b.t.example.com")).toEqual(["a.b.t.example.com"]);
});
