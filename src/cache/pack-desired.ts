import { kindNamed } from "../kinds/index.ts";
import { bodiesOf } from "../model/body.ts";
import type { CollectionPolicy, Desired, Removal, Resource } from "../model/resource.ts";
import type { Address } from "../model/address.ts";
import type { CollectionId } from "../model/resource.ts";

/** The desired state as JSON: maps as lists of their entries. */
export type PackedDesired = Omit<Desired, "resources" | "collections" | "removed"> & {
  readonly resources: readonly Resource[];
  readonly collections: readonly (readonly [CollectionId, CollectionPolicy])[];
  readonly removed: readonly (readonly [Address, Removal])[];
};

/** Returns what is desired as JSON; undefined where a file must not hold it: a value is secret, may be one, or comes from outside. */
export function packDesired(desired: Desired): PackedDesired | undefined {
  const resources = [...desired.resources.values()];
  if (desired.variables !== undefined || resources.some(mayHoldSecrets)) return undefined;
  return { ...desired, resources, collections: [...desired.collections], removed: [...desired.removed] };
}

function mayHoldSecrets(resource: Resource): boolean {
  const { fields } = kindNamed(resource.kind);
  return bodiesOf(resource).some((body) =>
    Object.entries(body.fields).some(
      ([name, value]) => value.is === "secret" || fields[name]?.mayHoldCredentials === true,
    ),
  );
}

export const unpackDesired = ({ resources, collections, removed, ...desired }: PackedDesired): Desired => ({
  ...desired,
  resources: new Map(resources.map((resource) => [resource.address, resource])),
  collections: new Map(collections),
  removed: new Map(removed),
});
