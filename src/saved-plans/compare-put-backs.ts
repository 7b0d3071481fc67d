import type { Address } from "../model/address.ts";
import type { OnServerRejection, Plan, Shown, Step, StepId } from "../model/plan.ts";
import type { SavedOnServerRejection, SavedPlan, SavedStep } from "../model/saved-plan.ts";
import { showValue } from "../plan/shown.ts";
import { canonicalJson } from "./canonical-json.ts";
import { callsNotShown, callText, isWhole } from "./canonical-step.ts";
import type { Difference } from "./describe-difference.ts";

interface Promised {
  readonly end: SavedOnServerRejection;
  readonly by: SavedStep;
}

/**
 * Returns where the remaining steps would not put back what a saved plan shows, in the way that it shows: a promise that they would
 * not keep, or an end of a resource that nobody has seen. What is deleted or made already is no difference. The rule for single changes
 * has no place for it: they may be fewer than shown, and a promise may not.
 */
export function comparePutBacks({ steps }: SavedPlan, remaining: Plan): Difference[] {
  const promised = new Map<Address, Promised>();
  for (const by of steps) for (const end of by.on_refusal ?? []) promised.set(end.address, { end, by });
  const now = new Map<Address, OnServerRejection>();
  for (const { on_refusal: all = [] } of remaining.steps) for (const end of all) now.set(end.address, end);
  const approved = new Map(steps.map((step) => [step.id, step]));
  const left = new Map(remaining.steps.map((step) => [step.id, step]));
  return [...new Set([...promised.keys(), ...now.keys()])].flatMap((address) => {
    const [shown, end] = [promised.get(address), now.get(address)];
    const taker = takerOf(address, shown, left);
    const isUntouched = taker !== undefined && isWhole(approved.get(taker.id), taker);
    if (!end)
      return shown && taker && (taker.action === "delete" || isUntouched) ? [differ(address, shown.end, end)] : [];
    return shown && isShownAs(end, shown.end, isUntouched) ? [] : [differ(address, shown?.end, end)];
  });
}

/** Returns the remaining step that takes away what would be put back, while the step for which it goes remains as well. */
function takerOf(address: Address, shown: Promised | undefined, left: ReadonlyMap<StepId, Step>): Step | undefined {
  if (!shown || !left.has(shown.by.id)) return undefined;
  return left.get(shown.by.address === address && shown.by.action === "update" ? shown.by.id : `delete ${address}`);
}

function isShownAs(end: OnServerRejection, shown: SavedOnServerRejection, isUntouched: boolean): boolean {
  if (end.is === "lost" || shown.is === "lost") return canonicalJson(end) === canonicalJson(shown);
  return (
    callsNotShown(end.calls, shown.calls).length === 0 && (!isUntouched || shown.calls.length === end.calls.length)
  );
}

const differ = (
  address: Address,
  was: SavedOnServerRejection | undefined,
  is: OnServerRejection | undefined,
): Difference => ({
  address,
  sort: "not_in_plan",
  field: "on_refusal",
  was: showEnd(was),
  is: showEnd(is),
});

function showEnd(end: SavedOnServerRejection | undefined): Shown {
  if (!end) return { is: "absent" };
  return showValue(end.is === "lost" ? `lost: ${end.reason}` : `put back by ${end.calls.map(callText).join(", ")}`);
}
