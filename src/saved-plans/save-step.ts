import { kindNamed } from "../kinds/index.ts";
import { kindOf } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Change, Shown, Step } from "../model/plan.ts";
import type { StepReason } from "../messages/step-reasons.ts";
import type { Resource } from "../model/resource.ts";
import { detachId } from "../plan/plan-replace.ts";
import { inOrder, sortedCanonically } from "./lines.ts";

/**
 * Returns a step as an approval covers it, with all in order whose order means nothing. `secret`: fields whose values are masked, as is
 * each value that `holdsSecret`.
 */
export function saveStep(
  { on_refusal: ends, origin: _origin, at: _at, takesAlong = [], ...step }: Step,
  declared: Resource | undefined,
  secret: ReadonlySet<string>,
  holdsSecret: (value: Json) => boolean,
): Step {
  const { members } = kindNamed(kindOf(step.address));
  const isSecret = (path: string) => secret.has(members !== undefined && path === "value" ? members.identity : path);
  const mask = (path: string, shown: Shown): Shown =>
    shown.is === "value" && (isSecret(path) || holdsSecret(shown.value)) ? { is: "sensitive" } : shown;
  // A value that the file declares is shown in the form of the file, or the plan would hide its effect.
  const isDeclared = (path: string) => members !== undefined || declared?.fields[path] !== undefined;
  const changes = step.changes.map((change) => ({
    ...change,
    before: mask(change.path, change.before),
    after: isDeclared(change.path) ? change.after : mask(change.path, change.after),
  }));
  return {
    ...step,
    changes: changesInOrder(changes),
    after: inOrder(step.after),
    ...(takesAlong.length > 0 && { takesAlong: inOrder(takesAlong) }),
    ...(ends && { on_refusal: sortedCanonically(ends) }),
  };
}

const changesInOrder = (changes: readonly Change[]): readonly Change[] =>
  sortedCanonically(changes).toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));

/**
 * Returns a step of a file with the reason that follows from its changes. The old value of an added field is one that the server gives
 * to what the other plan makes, where the file is an undo.
 */
export function asInFile(undo: boolean, step: Step): Step {
  const isServers = undo && (step.action === "update" || step.replaces) && !kindNamed(kindOf(step.address)).members;
  const changes = isServers ? step.changes.map(withServerValue) : step.changes;
  return { ...step, changes, reason: reasonOf(undo, { ...step, changes }) };
}

const withServerValue = (change: Change): Change =>
  change.before.is === "absent" && change.after.is !== "absent"
    ? { ...change, before: { is: "known_after_apply" } }
    : change;

function reasonOf(undo: boolean, { action, address, after, changes, detaches, replaces }: Step): StepReason {
  if (detaches) return { is: "reference_detached" };
  if (after.includes(detachId(address))) return { is: "reference_restored" };
  if (undo) return { is: "undo" };
  if (replaces || action !== "update") return { is: "in_saved_plan" };
  // A secret that is sent again is shown as a change from one secret to another.
  const differing = changes.filter(
    ({ before, after: to, carried }) => carried !== true && (before.is !== "sensitive" || to.is !== "sensitive"),
  );
  const names = [...new Set(differing.map(({ path }) => path))];
  return names.length === 0 ? { is: "secret_sent_again" } : { is: "fields_differ", fields: names };
}
