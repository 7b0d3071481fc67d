import type { Outage, Step, StepId } from "../model/plan.ts";
import { lookAfter, signatureOf, type AvailabilityConstraint, type ValueAt } from "./availability.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/**
 * Returns the ordered steps, each with the outages that it opens: names that answer before and after all steps, but not in between. A step
 * on which an answer depends meanwhile, such as the deletion of a wildcard, keeps its place.
 */
export function withOutages(ordered: readonly Step[], constraints: readonly AvailabilityConstraint[]): Step[] {
  const order: Order = {
    steps: ordered,
    places: new Map(ordered.map(({ id }, index) => [id, index])),
    pinned: new Map(),
  };
  const outages = findOutages(order, constraints);
  return ordered.map((step) => {
    const gaps = outages.get(step.id);
    const pinned = order.pinned.get(step.id);
    const after = pinned ? [...new Set([...step.after, ...pinned])].sort() : step.after;
    return gaps || pinned ? { ...step, after, ...(gaps && { gaps }) } : step;
  });
}

function findOutages(order: Order, constraints: readonly AvailabilityConstraint[]): Map<StepId, Outage[]> {
  const opened = new Map<StepId, Map<StepId, AvailabilityConstraint[]>>();
  const spansOf = rememberSpans(order);
  for (const constraint of constraints) {
    for (const { from, until } of spansOf(constraint)) {
      addTo(
        getOrMake(opened, from, () => new Map()),
        until,
        constraint,
      );
    }
  }
  return new Map(
    [...opened].map(([from, byEnd]) => [
      from,
      // The constraints come in the order of the manifest, and an outage by its end is hashed and printed in this one.
      [...byEnd]
        .toSorted(([a], [b]) => placeIn(order, a) - placeIn(order, b))
        .flatMap(([until, found]) => outagesUntil(until, found)),
    ]),
  );
}

interface Order {
  readonly steps: readonly Step[];
  readonly places: ReadonlyMap<StepId, number>;
  /** Steps that must keep their place, each with those that stay before it. */
  readonly pinned: Map<StepId, Set<StepId>>;
}

interface StepSpan {
  readonly from: StepId;
  readonly until: StepId;
}

const placeIn = ({ places }: Order, id: StepId) => places.get(id) ?? 0;

/** Looks for the spans of constraints that hold and break together once. */
function rememberSpans(order: Order): (constraint: AvailabilityConstraint) => readonly StepSpan[] {
  const known = new Map<string, readonly StepSpan[]>();
  return (constraint) => {
    const { enablingSteps: enabling, disruptingSteps: disrupting } = constraint;
    if (isInOrder(order, constraint) && ![...disrupting].some((id) => enabling.has(id))) return [];
    return getOrMake(known, signatureOf(constraint), () => [
      ...betweenSteps(order, constraint),
      ...withinSteps(order, constraint),
    ]);
  };
}

/** If all enabling steps come first, there is no outage. */
function isInOrder(
  order: Order,
  { enablingSteps: enabling, disruptingSteps: disrupting }: AvailabilityConstraint,
): boolean {
  let first = Number.POSITIVE_INFINITY;
  for (const id of disrupting) first = Math.min(first, placeIn(order, id));
  return [...enabling].every((id) => placeIn(order, id) <= first);
}

function betweenSteps(
  order: Order,
  { enablingSteps: enabling, disruptingSteps: disrupting, holds }: AvailabilityConstraint,
): StepSpan[] {
  const last = Math.max(...[...enabling].map((id) => placeIn(order, id)));
  const first = Math.min(...[...disrupting].map((id) => placeIn(order, id)));
  const spans: StepSpan[] = [];
  const pin = (id: StepId, before: StepId) => getOrMake(order.pinned, id, () => new Set()).add(before);
  let from: StepId | undefined;
  // If all enabling steps come first, no step lies between; otherwise they share one component with the disrupting steps.
  for (const { id } of first < last ? order.steps.slice(first, last + 1) : []) {
    const place = placeIn(order, id);
    const found = holds(lookAfter((step) => placeIn(order, step) <= place));
    if (!found) {
      from ??= id;
      continue;
    }
    if (from !== undefined) spans.push({ from, until: id });
    from = undefined;
    for (const other of found.steps) {
      if (placeIn(order, other) < first) pin(order.steps[first]?.id ?? id, other);
      if (placeIn(order, other) > last) pin(other, order.steps[last]?.id ?? id);
    }
  }
  return spans;
}

/** Steps that take something away before they put its successor there. */
function withinSteps(
  order: Order,
  { enablingSteps: enabling, disruptingSteps: disrupting, holds }: AvailabilityConstraint,
): StepSpan[] {
  return [...disrupting].flatMap((running) => {
    if (!enabling.has(running)) return [];
    const before = lookAfter((step) => placeIn(order, step) < placeIn(order, running));
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
