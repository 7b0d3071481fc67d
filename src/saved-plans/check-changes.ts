import { mayBeRenamed, withoutReferences } from "../kinds/derived/references.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind, Members } from "../kinds/kind.ts";
import { kindOf } from "../model/address.ts";
import type { Change, Shown } from "../model/plan.ts";
import type { Fields } from "../model/resource.ts";
import type { SavedBody, SavedPlan, SavedResource, SavedStep } from "../model/saved-plan.ts";
import { showMember } from "../plan/plan-members.ts";
import { isSame } from "./canonical-json.ts";
import { isWritable } from "./fingerprint.ts";

/**
 * Where a step of a file shows something else than what the file declares, or has seen, in one sentence; undefined where all agrees.
 * What is shown is what a person approves: a value must not be hidden as secret, or as not known yet, which the file holds.
 */
export function wrongChanges({ steps, resources, seen }: SavedPlan): string | undefined {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const objects = new Map(seen.map((each) => [each.address, each.objects]));
  const wrong = steps.flatMap((step) => {
    const kind = kindNamed(kindOf(step.address));
    const detaching = steps.find(({ address, detaches }) => address === step.address && detaches === true);
    const known = {
      kind,
      step,
      detaching,
      resource: declared.get(step.address),
      seen: objects.get(step.address) ?? [],
    };
    const odd = oddChange(known);
    return odd ? [`the step for ${step.address} shows another ${JSON.stringify(odd.path)} than it declares`] : [];
  });
  return wrong[0];
}

interface Known {
  readonly kind: Kind;
  readonly step: SavedStep;
  /** The step that lets go of what this one sets again. */
  readonly detaching: SavedStep | undefined;
  readonly resource: SavedResource | undefined;
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
  if (kind.members) return oddMember(kind.members, step, resource, known.seen);
  if (step.detaches) return step.changes.find((change) => !isDetached(known, resource, change)) ?? oddBefore(known);
  return step.changes.find((change) => !isAfter(known, resource, change)) ?? oddBefore(known);
}

/** What is detached for a while is set again by the other step, as the file declares it. */
const isDetached = ({ kind, seen: [was] }: Known, { key }: SavedResource, { path, after }: Change) =>
  was !== undefined && path in withoutReferences(kind, key, was, () => true) && after.is !== "absent";

function isAfter({ kind, step, seen: [was] }: Known, resource: SavedResource, change: Change): boolean {
  const { path, after } = change;
  // The names that others really have on the server are known only there.
  if (mayBeRenamed(kind) && after.is === "value") return true;
  if (resource.fields[path] !== undefined || resource.late[path]) return isDeclared(resource, path, after);
  if (step.action === "renew") return path === kind.renewal?.expires;
  // What is made anew keeps what the manifest does not say.
  if (step.action !== "create" && change.carried !== true) return false;
  if (isNotCarried(change)) return step.action === "create" && was !== undefined;
  return after.is === "value" ? isSame(after.value, was?.[path]) : after.is === "sensitive" && was !== undefined;
}

function isDeclared({ fields, late }: SavedBody, path: string, after: Shown): boolean {
  const source = late[path];
  if (source) return source.sensitive ? after.is === "sensitive" : after.is !== "absent";
  return after.is === "value" && fields[path] !== undefined && isSame(after.value, fields[path]);
}

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
function oddMember(
  rules: Members,
  { changes }: SavedStep,
  resource: SavedResource,
  seen: readonly Fields[],
): Change | undefined {
  const all = (resource.members ?? []).map(({ fields, late }) => ({
    fields: { ...rules.always, ...resource.fields, ...fields },
    late: { ...resource.late, ...late },
  }));
  const hidden = changes.filter(({ path, after }) => path === "value" && isHidden(after));
  const elsewhere = all.filter(({ late }) => late[rules.identity]);
  if (hidden.length > elsewhere.length) return hidden[0];
  return changes.find(({ path, after }) => {
    if (path === "value") return after.is !== "absent" && !all.some((each) => isMember(rules, each, after));
    // A value that all share may be that of one that is there.
    const inherited =
      rules.shared.includes(path) && seen.some((was) => isDeclared({ fields: was, late: {} }, path, after));
    return !inherited && !all.some((each) => isDeclared(each, path, after));
  });
}

const isHidden = ({ is }: Shown) => is === "sensitive" || is === "known_after_apply";

function isMember(rules: Members, body: SavedBody, after: Shown): boolean {
  if (body.late[rules.identity]) return isDeclared(body, rules.identity, after);
  const shown = showMember(rules, body.fields);
  return after.is === "value" && shown.is === "value" && isSame(shown.value, after.value);
}
