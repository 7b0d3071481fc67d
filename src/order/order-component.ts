import type { Step, StepId } from "../model/plan.ts";
import { lookAfter, type AvailabilityConstraint, type ValueAt } from "./availability.ts";
import { sortSteps, type Before, type Ordered } from "./sort-steps.ts";

/** One constraint for `weight` equal ones. */
export interface Weighed extends AvailabilityConstraint {
  readonly weight: number;
}

/** A strongly connected component: steps whose ordering constraints contradict each other, and the constraints that depend on their order. */
export interface Component {
  /** In the order of their rank. */
  readonly steps: readonly Step[];
  readonly touching: readonly Weighed[];
  /** Whether a step comes before all of the component. */
  readonly isDone: (step: StepId) => boolean;
}

/** All orders of more steps than this are too many to try. */
const mostToTry = 6;

/**
 * Returns the order of a component with the fewest outages that respects every `after`; ties use `preferred`. The chosen constraints are
 * added to `after`.
 */
export function orderComponent(component: Component, preferred: Before): Ordered {
  const required = sortSteps(component.steps, ({ after }) => after);
  if (!required.ok || component.steps.length === 1) return required;
  const wishes = wishesBeside(component);
  const sortPreferred = (beforeOf: Before): Ordered => {
    const sorted = sortSteps(component.steps, (step) => [...beforeOf(step), ...preferred(step)]);
    return sorted.ok ? sorted : sortSteps(component.steps, beforeOf);
  };
  const wished = sortPreferred(wishes);
  if (wished.ok && !component.touching.some((each) => isBridged(component, each)))
    return { ok: true, steps: wished.steps.map((step) => ({ ...step, after: wishes(step) })) };
  const start = wished.ok ? wished : sortPreferred(({ after }) => after);
  const { steps } = start.ok ? start : required;
  return { ok: true, steps: oneByOne(steps.length > mostToTry ? steps : fewestOutages(component, steps)) };
}

const oneByOne = (steps: readonly Step[]): Step[] =>
  steps.map((step, index) => ({
    ...step,
    after: [...step.after, ...steps.slice(index - 1, index).map(({ id }) => id)],
  }));

/** Returns the steps before each step: the required ones, and each wish that nothing required forbids. */
function wishesBeside({ steps, touching }: Component): Before {
  const inside = new Map(steps.map((step) => [step.id, step]));
  const needed = new Map(steps.map((step) => [step.id, allBefore(step, inside)]));
  const before = new Map(steps.map(({ id, after }) => [id, new Set(after)]));
  for (const { enablingSteps: enabling, disruptingSteps: disrupting } of touching)
    for (const disruptor of disrupting)
      for (const enabler of enabling)
        if (enabler !== disruptor && inside.has(enabler) && needed.get(enabler)?.has(disruptor) === false)
          before.get(disruptor)?.add(enabler);
  return ({ id }) => [...(before.get(id) ?? [])].sort();
}

function allBefore(step: Step, inside: ReadonlyMap<StepId, Step>): Set<StepId> {
  const found = new Set<StepId>();
  const open = [...step.after];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const before = inside.get(id);
    if (!before || found.has(id)) continue;
    found.add(id);
    open.push(...before.after);
  }
  return found;
}

/**
 * Returns the constraints of a third answer, such as a wildcard, between the old and the new one: while it is there from the first
 * disrupting step to the last enabling one, there is no outage. Steps of other components that touch it must keep to that.
 */
export function bridgesOf(component: Omit<Component, "isDone">): AvailabilityConstraint[] {
  const inside = new Set(component.steps.map(({ id }) => id));
  return component.touching.flatMap((each): AvailabilityConstraint[] => {
    const taken = takenAway(component, each);
    const [early, late] = (["before", "after"] as const).map((side) => {
      const look: ValueAt = (value) => {
        const isInside = value.step === undefined || inside.has(value.step);
        return value[isInside ? (taken.has(value.step ?? "") ? "after" : "before") : side];
      };
      const found = each.holds(look);
      return found && new Set([...found.steps].filter((id) => !inside.has(id)));
    });
    if (early) return [{ ...each, disruptingSteps: early }];
    return late ? [{ ...each, enablingSteps: late }] : [];
  });
}

function isBridged(component: Component, constraint: AvailabilityConstraint): boolean {
  const taken = takenAway(component, constraint);
  return constraint.holds(lookAfter((id) => taken.has(id) || component.isDone(id))) !== undefined;
}

/** The steps of a component that only take away; for what one step both takes away and makes room for, that one. */
function takenAway(
  { touching }: Pick<Component, "touching">,
  { enablingSteps: enabling, disruptingSteps: disrupting }: AvailabilityConstraint,
): Set<StepId> {
  const taken = new Set(
    touching.flatMap((each) => [...each.disruptingSteps].filter((id) => !each.enablingSteps.has(id))),
  );
  if ([...disrupting].every((id) => enabling.has(id))) for (const id of disrupting) taken.add(id);
  return taken;
}

function fewestOutages({ touching, isDone }: Component, start: readonly Step[]): Step[] {
  const all = touching.reduce((sum, { weight }) => sum + weight, 0);
  let best = { order: [...start], outages: Number.POSITIVE_INFINITY };
  const count = (order: readonly Step[]) => {
    const run = new Set<StepId>();
    const look = lookAfter((id) => run.has(id) || isDone(id));
    let outages = 0;
    const unanswered = new Set<AvailabilityConstraint>();
    for (const { id } of order) {
      run.add(id);
      for (const each of touching) {
        if (each.holds(look)) continue;
        // A outage more weighs more than any length of outages.
        outages += each.weight * (unanswered.has(each) ? 1 : 1 + order.length * all);
        unanswered.add(each);
      }
    }
    return outages;
  };
  for (const order of allowedOrders(start)) {
    const outages = count(order);
    if (outages < best.outages) best = { order, outages };
  }
  return best.order;
}

function* allowedOrders(steps: readonly Step[], chosen: readonly Step[] = []): Generator<Step[]> {
  if (steps.length === 0) yield [...chosen];
  const left = new Set(steps.map(({ id }) => id));
  for (const step of steps) {
    if (step.after.some((id) => left.has(id))) continue;
    yield* allowedOrders(
      steps.filter((other) => other !== step),
      [...chosen, step],
    );
  }
}
