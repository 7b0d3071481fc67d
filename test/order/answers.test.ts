import { describe, expect, test } from "vitest";
import { lookAfter, lookAtEnd, lookBefore, type ValueAt } from "../../src/order/availability.ts";
import { findAnswer } from "../../src/order/is-answered.ts";
import { delegationConstraints } from "../../src/order/target-constraints.ts";
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
    "sub.example.com": { NS: ["ns.example.net"] },
    "lame.example.com": { NS: ["ns.lame.example.com"] },
    "glued.example.com": { NS: ["ns.glued.example.com"] },
    "ns.glued.example.com": { A: [null] },
    "lost.example.com": { NS: ["x.t.example.com"] },
    "unsigned.example.com": { NS: ["ns.example.net"] },
    "broken.example.com": { NS: ["ns.example.net"], DS: [null] },
    "one.example.com": { CNAME: ["two.example.com"] },
    "two.example.com": { CNAME: ["one.example.com"] },
  },
  "unsigned.example.com": { "www.unsigned.example.com": { A: [null] } },
  "broken.example.com": { "www.broken.example.com": { A: [null] } },
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
    ["www.sub.example.com", "A", true],
    ["www.lame.example.com", "A", false],
    ["www.glued.example.com", "A", true],
    ["www.lost.example.com", "A", false],
    ["www.unsigned.example.com", "A", true],
    ["www.broken.example.com", "A", false],
  ])("%s %s: %s", (name, type, expected) => {
    expect(isAnswered(name, type)).toBe(expected);
  });
});

test("a name that is delegated to a server without an address has an answer only where addresses are not asked for", () => {
  const ask = (hosts: boolean) => findAnswer({ zones, look: lookAtEnd, hosts }, "www.lame.example.com", ["A"]);
  expect(ask(true)).toBeUndefined();
  expect(ask(false)).toBeDefined();
});

test("the names below a name are those of each zone, without the name itself", () => {
  const below = (host: string) => namesBelow(zones, host).map(([name]) => name);
  expect(below("t.example.com")).toEqual(["www.t.example.com", "a.b.t.example.com"]);
  expect(below("t.example.org")).toEqual(["www.t.example.org"]);
  expect(below("b.t.example.com")).toEqual(["a.b.t.example.com"]);
});

describe("a domain whose servers change wants the records of its zone at those servers", () => {
  type Hosts = readonly (string | null)[];
  const change = (step: string, before: Hosts, after: Hosts): RecordSet => ({
    before,
    after,
    step,
    rewrittenBy: undefined,
  });
  const servers = change("move", ["old.example.net"], ["new.example.net"]);
  const wishes = (www: RecordSet) => {
    const names = new Map([["www.example.com", new Map([["A", www]])]]);
    const moved: Zones = new Map([["example.com", { names, signed: undefined }]]);
    return delegationConstraints(moved, [{ name: "example.com", servers, step: "move" }]);
  };
  const isMet = (look: ValueAt, [wish]: ReturnType<typeof wishes>) => wish?.holds(look) !== undefined;
  const movedAlone = lookAfter((step) => step === "move");
  const recordsAlone = lookAfter((step) => step !== "move");

  test("that are new, before it is handed over", () => {
    const made = wishes(change("make", [], [null]));
    expect(made).toMatchObject([{ enablingSteps: new Set(["make"]), disruptingSteps: new Set(["move"]) }]);
    const met = [lookBefore, recordsAlone, lookAtEnd, movedAlone].map((look) => isMet(look, made));
    expect(met).toEqual([true, true, true, false]);
  });

  test("that go, until it is handed over", () => {
    const gone = wishes(change("remove", [null], []));
    expect(gone).toMatchObject([{ enablingSteps: new Set(["move"]), disruptingSteps: new Set(["remove"]) }]);
    const met = [lookBefore, movedAlone, lookAtEnd, recordsAlone].map((look) => isMet(look, gone));
    expect(met).toEqual([true, true, true, false]);
  });

  test("and nothing of records that stay, or change", () => {
    expect(wishes(setOf([null]))).toEqual([]);
    expect(wishes(change("update", [null], ["a.example.net"]))).toEqual([]);
  });
});
