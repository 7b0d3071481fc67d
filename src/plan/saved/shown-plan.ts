import type { HttpCall } from "../../model/http-call.ts";
import type { Plan } from "../../model/plan.ts";
import type { SavedPlan } from "../../model/saved-plan.ts";

/** A saved plan as any plan is shown. It cannot be run: its calls say only of which sort they are. */
export function shownPlan({ target, steps, refusals, hash }: SavedPlan): Plan {
  return {
    target,
    steps: steps.map((step) => ({ ...step, calls: step.calls.map(outline) })),
    refusals,
    diagnostics: [],
    unmanaged: [],
    incomplete: [],
    unchanged: 0,
    owned: { addresses: [], preventDestroy: [], exclusive: [] },
    leftOut: [],
    ignoredSpellings: [],
    reads: 0,
    hash,
  };
}

const outline = (call: { readonly method: string; readonly path: string }): HttpCall => ({
  operation: "delete",
  ...call,
  params: {},
  query: {},
  etag: undefined,
});
