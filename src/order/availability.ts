import type { StepId } from "../model/plan.ts";

/** Something that a plan may change: how it is before and after, and by which step. Without a step it stays as it is. */
export interface PlannedValue<T> {
  readonly before: T;
  readonly after: T;
  readonly step: StepId | undefined;
  /** The value while the step runs, where that is neither: one is taken away before its successor is made. */
  readonly during?: T;
}

/** Reads a planned value at one point of the plan. */
export type ValueAt = <T>(planned: PlannedValue<T>) => T;

/** The steps and names that the answer of a service depends on. */
export interface Evidence {
  /** Steps that change the answer. */
  readonly steps: Set<StepId>;
  /** Steps that change the data of the record at which the answer ends, such as an address. */
  readonly rewriting: Set<StepId>;
  /** Other names that the answer comes from, each with the type that is looked for there: `NAME TYPE`. */
  readonly through: Set<string>;
}

export const noEvidence = (): Evidence => ({ steps: new Set(), rewriting: new Set(), through: new Set() });

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
  /** Returns the evidence for an answer at the point that `look` reads; undefined if the service does not work there. */
  readonly holds: (look: ValueAt) => Evidence | undefined;
}

/** A service that works before and after the plan, and that some steps may interrupt in between. */
export interface AvailabilityConstraint extends ServiceCheck {
  /** Steps that create what the service depends on after the plan. If all of them run before the `disruptingSteps`, there is no outage. */
  readonly enablingSteps: ReadonlySet<StepId>;
  /** Steps that take away what the service depends on before the plan. */
  readonly disruptingSteps: ReadonlySet<StepId>;
  readonly through: ReadonlySet<string>;
}

/**
 * Returns a key that is equal for constraints with the same steps, names and types. Such constraints hold and break together, so their
 * outages are computed once.
 */
export const signatureOf = ({ enablingSteps, disruptingSteps, through, types }: AvailabilityConstraint): string =>
  JSON.stringify([enablingSteps, disruptingSteps, through, types].map((each) => [...each].sort()));

/** Returns the constraint of a service; undefined if it does not work before and after the plan, or if no step changes what it depends on before. */
export function availabilityConstraint(service: ServiceCheck): AvailabilityConstraint | undefined {
  const before = service.holds(lookBefore);
  if (!before || before.steps.size === 0) return undefined;
  const after = service.holds(lookAtEnd);
  if (!after) return undefined;
  const through = new Set([...before.through, ...after.through]);
  return { ...service, enablingSteps: after.steps, disruptingSteps: before.steps, through };
}

/** Reads a planned value before the first step. */
export const lookBefore: ValueAt = ({ before }) => before;

/** Reads a planned value after the last step. */
export const lookAtEnd: ValueAt = ({ after }) => after;

/** Returns a reader of planned values at the point where exactly the steps with `done(step)` have run. */
export const lookAfter =
  (done: (step: StepId) => boolean): ValueAt =>
  (planned) =>
    planned.step !== undefined && done(planned.step) ? planned.after : planned.before;
