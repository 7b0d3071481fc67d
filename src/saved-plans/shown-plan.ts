import { kindNamed } from "../kinds/index.ts";
import { ofSavedPlan } from "../messages/refusals.ts";
import { kindOf } from "../model/address.ts";
import type { Change, Plan } from "../model/plan.ts";
import type { SavedPlan, SavedResource } from "../model/saved-plan.ts";
import { templateText } from "../model/template-text.ts";
import { approvedHead } from "./plan-hash.ts";

/**
 * Returns the plan that a file holds, with the source of each value that the file does not hold. It takes only what the hash covers, so
 * nothing else can be shown.
 */
export function shownPlan(saved: SavedPlan): Plan {
  const { target, refusals } = approvedHead(saved);
  const declared = new Map(saved.resources.map((resource) => [resource.address, resource]));
  return {
    target,
    steps: saved.steps.map((step) => {
      const resource = step.action === "delete" ? undefined : declared.get(step.address);
      return resource ? { ...step, changes: step.changes.map((change) => withSource(resource, change)) } : step;
    }),
    refusals: refusals.map(ofSavedPlan),
    isSaved: true,
    diagnostics: [],
    unmanaged: [],
    incomplete: [],
    unchanged: 0,
    owned: { addresses: [], preventDestroy: [], exclusive: [] },
    leftOut: [],
    ignoredSpellings: [],
    reads: 0,
    // A refused plan is not approved by a hash.
    hash: refusals.length > 0 ? undefined : saved.hash,
  };
}

function withSource({ address, members = [], ...body }: SavedResource, change: Change): Change {
  const { path, after } = change;
  if (after.is === "value" || after.is === "absent") return change;
  const { members: rules } = kindNamed(kindOf(address));
  const name = rules && path === "value" ? rules.identity : path;
  const sources = [body, ...members].flatMap(({ late }) => {
    const source = Object.hasOwn(late, name) ? late[name] : undefined;
    return source ? [templateText(source.parts)] : [];
  });
  // Which of several hidden values of a set is which is not said.
  return sources.length === 0
    ? change
    : { ...change, after: { ...after, from: [...new Set(sources)].sort().join(" or ") } };
}
