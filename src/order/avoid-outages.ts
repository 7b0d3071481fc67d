import type { Step, StepId } from "../model/plan.ts";
import { signatureOf, type AvailabilityConstraint } from "./availability.ts";
import { findOutages } from "./find-outages.ts";
import { findComponents, type Before, type Ordered } from "./sort-steps.ts";
import { bridgesOf, orderComponent, type Component, type Weighed } from "./order-component.ts";
import { getOrMake } from "../lib/collect.ts";

/**
 * Sorts ranked steps so that each comes after its `after`, and what makes an answer before what takes its forerunner away; where that
 * leaves a choice, by the preferences. All become part of `after`, so that no pace at which the steps run, and no step that fails, leaves
 * another outage than those that are told.
 */
export function withoutOutages(
  ranked: readonly Step[],
  constraints: readonly AvailabilityConstraint[],
  preferences: readonly AvailabilityConstraint[],
): Ordered {
  // If no order is better than another, and each step stands behind those that it needs, the steps stay as they are.
  if (constraints.length + preferences.length === 0 && isSorted(ranked)) return { ok: true, steps: [...ranked] };
  const ties = findTies(ranked, constraints);
  const bridges = ties.components.flatMap(bridgesOf);
  const wishes = wishesOf(preferences);
  const preferred: Before = ({ id }) => wishes.get(id) ?? [];
  const bridged = bridges.length === 0 ? ties : findTies(ranked, [...constraints, ...bridges]);
  const sorted = untie(wishes.size === 0 ? bridged : arrange(bridged, ranked, preferred), preferred);
  if (!sorted.ok) return sorted;
  const steps = keepPreferences(sorted.steps, preferred);
  const outages = findOutages(steps, [...constraints, ...preferences]);
  const told = (step: Step): Step => {
    const opened = outages.get(step.id);
    return opened ? { ...step, gaps: opened } : step;
  };
  return { ok: true, steps: steps.map(told) };
}

/** Whether each step stands behind those that it comes after. */
function isSorted(ranked: readonly Step[]): boolean {
  const awaited = new Set(ranked.flatMap(({ after }) => after));
  const places = new Map(ranked.flatMap(({ id }, place) => (awaited.has(id) ? [[id, place] as const] : [])));
  return ranked.every(({ after }, place) => after.every((id) => (places.get(id) ?? -1) < place));
}

interface Ties {
  readonly beforeOf: Before;
  readonly components: readonly Tie[];
}

type Tie = Omit<Component, "isDone">;

function findTies(ranked: readonly Step[], constraints: readonly AvailabilityConstraint[]): Ties {
  const wishes = wishesOf(constraints);
  const beforeOf: Before = ({ id, after }) => [...after, ...(wishes.get(id) ?? [])];
  const components = findComponents(ranked, beforeOf);
  const touching = groupByComponent(constraints, components);
  return {
    beforeOf,
    components: components.map((steps) => ({ steps, touching: [...(touching.get(steps)?.values() ?? [])] })),
  };
}

/** The components in an order that keeps the preferences too, except those that make a circle with what is required, or with each other. */
function arrange(ties: Ties, ranked: readonly Step[], preferred: Before): Ties {
  const componentOf = new Map(
    ties.components.flatMap((component) => component.steps.map(({ id }) => [id, component] as const)),
  );
  const before = ({ steps }: Tie, beforeOf: Before) =>
    steps.flatMap((step) => beforeOf(step).flatMap((id) => componentOf.get(id) ?? []));
  const circles = findComponents(ranked, (step) => [...ties.beforeOf(step), ...preferred(step)]);
  const components = circles.flatMap((steps) =>
    breakCircle(
      [...new Set(steps.flatMap(({ id }) => componentOf.get(id) ?? []))],
      (component) => before(component, ties.beforeOf),
      (component) => before(component, preferred),
    ),
  );
  return { ...ties, components };
}

