import { kindNamed } from "../kinds/index.ts";
import { kindOf } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Change, Shown, Step } from "../model/plan.ts";
import type { Resource } from "../model/resource.ts";
import type { PlanFile, SavedCall, SavedStep } from "../model/saved-plan.ts";

/** Returns a step as an approval covers it. `secret`: fields whose values are masked, as is each value that `holdsSecret`. */
export function saveStep(
  { calls, on_refusal: refusals, reason: _reason, origin: _origin, at: _at, ...step }: Step,
  declared: Resource | undefined,
  secret: ReadonlySet<string>,
  holdsSecret: (value: Json) => boolean,
): SavedStep {
  const { members } = kindNamed(kindOf(step.address));
  const isSecret = (path: string) => secret.has(members !== undefined && path === "value" ? members.identity : path);
  const mask = (path: string, shown: Shown): Shown =>
    shown.is === "value" && (isSecret(path) || holdsSecret(shown.value)) ? { is: "sensitive" } : shown;
  // A value that the file declares is shown as the file has it, or the plan would hide its effect.
  const isDeclared = (path: string) => members !== undefined || declared?.fields[path] !== undefined;
  return {
    ...step,
    changes: step.changes.map((change) => ({
      ...change,
      before: mask(change.path, change.before),
      after: isDeclared(change.path) ? change.after : mask(change.path, change.after),
    })),
    calls: calls.map(saveCall),
    ...(refusals && {
      on_refusal: refusals.map((each) => (each.is === "lost" ? each : { ...each, calls: each.calls.map(saveCall) })),
    }),
  };
}

const saveCall = ({ method, path }: SavedCall): SavedCall => ({ method, path });

/** Returns a step of an undo with the old value of an added field as one that the server gives to what the other plan makes. */
export const fromServer = ({ undo }: Pick<PlanFile, "undo">, step: SavedStep): SavedStep =>
  undo && (step.action === "update" || step.replaces) && kindNamed(kindOf(step.address)).members === undefined
    ? { ...step, changes: step.changes.map(withServerValue) }
    : step;

const withServerValue = (change: Change): Change =>
  change.before.is === "absent" && change.after.is !== "absent"
    ? { ...change, before: { is: "known_after_apply" } }
    : change;
