import type { Outage, Step, StepId } from "../model/plan.ts";
import { lookAfter, signatureOf, type AvailabilityConstraint, type ValueAt } from "./availability.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/**
 * Returns the ordered steps, each with the outages that it opens: names that answer before and after all steps, but not in between. A step
 * on which an answer depends meanwhile, such as the deletion of a wildcard, keeps its place.
 */
export function withOutages(ordered: readonly Step[], constraints: readonly AvailabilityConstraint[]): Step[] {
  const places = new Map(ordered.map(({ id }, index) => [id, index]));
  const order: Order = { steps: ordered, placeOf: (id) => places.get(id) ?? 0, pinned: new Map() };
  const opened = findOpened(order, constraints);
  return ordered.map((step) => {
    const byEnd = opened.get(step.id);
    const pinned = order.pinned.get(step.id);
    if (!byEnd && !pinned) return step;
    const after = pinned ? [...new Set([...step.after, ...pinned])].sort() : step.after;
    // The constraints come in the order of the manifest, and an outage by its end is hashed and printed in this one.
    const gaps = [...(byEnd ?? [])]
      .toSorted(([a], [b]) => order.placeOf(a) - order.placeOf(b))
      .flatMap(([until, found]) => outagesUntil(until, found));
    return { ...step, after, ...(byEnd && { gaps }) };
  });
}

/** By the step that opens an outage and the one that ends it: the constraints that are broken in between. */
function findOpened(
  order: Order,
  constraints: readonly AvailabilityConstraint[],
): ReadonlyMap<StepId, ReadonlyMap<StepId, readonly AvailabilityConstraint[]>> {
  const opened = new Map<StepId, Map<StepId, AvailabilityConstraint[]>>();
  // Constraints that hold and break together are looked at once.
  const known = new Map<string, readonly StepSpan[]>();
  for (const constraint of constraints) {
    if (isInOrder(order, constraint)) continue;
    const spans = getOrMake(known, signatureOf(constraint), () => [
      ...betweenSteps(order, constraint),
      ...withinSteps(order, constraint),
    ]);
    for (const { from, until } of spans) {
      const byEnd = getOrMake(opened, from, () => new Map<StepId, AvailabilityConstraint[]>());
      addTo(byEnd, until, constraint);
    }
  }
  return opened;
}

interface Order {
  readonly steps: readonly Step[];
  readonly placeOf: (step: StepId) => number;
  /** Steps that must keep their place, each with those that stay before it. */
  readonly pinned: Map<StepId, Set<StepId>>;
}

interface StepSpan {
  readonly from: StepId;
  readonly until: StepId;
}

/** If all enabling steps come first, and none of them disrupts, every name answers all the while. */
function isInOrder(order: Order, { enablingSteps, disruptingSteps }: AvailabilityConstraint): boolean {
  const first = firstOf(order, disruptingSteps);
  return [...enablingSteps].every((id) => order.placeOf(id) <= first && !disruptingSteps.has(id));
}

/** Returns the place of the first of some steps, which may be more than a call has room for. */
const firstOf = ({ placeOf }: Order, steps: ReadonlySet<StepId>): number =>
  [...steps].reduce((least, id) => Math.min(least, placeOf(id)), Number.POSITIVE_INFINITY);

function betweenSteps(order: Order, { enablingSteps, disruptingSteps, holds }: AvailabilityConstraint): StepSpan[] {
  const last = [...enablingSteps].reduce((most, id) => Math.max(most, order.placeOf(id)), 0);
  const first = firstOf(order, disruptingSteps);
  const spans: StepSpan[] = [];
  const pin = (id: StepId, before: StepId) => getOrMake(order.pinned, id, () => new Set()).add(before);
  let from: StepId | undefined;
  // If all enabling steps come first, no step lies between; otherwise they share one component with the disrupting steps.
  for (const { id } of first < last ? order.steps.slice(first, last + 1) : []) {
    const place = order.placeOf(id);
    const found = holds(lookAfter((step) => order.placeOf(step) <= place));
    if (!found) {
      from ??= id;
      continue;
    }
    if (from !== undefined) spans.push({ from, until: id });
    from = undefined;
    for (const other of found.steps) {
      if (order.placeOf(other) < first) pin(order.steps[first]?.id ?? id, other);
      if (order.placeOf(other) > last) pin(other, order.steps[last]?.id ?? id);
    }
  }
  return spans;
}

/** Steps that take something away before they put its successor there. */
function withinSteps(order: Order, { enablingSteps, disruptingSteps, holds }: AvailabilityConstraint): StepSpan[] {
  return [...disruptingSteps].flatMap((running) => {
    if (!enablingSteps.has(running)) return [];
    const before = lookAfter((step) => order.placeOf(step) < order.placeOf(running));
    const during: ValueAt = (value) =>
      value.step === running && value.during !== undefined ? value.during : before(value);
    const isBroken = holds(before) && !holds(during);
    return isBroken ? [{ from: running, until: running }] : [];
  });
}

/** Returns the outages that have one beginning and one end, a name at a time. A name that only points to another that is named here is left out. */
function outagesUntil(until: StepId, found: readonly AvailabilityConstraint[]): Outage[] {
  const names = new Map<string, Set<string>>();
  const asked = new Set(found.flatMap(({ name, types }) => types.map((type) => `${name} ${type}`)));
  for (const { name, types, through } of found) {
    if ([...through].some((place) => asked.has(place) && !place.startsWith(`${name} `))) continue;
    const known = getOrMake(names, name, () => new Set<string>());
    for (const type of types) known.add(type);
  }
  return [...names]
    .map(([name, types]) => ({ name, ...(types.size > 0 && { types: [...types].sort() }), until }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
