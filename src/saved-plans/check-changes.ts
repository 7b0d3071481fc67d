import { mayBeRenamed, withoutReferences } from "../kinds/derived/references.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { kindOf } from "../model/address.ts";
import type { Change } from "../model/plan.ts";
import type { Fields, Resource } from "../model/resource.ts";
import type { SavedPlan, SavedStep } from "../model/saved-plan.ts";
import { showValue } from "../plan/shown.ts";
import { isSame } from "./canonical-json.ts";
import { isWritable } from "./fingerprint.ts";
import { desiredOf } from "./portable-desired.ts";
import { isHidden, isShownSame, showDeclared } from "./show-declared.ts";

/**
 * Returns where a step of a file shows something else than what the file declares, or has seen, as a sentence; undefined if all agrees.
 * What is shown is what a person approves: a value must not be hidden as secret, or as not known yet, which the file holds.
 */
export function wrongChanges(saved: SavedPlan): string | undefined {
  const { steps, seen } = saved;
  const { resources } = desiredOf(saved, () => ({ missing: "" }));
  const objects = new Map(seen.map((each) => [each.address, each.objects]));
  const detachings = new Map(steps.flatMap((step) => (step.detaches ? [[step.address, step] as const] : [])));
  for (const step of steps) {
    const { address } = step;
    const odd = oddChange({
      kind: kindNamed(kindOf(address)),
      step,
      detaching: detachings.get(address),
      resource: resources.get(address),
      seen: objects.get(address) ?? [],
    });
    if (odd) return `the step for ${address} shows another ${JSON.stringify(odd.path)} than it declares`;
  }
  return undefined;
}

interface Known {
  readonly kind: Kind;
  readonly step: SavedStep;
  /** The step that lets go of what this one sets again. */
  readonly detaching: SavedStep | undefined;
  readonly resource: Resource | undefined;
  readonly seen: readonly Fields[];
}

function oddChange(known: Known): Change | undefined {
  const { kind, step, resource } = known;
  const unknown = step.changes.find(
    ({ path }) => !Object.hasOwn(kind.fields, path) && !(kind.members && path === "value"),
  );
  if (unknown) return unknown;
  if (step.action === "delete" || !resource)
    return step.changes.find(({ after }) => after.is !== "absent") ?? oddBefore(known);
  if (kind.members) return oddMember(kind, kind.members, resource, known);
  if (step.detaches) return step.changes.find((change) => !isDetached(known, resource, change)) ?? oddBefore(known);
  return step.changes.find((change) => !isAfter(known, resource, change)) ?? oddBefore(known);
}

/** What is detached for a while is set again by the other step, as the file declares it. */
const isDetached = ({ kind, seen: [was] }: Known, { key }: Resource, { path, after }: Change) =>
  was !== undefined && path in withoutReferences(kind, key, was, () => true) && after.is !== "absent";

function isAfter({ kind, step, seen: [was] }: Known, resource: Resource, change: Change): boolean {
  const { path, after } = change;
  // The names that others really have on the server are known only there.
  if (mayBeRenamed(kind) && after.is === "value") return true;
  if (resource.fields[path]) return isDeclared(kind, resource, change);
  if (step.action === "renew") return path === kind.renewal?.expires;
  // What is made anew keeps what the manifest does not say.
  if (step.action !== "create" && change.carried !== true) return false;
  if (isNotCarried(change)) return step.action === "create" && was !== undefined;
  return after.is === "value" ? isSame(after.value, was?.[path]) : after.is === "sensitive" && was !== undefined;
}

/** Whether a step shows a value that is declared; the value of a reference may be known when the plan is made. */
const isDeclared = (kind: Kind, resource: Resource, { path, after }: Change) =>
  showDeclared(kind, resource, path).some((shown) =>
    shown.is === "known_after_apply" ? after.is !== "absent" : isShownSame(shown, after),
  );

const isNotCarried = ({ notCarried, after }: Change) => notCarried !== undefined && after.is === "known_after_apply";

/** What was there is told twice: as it is shown, and as it is compared with what will be there. Of a set only the whole is compared. */
function oddBefore({ kind, step, detaching, seen: [was] }: Known): Change | undefined {
  if (kind.members) return undefined;
  const meanwhile = step.detaches ? undefined : detaching;
  return step.changes.find(({ path, before }) => {
    if (before.is !== "value" || !isWritable(kind, path)) return false;
    const detached = meanwhile?.changes.find((change) => change.path === path)?.after;
    if (detached) return detached.is !== "value" || !isSame(before.value, detached.value);
    return !(was && isSame(before.value, was[path]));
  });
}

/** Each value that is shown is one of the set's, and no more are hidden than come from elsewhere. */
function oddMember(kind: Kind, { shared }: Members, resource: Resource, { step, seen }: Known): Change | undefined {
  const hidden = step.changes.filter(({ path, after }) => path === "value" && isHidden(after));
  if (hidden.length > showDeclared(kind, resource, "value").filter(isHidden).length) return hidden[0];
  return step.changes.find((change) => {
    const { path, after } = change;
    if (path === "value" && after.is === "absent") return false;
    // A value that all share may be that of one that is there.
    const isKept = shared.includes(path) && seen.some((was) => isShownSame(showValue(was[path]), after));
    return !(isKept && after.is !== "absent") && !isDeclared(kind, resource, change);
  });
}
