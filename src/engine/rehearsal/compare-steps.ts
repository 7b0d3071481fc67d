import { locate } from "../../kinds/derived/locate.ts";
import type { Address } from "../../model/address.ts";
import type { StepId } from "../../model/plan.ts";
import type { SavedPlan, SavedStep } from "../../model/saved-plan.ts";
import { stepText } from "../../saved-plans/canonical-step.ts";

/** The steps that are not the same in both plans, or only in one, by the rule of a plan's hash; the target does not count. */
export function differingSteps(planned: SavedPlan, rehearsed: SavedPlan): StepId[] {
  const told = new Map(planned.steps.map((step) => [step.id, step]));
  const comparable = rehearsed.steps.map((step) => asTold(step, told.get(step.id)));
  const [ours, theirs] = [texts(planned.steps, planned), texts(comparable, planned)];
  return [...new Set([...ours.keys(), ...theirs.keys()])].filter((id) => ours.get(id) !== theirs.get(id));
}

/** A resource that is deleted or created again is shown with all its fields: without the fields that the real API does not tell and the embedded service does. */
function asTold(step: SavedStep, planned: SavedStep | undefined): SavedStep {
  if (!planned || (step.action !== "delete" && !step.replaces)) return step;
  const told = new Set(planned.changes.map(({ path }) => path));
  return { ...step, changes: step.changes.filter(({ path }) => told.has(path)) };
}

function texts(steps: readonly SavedStep[], { resources }: SavedPlan): Map<StepId, string> {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return new Map(steps.map((step) => [step.id, stepText(asEveryApi(step), declared.get(step.address))]));
}

/**
 * A step without what each API has of its own: what puts back what is deleted for it (an API that writes sets deletes nothing), and the
 * records that every zone has, which go with it.
 */
function asEveryApi({ on_refusal: _putBacks, takesAlong, ...step }: SavedStep): SavedStep {
  return takesAlong ? { ...step, takesAlong: takesAlong.filter((address) => !isOfEach(address)) } : step;
}

function isOfEach(address: Address): boolean {
  const { kind, key } = locate(address);
  return kind.serverMade?.mayBeOwn?.(key) === true;
}
