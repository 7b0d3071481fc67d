import { spelling } from "../contract/body-values.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { isReference, knownValues, openFields, partsOf, pickValues } from "../model/body.ts";
import type { Json } from "../model/json.ts";
import type { Body, Desired, Lifecycle, TemplatePart, Resource, Value } from "../model/resource.ts";
import type { SavedBody, SavedPlan, SavedResource } from "../model/saved-plan.ts";
import { sealSecret } from "../model/secret.ts";

/** Why a value is not there, or the value behind the parts of a late one. */
export type ResolveParts = (parts: readonly TemplatePart[]) => { readonly value: Json } | { readonly missing: string };

/** A resource as a file may hold it: no value that came from outside, and no secret that the manifest writes out. */
export function saveResource({ address, key, members, lifecycle, at, ...body }: Resource): SavedResource {
  const kind = kindNamed(kindOf(address));
  return {
    address,
    key,
    ...saveBody(kind, key, body),
    ...(members && { members: members.map((member) => saveBody(kind, key, member)) }),
    ...(lifecycle && { lifecycle }),
    at,
  };
}

/** The fields that a resource declares as secrets written out in the manifest: they cannot be saved. */
export const plainSecrets = ({ fields }: Resource): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value.is === "secret" && !value.parts ? [name] : []));

function saveBody(kind: Kind, key: Resource["key"], { fields }: Body): SavedBody {
  const named = pickValues(fields, (name) => fields[name]?.is === "known");
  const spelt = spelling(kind, key, named);
  const late = Object.entries(fields).flatMap(([name, value]) => {
    const parts = partsOf(value);
    return parts ? [[name, { parts, sensitive: value.is === "secret" }] as const] : [];
  });
  return {
    fields: openFields(named),
    ...(Object.keys(spelt).length > 0 && { written: spelt }),
    late: Object.fromEntries(late),
  };
}

/**
 * Returns the desired state of a saved plan, with the values from outside looked up again. A resource that only has to be there is
 * declared, but not managed.
 */
export function desiredOf(saved: SavedPlan, resolve: ResolveParts): Desired {
  const reason = { is: saved.undo ? "undo" : "in_saved_plan" } as const;
  const nowhere = { file: "the saved plan", line: 1, col: 1 };
  const touched = saved.resources.map(({ address, key, members, lifecycle, at = nowhere, ...body }): Resource => {
    const restore = (each: SavedBody) => restoreBody(kindNamed(kindOf(address)), key, each, resolve);
    return {
      address,
      kind: kindOf(address),
      key,
      ...restore(body),
      ...(members && { members: members.map(restore) }),
      ...(lifecycle && { lifecycle: lifecycle satisfies Lifecycle }),
      at,
    };
  });
  const needed = saved.needs.map(({ address, key }): Resource => ({
    address,
    kind: kindOf(address),
    key,
    fields: {},
    at: nowhere,
  }));
  return {
    name: saved.target.name,
    resources: new Map([...touched, ...needed].map((resource): [Address, Resource] => [resource.address, resource])),
    collections: new Map(),
    removed: new Map(
      saved.removals.map(({ address, at = nowhere }) => [address, { address, action: "delete" as const, at, reason }]),
    ),
    protect: saved.protect,
  };
}

function restoreBody(
  kind: Kind,
  key: Resource["key"],
  { fields, late, written }: SavedBody,
  resolve: ResolveParts,
): Body {
  const sources = Object.entries(late).map(([name, { parts, sensitive }]): [string, Value] => {
    if (!sensitive) return [name, { is: "reference", parts }];
    const found = parts.some(isReference) ? undefined : resolve(parts);
    if (!found || "missing" in found) return [name, { is: "secret", parts }];
    return [name, { is: "secret", parts, secret: sealSecret(normalValue(kind, name, found.value, key)) }];
  });
  return { fields: { ...knownValues(fields, written), ...Object.fromEntries(sources) } };
}
