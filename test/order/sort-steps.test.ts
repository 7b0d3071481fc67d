import fc from "fast-check";
import { expect, test } from "vitest";
import { sortSteps } from "../../src/order/avoid-outages.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep } from "../support/make-step.ts";

/** Steps that may each come after any of them, so that some draws hold a cycle. */
const drawn = fc
  .integer({ min: 1, max: 7 })
  .chain((count) =>
    fc.array(fc.uniqueArray(fc.integer({ min: 0, max: count - 1 }), { maxLength: 3 }), {
      minLength: count,
      maxLength: count,
    }),
  )
  .map((all) =>
    all.map((after, index) =>
      makeStep(
        `s${index}`,
        after.map((at) => `s${at}`),
      ),
    ),
  );

test("steps are sorted after what they need, or the steps of one cycle are named, each after the one that needs it", () =>
  forDraws(300, drawn, (steps) => {
    const afterOf = new Map(steps.map(({ id, after }) => [id, after]));
    const ordered = sortSteps(steps);
    if (ordered.ok) {
      const place = new Map(ordered.steps.map(({ id }, index) => [id, index]));
      expect([...place.keys()].toSorted()).toEqual(steps.map(({ id }) => id).toSorted());
      for (const { id, after } of steps)
        for (const before of after) expect(place.get(before)).toBeLessThan(place.get(id) ?? -1);
    } else {
      const { cycle } = ordered;
      expect(cycle.at(-1)).toBe(cycle[0]);
      expect(new Set(cycle).size, "each step of it once").toBe(cycle.length - 1);
      for (const [index, id] of cycle.slice(1).entries()) expect(afterOf.get(cycle[index] ?? "")).toContain(id);
    }
  }));

test("steps without a need for each other keep their rank, and a need outside of them is none", () => {
  const steps = [makeStep("c"), makeStep("a", ["elsewhere"]), makeStep("d", ["b"]), makeStep("b")];
  const ordered = sortSteps(steps);
  expect(ordered.ok && ordered.steps.map(({ id }) => id)).toEqual(["c", "a", "b", "d"]);
});
