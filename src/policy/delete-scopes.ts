import { locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { findKind } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { matchesGlob } from "../model/glob.ts";
import type { Step } from "../model/plan.ts";
import type { Consent } from "../model/plan-input.ts";

/** Returns the resources that an address stands below by its name alone, itself first. */
export function addressesAbove(address: Address): ReadonlySet<Address> {
  const found = new Set([address]);
  for (const each of found) {
    const { kind, key } = locate(each);
    for (const parent of parentsOf(kind, key, {}).flat()) found.add(parent);
  }
  return found;
}

/** Whether `--allow-delete SCOPE=N` counts a deletion: of a kind, of a pattern of addresses, or of all under a service or domain. */
export function isInScope(scope: string, address: Address): boolean {
  if (scope.includes("/")) return matchesGlob(scope, address);
  if (findKind(scope)) return kindOf(address) === scope;
  const above = addressesAbove(address);
  return ["service", "domain", "dns_zone"].some((kind) => above.has(`${kind}/${scope}` as Address));
}

/** The scope as it is written after `--allow-delete`. */
export const scopeText = (scope: string): string => (findKind(scope) ? `${scope}/*` : scope);

/** A number that was given for a scope, and how many resources the plan deletes or replaces in it. */
export interface CountedScope {
  readonly scope: string;
  readonly allowed: number;
  readonly deleted: ReadonlySet<Address>;
}

export function countScopes({ deleteCounts }: Consent, steps: readonly Step[]): CountedScope[] {
  const going = steps.flatMap(({ action, address }) => (action === "delete" ? [address] : []));
  return [...deleteCounts].map(([scope, allowed]) => ({
    scope,
    allowed,
    deleted: new Set(going.filter((address) => isInScope(scope, address))),
  }));
}

/** Whether the command line allows a deletion, or a change that needs the same consent: by its address, by that of the zone that it is a record of, or by a number that is exact. */
export function isNamed(
  { deletes }: Consent,
  counted: readonly CountedScope[],
  { address }: Pick<Step, "address">,
): boolean {
  return (
    deletes.has(address) ||
    zoneConsenting(deletes, address) !== undefined ||
    counted.some(({ allowed, deleted }) => allowed === deleted.size && deleted.has(address))
  );
}

/** Returns the zone whose consent covers the deletion of a record. */
export const zoneConsenting = (deletes: ReadonlySet<Address>, address: Address): Address | undefined =>
  deletes.size > 0 && kindOf(address) === "dns_record"
    ? [...addressesAbove(address)].find((each) => kindOf(each) === "dns_zone" && deletes.has(each))
    : undefined;
