import type { Step, StepId } from "../model/plan.ts";
import { getOrMake } from "../lib/collect.ts";
import type { AvailabilityConstraint } from "./availability.ts";
import { withOutages } from "./find-outages.ts";
import { findComponents, sortSteps, type Before, type Ordered } from "./sort-steps.ts";

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
  // If no order is better than another, and each step stands behind those that it needs, the steps stay as they are.
  if (constraints.length + preferences.length === 0 && isSorted(ranked)) return { ok: true, steps: [...ranked] };
  const wishes = [wishesOf(constraints), wishesOf(preferences)];
  const wished: Before = ({ id, after }) => [...after, ...wishes.flatMap((some) => [...(some.get(id) ?? [])])];
  const circles = findComponents(ranked, wished).filter(({ length }) => length > 1);
  const circular = new Map(circles.flatMap((steps) => untie(steps, wishes)).map((step) => [step.id, step]));
  const linked = ranked.map((step) => circular.get(step.id) ?? { ...step, after: [...new Set(wished(step))].sort() });
  const sorted = sortSteps(linked, ({ after }) => after);
  if (!sorted.ok) return sorted;
  return { ok: true, steps: withOutages(sorted.steps, [...constraints, ...preferences]) };
}

/** Whether each step stands behind those that it comes after. */
function isSorted(ranked: readonly Step[]): boolean {
  const awaited = new Set(ranked.flatMap(({ after }) => after));
  const places = new Map(ranked.flatMap(({ id }, place) => (awaited.has(id) ? [[id, place] as const] : [])));
  return ranked.every(({ after }, place) => after.every((id) => (places.get(id) ?? -1) < place));
}

/** For each disrupting step, the enabling steps that should run before it. */
type Wishes = ReadonlyMap<StepId, ReadonlySet<StepId>>;

function wishesOf(constraints: readonly AvailabilityConstraint[]): Wishes {
  const wishes = new Map<StepId, Set<StepId>>();
  for (const { enablingSteps, disruptingSteps } of constraints)
    for (const disruptor of disruptingSteps)
      for (const enabler of enablingSteps)
        if (enabler !== disruptor) getOrMake(wishes, disruptor, () => new Set()).add(enabler);
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
  const sorted = isChosen ? sortSteps(linked, ({ after }) => after) : undefined;
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
