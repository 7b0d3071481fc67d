import { spelling } from "../contract/request.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { knownValues, openFields, partsOf, pickValues } from "../model/body.ts";
import type { Json } from "../model/json.ts";
import { type ReadSecret, readSecretValue } from "../model/template-parts.ts";
import type { Body, Desired, Lifecycle, Resource, SecretValue, Value } from "../model/resource.ts";
import type { PlanFile, UnsealedFile, SavedBody, SavedResource, SavedSource } from "../model/saved-plan.ts";
import { everything, nothingOwned, type Ownership, type PlanInput } from "../model/plan-input.ts";
import { sealSecret } from "../model/secret.ts";

/** Returns a secret with its source; without a value, that is not known yet. */
export const sealedSource = ({ parts }: SavedSource, value: Json | undefined): SecretValue => ({
  is: "secret",
  parts,
  ...(value !== undefined && { secret: sealSecret(value) }),
});

/** Returns the secret that a source stands for. `normal` brings a value into its normal form. */
export type ReadSource = (source: SavedSource, normal: (text: string) => Json) => SecretValue;

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

function saveBody(kind: Kind, key: Resource["key"], { fields }: Body): SavedBody {
  const named = pickValues(fields, (name) => fields[name]?.is === "known");
  const respelled = spelling(kind, key, named);
  const late = Object.entries(fields).flatMap(([name, value]) => {
    const parts = partsOf(value);
    const unset = value?.is === "secret" && value.secret === undefined && !value.late;
    return parts ? [[name, { parts, sensitive: value?.is === "secret", ...(unset && { unset }) }] as const] : [];
  });
  return {
    fields: openFields(named),
    ...(Object.keys(respelled).length > 0 && { written: respelled }),
    late: Object.fromEntries(late),
  };
}

/**
 * Returns the desired state of a saved plan, with the values from outside looked up again. A resource that only has to be there is
 * declared, but not managed.
 */
export const desiredOf = (saved: UnsealedFile, readSecret: ReadSecret): Desired =>
  desiredFrom(saved, ({ parts }, normal) => readSecretValue(parts, readSecret, normal));

/** Returns the same with the values of secrets as `read` gives them. */
export function desiredFrom(saved: UnsealedFile, read: ReadSource): Desired {
  const reason = { is: saved.undo ? "undo" : "in_saved_plan" } as const;
  const touched = saved.resources.map(({ address, key, members, lifecycle, at, ...body }): Resource => {
    const restore = (each: SavedBody) => restoreBody(kindNamed(kindOf(address)), key, each, read);
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
  const needed = saved.needs.map(({ address, key, fields }): Resource => ({
    address,
    kind: kindOf(address),
    key,
    fields: knownValues(fields ?? {}),
  }));
  return {
    name: saved.target.name,
    resources: new Map([...touched, ...needed].map((resource): [Address, Resource] => [resource.address, resource])),
    collections: new Map(),
    removed: new Map(
      saved.removals.map(({ address, at }) => [address, { address, action: "delete" as const, at, reason }]),
    ),
    protect: saved.protect,
  };
}

function restoreBody(kind: Kind, key: Resource["key"], { fields, late, written }: SavedBody, read: ReadSource): Body {
  const sources = Object.entries(late).map(([name, source]): [string, Value] => {
    const { parts, sensitive } = source;
    if (!sensitive) return [name, { is: "reference", parts }];
    return [name, read(source, (clear) => normalValue(kind, name, clear, key))];
  });
  return { fields: { ...knownValues(fields, written), ...Object.fromEntries(sources) } };
}

/**
 * Returns the ownership and the selection to plan a saved plan again. The plan names all that it is about, so nothing is chosen, and
 * nothing goes for not being declared. An object with a longer name on the server is found by the inventory, or if none is kept, by the
 * names of the plan; and by what the plan has found under such a name, which may have been forgotten by it or before it.
 */
export const byItself = (
  { resources, removed }: Desired,
  inventory: Ownership["inventory"],
  seen: PlanFile["live"] = [],
): Pick<PlanInput, "ownership" | "selection"> => {
  const known = inventory?.addresses ?? [...resources.keys(), ...removed.keys()];
  const renamed = seen.flatMap(({ address, key }) => (key ? [address] : []));
  return { ownership: { ...nothingOwned, names: new Set([...known, ...renamed]) }, selection: everything };
};
