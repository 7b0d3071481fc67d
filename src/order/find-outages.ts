import type { Outage, Step, StepId } from "../model/plan.ts";
import { lookAfter, signatureOf, type AvailabilityConstraint, type ValueAt } from "./availability.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/** The outages that an order of steps leaves, by the step that opens each: names that answer before and after all steps, but not in between. */
export function findOutages(
  ordered: readonly Step[],
  constraints: readonly AvailabilityConstraint[],
): Map<StepId, Outage[]> {
  const order: Order = { steps: ordered, places: new Map(ordered.map(({ id }, index) => [id, index])) };
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
        .flatMap(([until, found]) => told(until, found)),
    ]),
  );
}

interface Order {
  readonly steps: readonly Step[];
  readonly places: ReadonlyMap<StepId, number>;
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
  let from: StepId | undefined;
  // If all enabling steps come first, no step lies between; otherwise they share one component with the disrupting steps.
  for (const { id } of first < last ? order.steps.slice(first, last + 1) : []) {
    const place = placeIn(order, id);
    if (!holds(lookAfter((step) => placeIn(order, step) <= place))) from ??= id;
    else if (from !== undefined) {
      spans.push({ from, until: id });
      from = undefined;
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

/** The outages with one beginning and end, a name at a time. A name that only points to another that is named here is left out. */
function told(until: StepId, found: readonly AvailabilityConstraint[]): Outage[] {
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
