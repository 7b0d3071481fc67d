import fc from "fast-check";
import { expect, test } from "vitest";
import type { Step } from "../../src/model/plan.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { forDraws } from "../support/for-draws.ts";
import { makeStep, planOf } from "../support/make-step.ts";
import { plainPage } from "../support/plain-page.ts";

/** Steps of which some begin a gap that another one, or a step that is left out of the plan, ends. Some replace. */
const drawnSteps = fc
  .record({
    count: fc.integer({ min: 1, max: 80 }),
    gaps: fc.array(fc.tuple(fc.nat(79), fc.nat(99)), { maxLength: 6 }),
    replaced: fc.array(fc.nat(79), { maxLength: 3 }),
  })
  .map(({ count, gaps, replaced }) =>
    Array.from({ length: count }, (_, index): Step[] => {
      const own = gaps.filter(([from, until]) => from === index && until >= index);
      const step = makeStep(
        `s${index}`,
        [],
        own.map(([from, until]) => ({ name: `g${from}-${until}.example`, until: `s${until}` })),
      );
      return replaced.includes(index)
        ? [
            { ...step, id: `d${index}`, action: "delete", replaces: true, gaps: [] },
            { ...step, action: "create", replaces: true },
          ]
        : [step];
    }).flat(),
  );

test("the numbers of a gap are those of steps that the plan lists, whether it is folded or a part of another", () =>
  forDraws({ numRuns: 150 }, drawnSteps, fc.boolean(), fc.integer({ min: 60, max: 160 }), (steps, full, width) => {
    const text = renderPlan(planOf({ steps }), { ...plainPage, width, showIgnored: false, now: 0, full });
    const joined = text.replaceAll(/\s+/gu, " ");
    for (const { address, id, gaps = [] } of steps)
      for (const { name, until } of gaps) {
        const [, said = ""] = new RegExp(`! ${name} has no answer (.*?) \\(${until}\\)`, "u").exec(joined) ?? [];
        const numbers = (said.match(/\d+/gu) ?? []).map(Number);
        const last = steps.find((step) => step.id === until);
        expect(numbers.map((number) => steps[number - 1]?.id)).toEqual(
          last === undefined || until === id ? [id] : [id, until],
        );
        for (const [index, each] of [address, last?.address ?? address].entries())
          expect(text).toMatch(
            new RegExp(
              `^ +${numbers[index] ?? numbers[0]} .*${each}(?: |$)|${each}\\b[^+~]*created again in step ${numbers[index] ?? numbers[0]}\\b`,
              "mu",
            ),
          );
      }
  }));
