import type { Plan } from "../../src/model/plan.ts";
import type { PlanInput } from "../../src/model/plan-input.ts";
import { renderPlan } from "../../src/render/plan-text.ts";
import { savePlan } from "../../src/saved-plans/save-plan.ts";
import { plainPage } from "../support/plain-page.ts";

const page = { ...plainPage, width: 10_000, showIgnored: true, now: 0 };
const options = { holdsSecret: () => false, filePath: (path: string) => path };

/** A plan as printed, less the lines of the manifest; its hash, and its requests without their bodies. */
export const told = (input: PlanInput, made: Plan, showIgnored = true) => ({
  text: renderPlan(made, { ...page, showIgnored }).replaceAll(/m\.yaml:\d+/gu, ""),
  hash: savePlan(input, made, options).saved.hash,
  calls: made.steps.flatMap(({ calls }) => calls.map(({ method, path }) => `${method} ${path}`)),
});

/** Puts items into an order that a seed gives. */
export function shuffled<Item>(items: readonly Item[], seed: number): Item[] {
  let state = seed;
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
  return items
    .map((item) => ({ item, at: next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

/** Puts the keys of every map and the items of every list of a value into another order. */
export function shuffleAll(value: unknown, seed: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value))
    return shuffled(
      value.map((each) => shuffleAll(each, seed + 1)),
      seed,
    );
  const entries = shuffled(Object.entries(value), seed);
  return Object.fromEntries(entries.map(([key, each]) => [key, shuffleAll(each, seed + 1)]));
}
