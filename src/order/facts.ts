import type { StepId } from "../model/plan.ts";

/** Something that a plan may change: how it is before and after, and by which step. Without a step it stays as it is. */
export interface PlannedValue<T> {
  readonly before: T;
  readonly after: T;
  readonly step: StepId | undefined;
  /** How it is while the step runs, where that is neither: a value that is taken away before its successor is made. */
  readonly during?: T;
}

/** How a fact is seen at some moment of a plan. */
export type ValueAt = <T>(fact: PlannedValue<T>) => T;

/** What an answer rests on. */
export interface Evidence {
  /** The steps that change it. */
  readonly steps: Set<StepId>;
  /** The steps that change the data of a record that it ends at, such as an address. */
  readonly rewriting: Set<StepId>;
  /** Other names that the answer comes from, each with the type that is looked for there: `NAME TYPE`. */
  readonly through: Set<string>;
}

/** Returns an answer that rests on nothing. */
export const noEvidence = (): Evidence => ({ steps: new Set(), rewriting: new Set(), through: new Set() });

/** Adds to one answer what another rests on. */
export function addEvidence(to: Evidence, { steps, rewriting, through }: Evidence): void {
  for (const step of steps) to.steps.add(step);
  for (const step of rewriting) to.rewriting.add(step);
  for (const place of through) to.through.add(place);
}

/** A service that users rely on, such as a DNS answer or a mail address, and a test of whether it works at a given point of the plan. */
export interface ServiceCheck {
  readonly name: string;
  /** DNS types, of which any one is enough; none for a name that has none, such as a mail address. */
  readonly types: readonly string[];
  /** What it rests on at the moment of `look`; undefined where it does not hold then. */
  readonly holds: (look: ValueAt) => Evidence | undefined;
}

/** A reliance that holds before the plan and after it, and that some of the steps could break in between. */
export interface AvailabilityConstraint extends ServiceCheck {
  /** Steps that create what the service depends on after the plan. If all of them run before the `breakers`, there is no gap. */
  readonly enablingSteps: ReadonlySet<StepId>;
  /** Steps that take away what it rests on before. */
  readonly disruptingSteps: ReadonlySet<StepId>;
  readonly through: ReadonlySet<string>;
}

/** What is the same for continuities that hold and break together: many names that point to one host, and stay as they are. */
export const signatureOf = ({
  enablingSteps: makers,
  disruptingSteps: breakers,
  through,
  types,
}: AvailabilityConstraint): string =>
  JSON.stringify([makers, breakers, through, types].map((each) => [...each].sort()));

/** What the reliance rests on before and after; undefined where it does not hold at both times, or no step touches it. */
export function continuityOf(reliance: ServiceCheck): AvailabilityConstraint | undefined {
  const before = reliance.holds(lookBefore);
  if (!before || before.steps.size === 0) return undefined;
  const after = reliance.holds(lookAtEnd);
  if (!after) return undefined;
  const through = new Set([...before.through, ...after.through]);
  return { ...reliance, enablingSteps: after.steps, disruptingSteps: before.steps, through };
}

/** How facts are before any step has run. */
export const lookBefore: ValueAt = ({ before }) => before;

/** How facts are once all steps have run. */
export const lookAtEnd: ValueAt = ({ after }) => after;

/** How facts are once the steps of which `done` is true have run, and no other. */
export const lookAfter =
  (done: (step: StepId) => boolean): ValueAt =>
  (fact) =>
    fact.step !== undefined && done(fact.step) ? fact.after : fact.before;
