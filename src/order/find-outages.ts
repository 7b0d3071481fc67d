import type { Outage, Step, StepId } from "../model/plan.ts";
import { lookAfter, signatureOf, type AvailabilityConstraint, type ValueAt } from "./facts.ts";

/** The gaps that an order of steps leaves, by the step that opens each: names that answer before and after all steps, but not in between. */
export function findOutages(
  ordered: readonly Step[],
  continuities: readonly AvailabilityConstraint[],
): Map<StepId, Outage[]> {
  const order: Order = { steps: ordered, places: new Map(ordered.map(({ id }, index) => [id, index])) };
  const opened = new Map<StepId, Map<StepId, AvailabilityConstraint[]>>();
  const spansOf = rememberSpans(order);
  for (const continuity of continuities) {
    for (const { from, until } of spansOf(continuity)) {
      const byEnd = opened.get(from) ?? new Map<StepId, AvailabilityConstraint[]>();
      opened.set(from, byEnd);
      const found = byEnd.get(until);
      if (found) found.push(continuity);
      else byEnd.set(until, [continuity]);
    }
  }
  return new Map(
    [...opened].map(([from, byEnd]) => [from, [...byEnd].flatMap(([until, found]) => told(until, found))]),
  );
}

interface Order {
  readonly steps: readonly Step[];
  readonly places: ReadonlyMap<StepId, number>;
}

interface Span {
  readonly from: StepId;
  readonly until: StepId;
}

const placeIn = ({ places }: Order, id: StepId) => places.get(id) ?? 0;

/** Looks for the spans of continuities that hold and break together once. */
function rememberSpans(order: Order): (continuity: AvailabilityConstraint) => readonly Span[] {
  const known = new Map<string, readonly Span[]>();
  return (continuity) => {
    const { enablingSteps: makers, disruptingSteps: breakers } = continuity;
    if (isInOrder(order, continuity) && ![...breakers].some((id) => makers.has(id))) return [];
    const signature = signatureOf(continuity);
    const spans = known.get(signature) ?? [...betweenSteps(order, continuity), ...withinSteps(order, continuity)];
    known.set(signature, spans);
    return spans;
  };
}

/** Where all makers come first there is no gap. */
function isInOrder(
  order: Order,
  { enablingSteps: makers, disruptingSteps: breakers }: AvailabilityConstraint,
): boolean {
  let first = Number.POSITIVE_INFINITY;
  for (const id of breakers) first = Math.min(first, placeIn(order, id));
  return [...makers].every((id) => placeIn(order, id) <= first);
}

function betweenSteps(
  order: Order,
  { enablingSteps: makers, disruptingSteps: breakers, holds }: AvailabilityConstraint,
): Span[] {
  const last = Math.max(...[...makers].map((id) => placeIn(order, id)));
  const first = Math.min(...[...breakers].map((id) => placeIn(order, id)));
  const spans: Span[] = [];
  let from: StepId | undefined;
  // Where all makers come first there is nothing between; otherwise they stand beside the breakers, in one knot.
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
  { enablingSteps: makers, disruptingSteps: breakers, holds }: AvailabilityConstraint,
): Span[] {
  return [...breakers].flatMap((running) => {
    if (!makers.has(running)) return [];
    const before = lookAfter((step) => placeIn(order, step) < placeIn(order, running));
    const during: ValueAt = (fact) => (fact.step === running && fact.during !== undefined ? fact.during : before(fact));
    const isBroken = holds(before) && !holds(during);
    return isBroken ? [{ from: running, until: running }] : [];
  });
}

/** The gaps with one beginning and end, a name at a time. A name that only points to another that is named here is left out. */
function told(until: StepId, found: readonly AvailabilityConstraint[]): Outage[] {
  const names = new Map<string, Set<string>>();
  const asked = new Set(found.flatMap(({ name, types }) => types.map((type) => `${name} ${type}`)));
  for (const { name, types, through } of found) {
    if ([...through].some((place) => asked.has(place) && !place.startsWith(`${name} `))) continue;
    const known = names.get(name) ?? new Set<string>();
    names.set(name, known);
    for (const type of types) known.add(type);
  }
  return [...names]
    .map(([name, types]) => ({ name, ...(types.size > 0 && { types: [...types].sort() }), until }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
