import type { Resource } from "../model/resource.ts";

/** The fields of resources, or of any of their members, whose value is secret: so is the live one, old or new. */
export function secretFields(...resources: readonly (Resource | undefined)[]): ReadonlySet<string> {
  const bodies = resources.flatMap((resource) => (resource ? [resource, ...(resource.members ?? [])] : []));
  return new Set(
    bodies.flatMap(({ late }) => Object.entries(late).flatMap(([name, { sensitive }]) => (sensitive ? [name] : []))),
  );
}
