import type { Step, StepId } from "../model/plan.ts";
import { lookAfter, type AvailabilityConstraint, type ValueAt } from "./facts.ts";
import { sortSteps, type Before, type Ordered } from "./sort-steps.ts";

/** A continuity that stands for so many which hold and break together. */
export interface Weighed extends AvailabilityConstraint {
  readonly weight: number;
}

/** A strongly connected component: steps whose ordering constraints contradict each other, and the continuities that depend on their order. */
export interface Component {
  /** In the order of their rank. */
  readonly steps: readonly Step[];
  readonly touching: readonly Weighed[];
  /** Whether a step comes before all of the knot. */
  readonly isDone: (step: StepId) => boolean;
}

/** All orders of more steps than this are too many to try. */
const mostToTry = 6;

/**
 * The order of a knot with the fewest gaps that its steps' own `after` allows; where that leaves a choice, the preferred one. What the order
 * rests on becomes part of `after`.
 */
export function orderComponent(knot: Component, preferred: Before): Ordered {
  const required = sortSteps(knot.steps, ({ after }) => after);
  if (!required.ok || knot.steps.length === 1) return required;
  const wishes = wishesBeside(knot);
  const sortPreferred = (beforeOf: Before): Ordered => {
    const sorted = sortSteps(knot.steps, (step) => [...beforeOf(step), ...preferred(step)]);
    return sorted.ok ? sorted : sortSteps(knot.steps, beforeOf);
  };
  const wished = sortPreferred(wishes);
  if (wished.ok && !knot.touching.some((each) => isBridged(knot, each)))
    return { ok: true, steps: wished.steps.map((step) => ({ ...step, after: wishes(step) })) };
  const start = wished.ok ? wished : sortPreferred(({ after }) => after);
  const { steps } = start.ok ? start : required;
  return { ok: true, steps: oneByOne(steps.length > mostToTry ? steps : fewestGaps(knot, steps)) };
}

const oneByOne = (steps: readonly Step[]): Step[] =>
  steps.map((step, index) => ({
    ...step,
    after: [...step.after, ...steps.slice(index - 1, index).map(({ id }) => id)],
  }));

/** What is required, and each wish that nothing required forbids. */
function wishesBeside({ steps, touching }: Component): Before {
  const inside = new Map(steps.map((step) => [step.id, step]));
  const needed = new Map(steps.map((step) => [step.id, allBefore(step, inside)]));
  const before = new Map(steps.map(({ id, after }) => [id, new Set(after)]));
  for (const { enablingSteps: makers, disruptingSteps: breakers } of touching)
    for (const breaker of breakers)
      for (const maker of makers)
        if (maker !== breaker && inside.has(maker) && needed.get(maker)?.has(breaker) === false)
          before.get(breaker)?.add(maker);
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
 * What else, such as a wildcard, answers between what is there before and what is there after: while it is there from the first breaker
 * to the last maker, there is no gap. Steps of other knots that touch it must keep to that.
 */
export function bridgesOf(knot: Omit<Component, "isDone">): AvailabilityConstraint[] {
  const inside = new Set(knot.steps.map(({ id }) => id));
  return knot.touching.flatMap((each): AvailabilityConstraint[] => {
    const taken = takenAway(knot, each);
    const [early, late] = (["before", "after"] as const).map((side) => {
      const look: ValueAt = (fact) => {
        const isInside = fact.step === undefined || inside.has(fact.step);
        return fact[isInside ? (taken.has(fact.step ?? "") ? "after" : "before") : side];
      };
      const found = each.holds(look);
      return found && new Set([...found.steps].filter((id) => !inside.has(id)));
    });
    if (early) return [{ ...each, disruptingSteps: early }];
    return late ? [{ ...each, enablingSteps: late }] : [];
  });
}

function isBridged(knot: Component, continuity: AvailabilityConstraint): boolean {
  const taken = takenAway(knot, continuity);
  return continuity.holds(lookAfter((id) => taken.has(id) || knot.isDone(id))) !== undefined;
}

/** The steps of a knot that only take away; for what one step both takes away and makes room for, that one. */
function takenAway(
  { touching }: Pick<Component, "touching">,
  { enablingSteps: makers, disruptingSteps: breakers }: AvailabilityConstraint,
): Set<StepId> {
  const taken = new Set(
    touching.flatMap((each) => [...each.disruptingSteps].filter((id) => !each.enablingSteps.has(id))),
  );
  if ([...breakers].every((id) => makers.has(id))) for (const id of breakers) taken.add(id);
  return taken;
}

function fewestGaps({ touching, isDone }: Component, start: readonly Step[]): Step[] {
  const all = touching.reduce((sum, { weight }) => sum + weight, 0);
  let best = { order: [...start], gaps: Number.POSITIVE_INFINITY };
  const count = (order: readonly Step[]) => {
    const run = new Set<StepId>();
    const look = lookAfter((id) => run.has(id) || isDone(id));
    let gaps = 0;
    const unanswered = new Set<AvailabilityConstraint>();
    for (const { id } of order) {
      run.add(id);
      for (const each of touching) {
        if (each.holds(look)) continue;
        // A gap more weighs more than any length of gaps.
        gaps += each.weight * (unanswered.has(each) ? 1 : 1 + order.length * all);
        unanswered.add(each);
      }
    }
    return gaps;
  };
  for (const order of allowedOrders(start)) {
    const gaps = count(order);
    if (gaps < best.gaps) best = { order, gaps };
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
