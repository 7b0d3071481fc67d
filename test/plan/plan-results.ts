import type { Plan, Step } from "../../src/model/plan.ts";

/** The ids of the steps, in order. */
export const ids = ({ steps }: Plan) => steps.map(({ id }) => id);

/** The codes of the refusals, in order. */
export const codes = ({ refusals }: Plan) => refusals.map(({ code }) => code);

/** The codes of the diagnostics, in order. */
export const told = ({ diagnostics }: Plan) => diagnostics.map(({ code }) => code);

/** The step of a plan that has just one. Throws where it has another number. */
export const only = ({ steps }: Plan): Step => {
  const [step, ...more] = steps;
  if (!step || more.length > 0) throw new Error(`Expected one step, got ${steps.length}`);
  return step;
};
