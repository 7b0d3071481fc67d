import { fieldsLeftOut } from "../contract/binding.ts";
import type { BoundKind } from "../contract/bound-kind.ts";
import { offersUpdate } from "../contract/entry.ts";
import type { Kind } from "../kinds/kind.ts";
import type { Contract } from "../model/contract.ts";
import type { Json } from "../model/json.ts";
import type { Fields, Resource } from "../model/resource.ts";

/** The live values that a resource keeps when it is created again, and the fields that it does not keep, each with the reason. */
export interface CarryOver {
  readonly kept: Fields;
  readonly lost: ReadonlyMap<string, string>;
}

/** Sorts the live values of the fields that the manifest does not write. `changed`: the fields that get another value. */
export function carryOver(
  contract: Contract,
  kind: BoundKind,
  resource: Resource,
  live: Fields,
  changed: readonly string[],
): CarryOver {
  const kept: Record<string, Json> = {};
  const lost = new Map<string, string>();
  for (const [name, value] of unwrittenValues(kind, resource, live)) {
    const reason = whyLost(contract, kind, name, changed);
    if (reason === undefined) kept[name] = value;
    else lost.set(name, reason);
  }
  return { kept, lost };
}

/** The live values of an object that can be written, and that neither the manifest nor the key says. */
function unwrittenValues(kind: Kind, { fields, key }: Resource, live: Fields) {
  const said = { ...kind.naming.toFields(key), ...fields };
  return Object.entries(live).filter(([name, value]) => {
    const access = kind.fields[name]?.access;
    return !(name in said) && (access === "mutable" || (access === "immutable" && value !== null));
  });
}

function whyLost(contract: Contract, kind: BoundKind, name: string, changed: readonly string[]): string | undefined {
  const followed = kind.fields[name]?.dependsOn?.filter((other) => changed.includes(other)) ?? [];
  if (followed.length > 0) return `depends on ${followed.join(" and ")}`;
  const needsUpdate = fieldsLeftOut(kind, [name]).length > 0;
  return needsUpdate && !offersUpdate(contract, kind, [name]) ? "the API takes it at no creation" : undefined;
}
