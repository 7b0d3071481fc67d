import { locate } from "../kinds/derived/locate.ts";
import { withoutOrder } from "../model/json.ts";
import type { Change } from "../model/plan.ts";
import type { SavedBody, SavedCall, SavedResource, SavedSource, SavedStep } from "../model/saved-plan.ts";
import { canonicalJson, inOrder, isSame, sortedCanonically } from "./canonical-json.ts";

type CanonicalSource = Pick<SavedSource, "parts" | "sensitive">;
type CanonicalBody = readonly [SavedBody["fields"], Readonly<Record<string, CanonicalSource>>, SavedBody["written"]?];

interface CanonicalStep extends Omit<SavedStep, "id" | "calls" | "after" | "reason" | "origin" | "gaps" | "at"> {
  readonly declared?: CanonicalBody;
  readonly members?: readonly CanonicalBody[];
}

/** Returns a step with its single changes in order, and what it declares: of a set the shared body first, then each member's. */
export function canonicalStep(
  { address, action, replaces, purchase, changes, detaches, takesAlong = [], on_refusal: ends }: SavedStep,
  resource: SavedResource | undefined,
): CanonicalStep {
  // With sorted keys no copy has to be made for the canonical JSON.
  const shown = {
    action,
    address,
    changes: canonicalChanges(changes),
    ...(detaches && { detaches }),
    ...(ends && { on_refusal: sortedCanonically(ends) }),
    purchase,
    replaces,
    ...(takesAlong.length > 0 && { takesAlong: inOrder(takesAlong) }),
  };
  if (!resource || action === "delete") return shown;
  const { members } = locate(address).kind;
  // Of a single object only what changes is sent from where it comes; what does not is no part of this plan.
  const sent = new Set(changes.map(({ path }) => path));
  const isSent = (field: string) => members !== undefined || sent.has(field);
  return {
    ...shown,
    declared: canonicalBody(resource, isSent),
    ...(members && {
      members: sortedCanonically((resource.members ?? []).map((each) => canonicalBody(each, isSent))),
    }),
  };
}

function canonicalBody({ fields, late, written = {} }: SavedBody, isSent: (field: string) => boolean): CanonicalBody {
  const sources = Object.fromEntries(
    Object.entries(late).flatMap(([name, { parts, sensitive }]) =>
      isSent(name) ? [[name, { parts, sensitive }]] : [],
    ),
  );
  const spelt = Object.entries(written).flatMap(([name, value]) => {
    const sent = withoutOrder(value);
    return isSame(sent, withoutOrder(fields[name] ?? null)) ? [] : [[name, sent] as const];
  });
  return spelt.length > 0 ? [fields, sources, Object.fromEntries(spelt)] : [fields, sources];
}

function canonicalChanges(changes: readonly Change[]): readonly Change[] {
  // Only those of one path, such as the values of a set, need their texts compared.
  const isEach = new Set(changes.map(({ path }) => path)).size === changes.length;
  return (isEach ? changes : sortedCanonically(changes)).toSorted((a, b) =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0,
  );
}

/** Returns a step as a text: steps that the hash of a plan does not tell apart have equal texts. `resource`: what it brings about. */
export const stepText = (step: SavedStep, resource: SavedResource | undefined): string =>
  canonicalJson(canonicalStep(step, resource));

type Changing = Pick<SavedStep, "id" | "changes">;

/** Whether all of an approved step remains: a step of which a part is done has fewer changes, or other ones. */
export const isWhole = (approved: Changing | undefined, step: Changing): boolean =>
  approved?.id === step.id &&
  canonicalJson(canonicalChanges(approved.changes)) === canonicalJson(canonicalChanges(step.changes));

/** Returns a call as a text. */
export const callText = ({ method, path }: SavedCall): string => `${method} ${path}`;

/** Returns the calls, as texts, that are not among those shown, each of which stands for one call. */
export function callsNotShown(calls: readonly SavedCall[], shown: readonly SavedCall[]): string[] {
  const left = shown.map(callText);
  return calls.map(callText).filter((call) => {
    const index = left.indexOf(call);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}
