import type { Step, StepId } from "../../model/plan.ts";
import type { Continuity } from "./facts.ts";
import { findGaps } from "./find-gaps.ts";
import { findKnots, type Before, type Ordered } from "./sort-steps.ts";
import { bridgesOf, untieKnot, type Knot } from "./untie-knot.ts";

/**
 * Sorts ranked steps so that each comes after its `after`, and what makes an answer before what takes its forerunner away. Both become
 * part of `after`, so that no pace at which the steps run leaves another gap than those that are told.
 */
export function withoutGaps(ranked: readonly Step[], continuities: readonly Continuity[]): Ordered {
  const ties = findTies(ranked, continuities);
  const bridges = ties.knots.flatMap(bridgesOf);
  const sorted = untie(bridges.length === 0 ? ties : findTies(ranked, [...continuities, ...bridges]));
  if (!sorted.ok) return sorted;
  const gaps = findGaps(sorted.steps, continuities);
  const told = (step: Step): Step => {
    const opened = gaps.get(step.id);
    return opened ? { ...step, gaps: opened } : step;
  };
  return { ok: true, steps: sorted.steps.map(told) };
}

interface Ties {
  readonly beforeOf: Before;
  readonly knots: readonly Omit<Knot, "isDone">[];
}

function findTies(ranked: readonly Step[], continuities: readonly Continuity[]): Ties {
  const wishes = wishesOf(continuities);
  const beforeOf: Before = ({ id, after }) => [...after, ...(wishes.get(id) ?? [])];
  const knots = findKnots(ranked, beforeOf);
  const touching = groupByKnot(continuities, knots);
  return { beforeOf, knots: knots.map((steps) => ({ steps, touching: touching.get(steps) ?? [] })) };
}

function untie({ beforeOf, knots }: Ties): Ordered {
  const sorted: Step[] = [];
  const done = new Set<StepId>();
  for (const knot of knots) {
    const untied = untieKnot({ ...knot, isDone: (id) => done.has(id) });
    if (!untied.ok) return untied;
    const inside = new Set(knot.steps.map(({ id }) => id));
    for (const step of untied.steps) {
      const outside = beforeOf(step).filter((id) => !inside.has(id));
      sorted.push({ ...step, after: [...new Set([...step.after, ...outside])].sort() });
      done.add(step.id);
    }
  }
  return { ok: true, steps: sorted };
}

/** For each step that breaks something what must be made before. */
function wishesOf(continuities: readonly Continuity[]): Map<StepId, StepId[]> {
  const wishes = new Map<StepId, Set<StepId>>();
  for (const { makers, breakers } of continuities) {
    for (const breaker of breakers) {
      const before = wishes.get(breaker) ?? new Set<StepId>();
      wishes.set(breaker, before);
      for (const maker of makers) if (maker !== breaker) before.add(maker);
    }
  }
  return new Map([...wishes].map(([id, before]) => [id, [...before].sort()]));
}

/** For each knot of several steps what both its steps make and its steps break. */
function groupByKnot(continuities: readonly Continuity[], knots: readonly (readonly Step[])[]) {
  const knotOf = new Map(
    knots.filter(({ length }) => length > 1).flatMap((knot) => knot.map(({ id }) => [id, knot] as const)),
  );
  const touching = new Map<readonly Step[], Continuity[]>();
  for (const continuity of knotOf.size === 0 ? [] : continuities) {
    const making = new Set([...continuity.makers].map((id) => knotOf.get(id)));
    for (const knot of new Set([...continuity.breakers].map((id) => knotOf.get(id)))) {
      if (!knot || !making.has(knot)) continue;
      const known = touching.get(knot);
      if (known) known.push(continuity);
      else touching.set(knot, [continuity]);
    }
  }
  return touching;
}
