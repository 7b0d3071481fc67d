import { spelling } from "../contract/binding.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import type { Json } from "../model/json.ts";
import type { Body, Desired, InterpolatedValue, Lifecycle, TemplatePart, Resource } from "../model/resource.ts";
import type { SavedBody, SavedPlan, SavedResource } from "../model/saved-plan.ts";

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
export function plainSecrets({ kind, fields, late }: Resource): string[] {
  return Object.keys(fields).filter((name) => isPlainSecret(kindNamed(kind), { fields, late }, name));
}

/** Whether a field is secret by its kind, and holds the secret itself. */
export const isPlainSecret = (kind: Kind, { fields, late }: SavedBody, name: string): boolean =>
  kind.fields[name]?.access === "write_only" && typeof fields[name] === "string" && late[name] === undefined;

function saveBody(kind: Kind, key: Resource["key"], { fields, late, written = {} }: Body): SavedBody {
  const kept = Object.entries(fields).filter(
    ([name]) => late[name] === undefined && !isPlainSecret(kind, { fields, late }, name),
  );
  const sources = Object.entries(late).map(([name, { parts, sensitive }]) => [name, { parts, sensitive }] as const);
  const named = Object.fromEntries(kept);
  const spelt = Object.entries(spelling(kind, key, { fields: named, written })).filter(([name]) => name in named);
  return {
    fields: named,
    ...(spelt.length > 0 && { written: Object.fromEntries(spelt) }),
    late: Object.fromEntries(sources),
  };
}

/** What a saved plan desires, with the values from outside looked up again. What only has to be there is declared, but not managed. */
export function desiredOf(saved: SavedPlan, resolve: ResolveParts): Desired {
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
    late: {},
    at: nowhere,
  }));
  return {
    name: saved.target.name,
    resources: new Map([...touched, ...needed].map((resource): [Address, Resource] => [resource.address, resource])),
    collections: new Map(),
    removed: new Map(
      saved.removals.map(({ address, at = nowhere }) => [address, { address, action: "delete" as const, at }]),
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
  const values: Record<string, Json> = { ...fields };
  const sources: Record<string, InterpolatedValue> = {};
  for (const [name, { parts, sensitive }] of Object.entries(late)) {
    const found = parts.some((part) => typeof part === "object" && "ref" in part)
      ? { missing: "known after apply" }
      : resolve(parts);
    const known = "value" in found;
    if (known) values[name] = normalValue(kind, name, found.value, key);
    sources[name] = { parts, sensitive, known };
  }
  return { fields: values, late: sources, ...(written && { written }) };
}
