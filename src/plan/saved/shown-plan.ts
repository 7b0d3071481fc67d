import type { HttpCall } from "../../model/http-call.ts";
import { kindNamed } from "../../kinds/index.ts";
import { kindOf } from "../../model/address.ts";
import type { Change, Plan } from "../../model/plan.ts";
import type { Part } from "../../model/resource.ts";
import type { SavedPlan, SavedResource } from "../../model/saved-plan.ts";

/**
 * A saved plan as any plan is shown, and where each value that it does not hold comes from. It cannot be run: its calls say only of
 * which sort they are.
 */
export function shownPlan({ target, steps, resources, refusals, hash }: SavedPlan): Plan {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return {
    target,
    steps: steps.map((step) => ({
      ...step,
      changes: step.changes.map((change) => withSource(declared.get(step.address), change)),
      calls: step.calls.map(outline),
    })),
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

function withSource(resource: SavedResource | undefined, change: Change): Change {
  const { path, after } = change;
  if (!resource || after.is === "value" || after.is === "absent") return change;
  const { members } = kindNamed(kindOf(resource.address));
  const name = members && path === "value" ? members.identity : path;
  const sources = [resource, ...(resource.members ?? [])].flatMap(({ late }) => {
    const source = Object.hasOwn(late, name) ? late[name] : undefined;
    return source ? [written(source.parts)] : [];
  });
  // Which of several hidden values of a set is which is not told.
  return sources.length === 0 ? change : { ...change, after: { ...after, from: [...new Set(sources)].join(" or ") } };
}

/** Parts as a manifest would have them. */
const written = (parts: readonly Part[]) => parts.map(writtenPart).join("");

function writtenPart(part: Part): string {
  if (typeof part === "string") return part.replaceAll("${", () => "$${");
  if ("ref" in part) return `\${ref:${part.ref}.${part.field}}`;
  return "env" in part ? `\${env:${part.env}}` : `\${file:${part.file}}`;
}

const outline = (call: { readonly method: string; readonly path: string }): HttpCall => ({
  operation: "delete",
  ...call,
  params: {},
  query: {},
  etag: undefined,
});
