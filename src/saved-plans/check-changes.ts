import { mayBeRenamed, withoutReferences } from "../kinds/derived/references.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Change } from "../model/plan.ts";
import type { Resource } from "../model/resource.ts";
import type { SavedPlan, SavedStep } from "../model/saved-plan.ts";
import { approvalsOf, isKept, type Approval } from "./approval.ts";
import { isSame } from "./canonical-json.ts";
import { isWritable } from "./fingerprint.ts";
import { desiredOf } from "./portable-desired.ts";
import { isHidden, isShownSame, showDeclared } from "./show-declared.ts";

/**
 * Returns where a step of a file shows something else than what the file declares, or has seen, as a sentence; undefined if all agrees.
 * A person approves the values that are shown: a value must not be hidden as secret, or as not known yet, which the file holds. An apply
 * compares the changes that remain with those shown; here there is no API yet, so those shown are compared with the states between which they lead.
 */
export function wrongChanges(saved: SavedPlan): string | undefined {
  const approvalAt = approvalsOf(
    saved,
    desiredOf(saved, () => ({ missing: "" })),
  );
  for (const step of saved.steps) {
    const odd = oddChange(approvalAt(step.address), step);
    if (odd) return `the step for ${step.address} shows another ${JSON.stringify(odd.path)} than it declares`;
  }
  return undefined;
}

function oddChange(approval: Approval, step: SavedStep): Change | undefined {
  const { kind, declared } = approval;
  const { changes } = step;
  const unknown = changes.find(({ path }) => !Object.hasOwn(kind.fields, path) && !(kind.members && path === "value"));
  if (unknown) return unknown;
  if (step.action === "delete" || !declared)
    return changes.find(({ after }) => after.is !== "absent") ?? oddBefore(approval, step);
  if (kind.members) return oddMember(approval, declared, changes);
  const isAsDeclared = step.detaches ? isDetached : isAfter;
  return changes.find((change) => !isAsDeclared(approval, declared, step, change)) ?? oddBefore(approval, step);
}

type IsAsDeclared = (approval: Approval, declared: Resource, step: SavedStep, change: Change) => boolean;

/** Tells whether a change detaches a reference for a while; the other step sets it again, as the file declares it. */
const isDetached: IsAsDeclared = ({ kind, seen: [was] }, { key }, _step, { path, after }) =>
  was !== undefined && path in withoutReferences(kind, key, was, () => true) && after.is !== "absent";

const isAfter: IsAsDeclared = ({ kind, seen: [was] }, declared, { action }, change) => {
  const { path, after, carried, notCarried } = change;
  // The names that others really have on the server are known only there.
  if (mayBeRenamed(kind) && after.is === "value") return true;
  if (declared.fields[path]) return isDeclared(kind, declared, change);
  if (action === "renew") return path === kind.renewal?.expires;
  // An object that is made anew keeps the values of which the manifest says nothing.
  if (action !== "create" && carried !== true) return false;
  if (notCarried !== undefined && after.is === "known_after_apply") return action === "create" && was !== undefined;
  return after.is === "value" ? isSame(after.value, was?.[path]) : after.is === "sensitive" && was !== undefined;
};

/** Whether a step shows a value that is declared; the value of a reference may be known when the plan is made. */
const isDeclared = (kind: Kind, declared: Resource, { path, after }: Change) =>
  showDeclared(kind, declared, path).some((shown) =>
    shown.is === "known_after_apply" ? after.is !== "absent" : isShownSame(shown, after),
  );

/** Finds a change whose old value, as shown, is not the one to compare with: the file tells both. Of a set only the whole is compared. */
function oddBefore({ kind, steps, seen: [was] }: Approval, step: SavedStep): Change | undefined {
  if (kind.members) return undefined;
  const meanwhile = step.detaches ? undefined : steps.findLast(({ detaches }) => detaches);
  return step.changes.find(({ path, before }) => {
    if (before.is !== "value" || !isWritable(kind, path)) return false;
    const detached = meanwhile?.changes.find((change) => change.path === path)?.after;
    if (detached) return detached.is !== "value" || !isSame(before.value, detached.value);
    return !(was && isSame(before.value, was[path]));
  });
}

/** Each value that is shown is one of the set's, and no more are hidden than come from elsewhere. */
function oddMember(approval: Approval, declared: Resource, changes: readonly Change[]): Change | undefined {
  const { kind } = approval;
  const hidden = changes.filter(({ path, after }) => path === "value" && isHidden(after));
  if (hidden.length > showDeclared(kind, declared, "value").filter(isHidden).length) return hidden[0];
  return changes.find((change) => {
    const { path, after } = change;
    if (path === "value" && after.is === "absent") return false;
    return !isKept(approval, path, after) && !isDeclared(kind, declared, change);
  });
}