/** An order of ties that keeps all that is required; of what is wished as much as is left each time where the fewest wishes are not met. */
function breakCircle(
  ties: readonly Tie[],
  requiredBy: (tie: Tie) => readonly Tie[],
  wishedBy: (tie: Tie) => readonly Tie[],
): Tie[] {
  if (ties.length === 1) return [...ties];
  const waiting = new Set(ties);
  const countWaiting = (tie: Tie, before: readonly Tie[]) =>
    new Set(before.filter((each) => each !== tie && waiting.has(each))).size;
  const ordered: Tie[] = [];
  while (waiting.size > 0) {
    let best: { readonly tie: Tie; readonly unmet: number } | undefined;
    for (const tie of waiting) {
      if (countWaiting(tie, requiredBy(tie)) > 0) continue;
      const unmet = countWaiting(tie, wishedBy(tie));
      if (best === undefined || unmet < best.unmet) best = { tie, unmet };
      if (unmet === 0) break;
    }
    // Ties never wait for each other in a circle of what is required.
    if (!best) return [...ordered, ...waiting];
    waiting.delete(best.tie);
    ordered.push(best.tie);
  }
  return ordered;
}

/** The steps in the same order, where each waits for those before it that it would rather come after. */
function keepPreferences(sorted: readonly Step[], preferred: Before): Step[] {
  const places = new Map(sorted.map(({ id }, place) => [id, place]));
  return sorted.map((step, place) => {
    const before = preferred(step).filter((id) => (places.get(id) ?? place) < place);
    return before.length === 0 ? step : { ...step, after: [...new Set([...step.after, ...before])].sort() };
  });
}

function untie({ beforeOf, components }: Ties, preferred: Before): Ordered {
  const sorted: Step[] = [];
  const done = new Set<StepId>();
  for (const component of components) {
    const untied = orderComponent({ ...component, isDone: (id) => done.has(id) }, preferred);
    if (!untied.ok) return untied;
    const inside = new Set(component.steps.map(({ id }) => id));
    for (const step of untied.steps) {
      const outside = beforeOf(step).filter((id) => !inside.has(id));
      sorted.push({ ...step, after: [...new Set([...step.after, ...outside])].sort() });
      done.add(step.id);
    }
  }
  return { ok: true, steps: sorted };
}

/** For each step that breaks something what must be made before. */
function wishesOf(constraints: readonly AvailabilityConstraint[]): Map<StepId, StepId[]> {
  const wishes = new Map<StepId, Set<StepId>>();
  for (const { enablingSteps: enabling, disruptingSteps: disrupting } of constraints) {
    for (const disruptor of disrupting) {
      const before = getOrMake(wishes, disruptor, () => new Set());
      for (const enabler of enabling) if (enabler !== disruptor) before.add(enabler);
    }
  }
  return new Map([...wishes].map(([id, before]) => [id, [...before].sort()]));
}

/** For each component of several steps what both its steps make and its steps break. */
function groupByComponent(constraints: readonly AvailabilityConstraint[], components: readonly (readonly Step[])[]) {
  const componentOf = new Map(
    components
      .filter(({ length }) => length > 1)
      .flatMap((component) => component.map(({ id }) => [id, component] as const)),
  );
  const touching = new Map<readonly Step[], Map<string, Weighed>>();
  for (const constraint of componentOf.size === 0 ? [] : constraints) {
    const making = new Set([...constraint.enablingSteps].map((id) => componentOf.get(id)));
    for (const component of new Set([...constraint.disruptingSteps].map((id) => componentOf.get(id)))) {
      if (!component || !making.has(component)) continue;
      const known = getOrMake(touching, component, () => new Map<string, Weighed>());
      const signature = signatureOf(constraint);
      known.set(signature, { ...constraint, weight: (known.get(signature)?.weight ?? 0) + 1 });
    }
  }
  return touching;
}
