import fc from "fast-check";
import { expect, test } from "vitest";
import { lookAtEnd, lookBefore } from "../../src/order/availability.ts";
import { findAnswer } from "../../src/order/is-answered.ts";
import { rememberAnswering } from "../../src/order/name-constraints.ts";
import { rememberNearChanges } from "../../src/order/name-constraints.ts";
import type { RecordSet, Zone, Zones } from "../../src/order/zones.ts";
import { forDraws } from "../support/for-draws.ts";

const apexes = ["a.test", "sub.a.test", "b.test"];
const owners = ["@", "x", "y", "w.x", "sub", "*", "*.x"];
const types = ["A", "TXT", "CNAME", "ALIAS", "MX", "NS", "DS", "DNAME"];
const fullName = (apex: string, owner: string) => (owner === "@" ? apex : `${owner}.${apex}`);
const hosts = apexes.flatMap((apex) => owners.map((owner) => fullName(apex, owner)));

const host = fc.constantFrom(null, "far.example", ...hosts);
const records = fc.array(host, { maxLength: 2 });
const planned = fc.record({ before: records, after: records, changes: fc.integer({ min: 0, max: 4 }) });
const drawnSet = fc.record({
  apex: fc.constantFrom(...apexes),
  owner: fc.constantFrom(...owners),
  type: fc.constantFrom(...types),
  planned,
});
const signed = fc.option(fc.record({ before: fc.boolean(), after: fc.boolean() }), { nil: undefined });
const drawnZones = fc
  .tuple(fc.array(drawnSet, { maxLength: 8 }), fc.tuple(signed, signed, signed))
  .map(([sets, signatures]): Zones => {
    const zones = new Map<string, Zone>(
      apexes.map((apex, index) => {
        const drawn = signatures[index];
        const step = drawn && drawn.before !== drawn.after ? `sign ${apex}` : undefined;
        return [apex, { names: new Map(), signed: drawn && { ...drawn, step } }];
      }),
    );
    for (const [index, { apex, owner, type, planned: drawn }] of sets.entries()) {
      const step = drawn.changes === 0 ? `step ${index}` : undefined;
      const after = step === undefined ? drawn.before : drawn.after;
      const set: RecordSet = { before: drawn.before, after, step, rewrittenBy: step };
      const name = fullName(apex, owner);
      const names = zones.get(apex)?.names ?? new Map<string, Map<string, RecordSet>>();
      names.set(name, new Map([...(names.get(name) ?? []), [type, set]]));
    }
    return zones;
  });

test("a name whose answer rests on a step is near a change", async () => {
  const questions = [...hosts, "v.x.a.test"].flatMap((name) => types.map((type) => ({ name, type })));
  await forDraws(1200, drawnZones, fc.boolean(), (zones, withHosts) => {
    const isNear = rememberNearChanges(zones);
    const restsOnStep = ({ name, type }: (typeof questions)[number]) =>
      [lookBefore, lookAtEnd].some((look) => {
        const answer = findAnswer({ zones, look, hosts: withHosts }, name, [type]);
        return answer !== undefined && answer.steps.size > 0;
      });
    expect(questions.filter((asked) => restsOnStep(asked) && !isNear(asked.name))).toEqual([]);
  });
});

test("a name that answers before and after the plan may answer", async () => {
  const questions = [...hosts, "v.x.a.test", "x.far.example"].flatMap((name) => types.map((type) => ({ name, type })));
  await forDraws(1200, drawnZones, fc.boolean(), (zones, withHosts) => {
    const mayAnswer = rememberAnswering(zones);
    const answers = ({ name, type }: (typeof questions)[number]) =>
      [lookBefore, lookAtEnd].every((look) => findAnswer({ zones, look, hosts: withHosts }, name, [type]));
    expect(questions.filter((asked) => answers(asked) && !mayAnswer(asked.name))).toEqual([]);
  });
});

test("a name that has records only before or only after the plan does not answer both times, but for what stands above", () => {
  const set = (before: readonly null[], after: readonly null[]): RecordSet => ({
    before,
    after,
    step: "step",
    rewrittenBy: "step",
  });
  const named = (...names: [string, string, RecordSet][]): Zones => {
    const sets = names.map(([name, type, each]) => [name, new Map([[type, each]])] as const);
    return new Map([["a.test", { names: new Map(sets), signed: undefined }]]);
  };
  const kept = named(["a.test", "NS", set([null], [null])], ["x.a.test", "A", set([null], [null])]);
  expect(["x", "y"].map((name) => rememberAnswering(kept)(`${name}.a.test`))).toEqual([true, false]);
  const [going, coming] = [set([null], []), set([], [null])];
  expect(rememberAnswering(named(["x.a.test", "A", going]))("x.a.test")).toBe(false);
  expect(rememberAnswering(named(["x.a.test", "A", coming]))("x.a.test")).toBe(false);
  const wildcard = named(["x.a.test", "A", coming], ["*.a.test", "A", set([null], [null])]);
  expect(rememberAnswering(wildcard)("x.a.test")).toBe(true);
});

test("a name that a DNAME makes is near a change of the name that it is redirected to", () => {
  const set = (host: string | null, step?: string): RecordSet => ({
    before: [host],
    after: [],
    step,
    rewrittenBy: step,
  });
  const names = new Map([
    ["x.a.test", new Map([["DNAME", { ...set("y.a.test"), after: ["y.a.test"] }]])],
    ["w.y.a.test", new Map([["A", set(null, "step")]])],
  ]);
  expect(rememberNearChanges(new Map([["a.test", { names, signed: undefined }]]))("w.x.a.test")).toBe(true);
});

test("a name is near a change of the signatures of its zone", () => {
  const zone: Zone = { names: new Map(), signed: { before: true, after: false, step: "step" } };
  expect(rememberNearChanges(new Map([["a.test", zone]]))("x.a.test")).toBe(true);
});

test("a name is near no change where no step changes an answer, or only one far from it", () => {
  const set = (step?: string): RecordSet => ({ before: [null], after: [], step, rewrittenBy: step });
  const zones = (step?: string): Zones =>
    new Map([
      ["a.test", { names: new Map([["x.a.test", new Map([["A", set(step)]])]]), signed: undefined }],
      ["b.test", { names: new Map([["x.b.test", new Map([["A", set()]])]]), signed: undefined }],
    ]);
  expect(rememberNearChanges(zones())("x.a.test")).toBe(false);
  expect(rememberNearChanges(zones("step"))("x.b.test")).toBe(false);
});

test("each name of a long chain is near the change at its end, however the chain is listed", () => {
  const length = 20_000;
  const nameAt = (index: number) => `h${index}.a.test`;
  const alias = (target: string): RecordSet => ({
    before: [target],
    after: [target],
    step: undefined,
    rewrittenBy: undefined,
  });
  const address: RecordSet = { before: [null], after: [null], step: "step", rewrittenBy: "step" };
  const names = Array.from({ length }, (_, index): [string, Map<string, RecordSet>] => [
    nameAt(index),
    index === length - 1 ? new Map([["A", address]]) : new Map([["CNAME", alias(nameAt(index + 1))]]),
  ]);
  for (const listed of [names, names.toReversed()]) {
    const isNear = rememberNearChanges(new Map([["a.test", { names: new Map(listed), signed: undefined }]]));
    expect([isNear(nameAt(0)), isNear("else.a.test")]).toEqual([true, false]);
  }
});
