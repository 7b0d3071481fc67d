import type { Step, StepId } from "../model/plan.ts";
import { getOrMake } from "../lib/collect.ts";
import type { AvailabilityConstraint } from "./availability.ts";
import { withOutages } from "./find-outages.ts";

/**
 * Sorts ranked steps so that each comes after its `after`, and after the steps that create what it would take away. Those wishes are soft:
 * one that closes a circle is dropped, a preference before a constraint. All kept wishes become part of `after`, so that neither the pace
 * at which the steps run, nor a step that fails, causes an outage that the plan does not list in `gaps`.
 */
export function withoutOutages(
  ranked: readonly Step[],
  constraints: readonly AvailabilityConstraint[],
  preferences: readonly AvailabilityConstraint[],
): Ordered {
  const wishes = [wishesOf(constraints), wishesOf(preferences)];
  const wished: Before = ({ id, after }) => [...after, ...wishes.flatMap((some) => [...(some.get(id) ?? [])])];
  const circles = findComponents(ranked, wished).filter(({ length }) => length > 1);
  const circular = new Map(circles.flatMap((steps) => untie(steps, wishes)).map((step) => [step.id, step]));
  const linked = ranked.map((step) => circular.get(step.id) ?? { ...step, after: [...new Set(wished(step))].sort() });
  const sorted = sortSteps(linked);
  if (!sorted.ok) return sorted;
  return { ok: true, steps: withOutages(sorted.steps, [...constraints, ...preferences]) };
}

/**
 * For each disrupting step, the enabling steps that should run before it. Two steps that both enable and disrupt one answer are only looked
 * at on the way to it: a wish for each before the other helps nobody, and would close a circle around wishes that can be kept.
 */
type Wishes = ReadonlyMap<StepId, ReadonlySet<StepId>>;

function wishesOf(constraints: readonly AvailabilityConstraint[]): Wishes {
  const wishes = new Map<StepId, Set<StepId>>();
  for (const { enablingSteps: enabling, disruptingSteps: disrupting } of constraints)
    for (const later of disrupting)
      for (const earlier of enabling)
        if (!enabling.has(later) || !disrupting.has(earlier)) getOrMake(wishes, later, () => new Set()).add(earlier);
  return wishes;
}

/**
 * Adds wishes to steps that form a circle, each unless it closes one. Where a wish is dropped for the sake of another, the steps run one
 * after the other, since their outages depend on which comes first.
 */
function untie(steps: readonly Step[], wishes: readonly Wishes[]): readonly Step[] {
  const required = new Map(steps.map(({ id, after }) => [id, new Set(after)]));
  const before = new Map(steps.map(({ id, after }) => [id, new Set(after)]));
  let isChosen = false;
  for (const some of wishes)
    for (const { id } of steps)
      for (const enabler of [...(some.get(id) ?? [])].sort()) {
        if (!comesAfter(before, enabler, id)) before.get(id)?.add(enabler);
        else if (some === wishes[0] && !comesAfter(required, enabler, id)) isChosen = true;
      }
  const linked = steps.map((step) => ({ ...step, after: [...(before.get(step.id) ?? [])].sort() }));
  const sorted = isChosen ? sortSteps(linked) : undefined;
  if (!sorted?.ok) return linked;
  return sorted.steps.map((step, place) => {
    const previous = sorted.steps[place - 1];
    return previous ? { ...step, after: [...new Set([...step.after, previous.id])].sort() } : step;
  });
}

/** Whether a step comes after another one, directly or over others. */
function comesAfter(before: ReadonlyMap<StepId, ReadonlySet<StepId>>, step: StepId, other: StepId): boolean {
  const found = new Set([step]);
  for (const id of found) {
    if (id === other) return true;
    for (const each of before.get(id) ?? []) found.add(each);
  }
  return false;
}

/** For each step what comes before it. */
type Before = (step: Step) => readonly StepId[];

/** Steps in an order that respects what each needs, or the steps of a cycle in their order. */
export type Ordered =
  | { readonly ok: true; readonly steps: Step[] }
  | { readonly ok: false; readonly cycle: readonly StepId[] };

/** Sorts ranked steps, each behind those that it comes after. */
export function sortSteps(ranked: readonly Step[]): Ordered {
  const components = findComponents(ranked, ({ after }) => after);
  const circle = components.find(([first, second]) => second ?? first?.after.includes(first.id));
  return circle ? { ok: false, cycle: cycleIn(circle) } : { ok: true, steps: components.flat() };
}

/** Follows what comes before a step of a circle until a step comes again. */
function cycleIn(circle: readonly Step[]): StepId[] {
  const path: Step[] = [];
  for (let step = circle[0]; step;) {
    const start = path.indexOf(step);
    if (start >= 0) return [...path.slice(start), step].map(({ id }) => id);
    path.push(step);
    const { after } = step;
    step = circle.find(({ id }) => after.includes(id));
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
function findComponents(ranked: readonly Step[], beforeOf: Before): Step[][] {
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
