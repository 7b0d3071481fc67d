import { kindNamed } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { withoutOrder, type Json } from "../model/json.ts";
import type { Change, Outage, Step, StepId } from "../model/plan.ts";
import type { SavedBody, SavedResource, SavedSource } from "../model/saved-plan.ts";

type CanonicalSource = Pick<SavedSource, "parts" | "sensitive">;
type CanonicalBody = readonly [SavedBody["fields"], Readonly<Record<string, CanonicalSource>>, SavedBody["written"]?];

/**
 * One statement of a plan about one address. The hash of a plan is over its lines, `show` prints no others, and each line of what an
 * apply would do must be among the approved ones.
 */
export type Line =
  | ({ readonly is: "step" } & Pick<Step, "action" | "replaces" | "purchase" | "detaches" | "takesAlong">)
  | { readonly is: "order"; readonly after: readonly StepId[]; readonly gaps: readonly Outage[] }
  | ({ readonly is: "change" } & Change)
  | { readonly is: "call"; readonly method: string; readonly path: string }
  | { readonly is: "put_back"; readonly of: Address; readonly method: string; readonly path: string }
  | { readonly is: "lost"; readonly of: Address; readonly reason: string }
  | { readonly is: "declares"; readonly body: CanonicalBody; readonly members?: readonly CanonicalBody[] };

/** Returns the lines of a step (save-step.ts). `resource`: what it brings about, for the line of what that declares. */
export function linesOf(
  { action, address, after, calls, changes, detaches, gaps = [], on_refusal: ends = [], ...step }: Step,
  resource?: SavedResource,
): Line[] {
  const { purchase, replaces, takesAlong } = step;
  return [
    { is: "step", action, replaces, purchase, ...(detaches && { detaches }), ...(takesAlong && { takesAlong }) },
    { is: "order", after, gaps },
    ...changes.map((change): Line => ({ is: "change", ...change })),
    ...calls.map(({ method, path }): Line => ({ is: "call", method, path })),
    ...ends.flatMap((end): Line[] =>
      end.is === "lost"
        ? [{ is: "lost", of: end.address, reason: end.reason }]
        : end.calls.map(({ method, path }) => ({ is: "put_back", of: end.address, method, path })),
    ),
    ...(resource && action !== "delete" ? [declares(address, changes, resource)] : []),
  ];
}

/** Says all that a resource declares: of a set the shared body first, then each member's. */
function declares(address: Address, changes: readonly Change[], resource: SavedResource): Line {
  const { members } = kindNamed(kindOf(address));
  // Of a single object only what changes is sent from where it comes; what does not change is not part of this plan.
  const sent = new Set(changes.map(({ path }) => path));
  const bodyOf = (body: SavedBody) => canonicalBody(body, (field) => members !== undefined || sent.has(field));
  return {
    is: "declares",
    body: bodyOf(resource),
    ...(members && { members: sortedCanonically((resource.members ?? []).map(bodyOf)) }),
  };
}

function canonicalBody({ fields, late, written = {} }: SavedBody, isSent: (field: string) => boolean): CanonicalBody {
  const sources = Object.fromEntries(
    Object.entries(late).flatMap(([name, { parts, sensitive }]) =>
      isSent(name) ? [[name, { parts, sensitive }]] : [],
    ),
  );
  const respelled = Object.entries(written).flatMap(([name, value]) => {
    const sent = withoutOrder(value);
    return isSame(sent, withoutOrder(fields[name] ?? null)) ? [] : [[name, sent] as const];
  });
  return respelled.length > 0 ? [fields, sources, Object.fromEntries(respelled)] : [fields, sources];
}

/** Returns a value as JSON with the keys of every object sorted: equal values have equal texts. Undefined members are left out. */
export const canonicalJson = (value: unknown): string => JSON.stringify(withKeysInOrder(value));

function withKeysInOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withKeysInOrder);
  const keys = Object.keys(value).sort();
  return Object.fromEntries(
    keys.map((key) => [key, withKeysInOrder((value as Readonly<Record<string, unknown>>)[key])]),
  );
}

/** Whether two values are the same; a missing value counts as null, as it does for servers. */
export const isSame = (a: Json | undefined, b: Json | undefined): boolean =>
  (a ?? null) === (b ?? null) || canonicalJson(a ?? null) === canonicalJson(b ?? null);

/** The values sorted by their canonical text, for lists whose order means nothing. */
export function sortedCanonically<T>(values: readonly T[]): T[] {
  if (values.length < 2) return [...values];
  const byText = values.map((value) => [canonicalJson(value), value] as const);
  return byText.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, value]) => value);
}

/** Returns each text once, sorted: for lists of texts whose order means nothing. */
export const inOrder = <T extends string>(texts: readonly T[]): readonly T[] =>
  texts.length < 2 ? texts : [...new Set(texts)].sort();
