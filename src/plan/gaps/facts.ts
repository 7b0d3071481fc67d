import type { StepId } from "../../model/plan.ts";

/** Something that a plan may change: how it is before and after, and by which step. Without a step it stays as it is. */
export interface Fact<T> {
  readonly before: T;
  readonly after: T;
  readonly step: StepId | undefined;
  /** How it is while the step runs, where that is neither: a value that is taken away before its successor is made. */
  readonly during?: T;
}

/** How a fact is seen at some moment of a plan. */
export type Look = <T>(fact: Fact<T>) => T;

/** Something that people rely on: whether it holds at a moment, and what it is told as. */
export interface Reliance {
  readonly name: string;
  /** A DNS type; absent for what has none, such as a mail address. */
  readonly type?: string;
  /** Whether it holds at the moment of `look`. `through` is told of each name that the answer comes from, where it is not `name` itself. */
  readonly holds: (look: Look, through: (name: string) => void) => boolean;
}

/** A reliance that holds before the plan and after it, and that some of the steps could break in between. */
export interface Continuity extends Reliance {
  /** Steps that make what it rests on afterwards: while each of these comes first, it never breaks. */
  readonly makers: ReadonlySet<StepId>;
  /** Steps that take away what it rests on before. */
  readonly breakers: ReadonlySet<StepId>;
  readonly through: ReadonlySet<string>;
}

/** What the reliance rests on before and after; undefined where it does not hold at both times, or no step touches it. */
export function continuityOf(reliance: Reliance): Continuity | undefined {
  const through = new Set<string>();
  const trace = (side: "before" | "after") => {
    const touching = new Set<StepId>();
    const look: Look = (fact) => {
      if (fact.step !== undefined) touching.add(fact.step);
      return fact[side];
    };
    return reliance.holds(look, (name) => through.add(name)) ? touching : undefined;
  };
  const breakers = trace("before");
  if (!breakers || breakers.size === 0) return undefined;
  const makers = trace("after");
  return makers && { ...reliance, makers, breakers, through };
}

/** How facts are once the steps of which `done` is true have run, and no other. */
export const lookAfter =
  (done: (step: StepId) => boolean): Look =>
  (fact) =>
    fact.step !== undefined && done(fact.step) ? fact.after : fact.before;
