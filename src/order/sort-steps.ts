import type { Step, StepId } from "../model/plan.ts";

/** For each step what comes before it. */
export type Before = (step: Step) => readonly StepId[];

/** Steps in an order that respects what each needs, or the steps of a cycle in their order. */
export type Ordered =
  | { readonly ok: true; readonly steps: Step[] }
  | { readonly ok: false; readonly cycle: readonly StepId[] };

/** Sorts ranked steps, each behind those that come before it. */
export function sortSteps(ranked: readonly Step[], beforeOf: Before): Ordered {
  const components = findComponents(ranked, beforeOf);
  const circle = components.find(([first, second]) => second ?? (first && beforeOf(first).includes(first.id)));
  return circle ? { ok: false, cycle: cycleIn(circle, beforeOf) } : { ok: true, steps: components.flat() };
}

/** Follows what comes before a step of a circle until a step comes again. */
function cycleIn(circle: readonly Step[], beforeOf: Before): StepId[] {
  const path: Step[] = [];
  for (let step = circle[0]; step;) {
    const start = path.indexOf(step);
    if (start >= 0) return [...path.slice(start), step].map(({ id }) => id);
    path.push(step);
    const before = beforeOf(step);
    step = circle.find(({ id }) => before.includes(id));
  }
  return [];
}

/** A step on the way down, with a stack of its own: a chain of 100,000 steps must not end the call stack. */
interface Frame {
  readonly step: Step;
  readonly before: readonly StepId[];
  next: number;
}

/**
 * The steps as components, in the same order: most are of one step; steps that wait for each other in a circle are one component, in the order
 * that they are ranked in (Tarjan's algorithm, which finishes what comes before first).
 */
export function findComponents(ranked: readonly Step[], beforeOf: Before): Step[][] {
  const rank = new Map(ranked.map((step, index) => [step.id, index]));
  const entered = new Map<StepId, number>();
  const low = new Map<StepId, number>();
  const finished = new Set<StepId>();
  const waiting: Step[] = [];
  const components: Step[][] = [];
  const lower = (id: StepId, to: number) => low.set(id, Math.min(low.get(id) ?? to, to));
  const enter = (step: Step): Frame => {
    entered.set(step.id, entered.size);
    lower(step.id, entered.size - 1);
    waiting.push(step);
    return { step, before: beforeOf(step), next: 0 };
  };
  for (const root of ranked) {
    const path = entered.has(root.id) ? [] : [enter(root)];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { id } = top.step;
      const before = top.before[top.next];
      top.next += 1;
      if (before !== undefined) {
        const step = ranked[rank.get(before) ?? -1];
        if (step && !entered.has(before)) path.push(enter(step));
        else if (step && !finished.has(before)) lower(id, entered.get(before) ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above) lower(above.step.id, low.get(id) ?? 0);
      if (low.get(id) !== entered.get(id)) continue;
      const component = waiting.splice(waiting.lastIndexOf(top.step));
      for (const each of component) finished.add(each.id);
      components.push(component.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0)));
    }
  }
  return components;
}
