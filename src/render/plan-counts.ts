import type { Plan } from "../model/plan.ts";

/** How many resources a plan adds, changes and destroys; a replace counts as one of each. */
export function countSteps({ steps }: Plan): { add: number; change: number; destroy: number; purchase: number } {
  const count = (action: string) => steps.filter((step) => step.action === action).length;
  return {
    add: count("create"),
    change: count("update") + count("renew"),
    destroy: count("delete"),
    purchase: steps.filter(({ purchase }) => purchase).length,
  };
}

const methods = ["POST", "PUT", "PATCH", "DELETE"];

/** How many requests a plan makes, by method: those that make, change and remove, in this order. */
export function countCalls({ steps }: Plan): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method } of steps.flatMap(({ calls }) => calls)) counts[method] = (counts[method] ?? 0) + 1;
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => methods.indexOf(a) - methods.indexOf(b)));
}
