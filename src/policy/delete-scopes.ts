import { locate } from "../kinds/derived/collection.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { findKind } from "../kinds/index.ts";
import { kindOf, type Address } from "../model/address.ts";
import { matchesGlob } from "../model/glob.ts";
import { addressesOf, type Step } from "../model/plan.ts";
import type { Consent } from "../model/plan-input.ts";
import { groupBy } from "../lib/collect.ts";

/** Returns the resources that an address stands below by its name alone, itself first. */
export function addressesAbove(address: Address): ReadonlySet<Address> {
  const found = new Set([address]);
  for (const each of found) {
    const { kind, key } = locate(each);
    for (const parent of parentsOf(kind, key, {}).flat()) found.add(parent);
  }
  return found;
}

/** Returns the name of a service, domain or zone; undefined for another kind. */
export function nameAt(address: Address): string | undefined {
  const [kind = "", name] = address.split("/");
  return ["service", "domain", "dns_zone"].includes(kind) ? name : undefined;
}

/** Returns the names of the services, domains and zones that an address stands below, its own among them. */
export const namesAbove = (address: Address): ReadonlySet<string> =>
  new Set([...addressesAbove(address)].flatMap((each) => nameAt(each) ?? []));

/** The scope as it is written after `--allow-delete`. */
export const scopeText = (scope: string): string => (findKind(scope) ? `${scope}/*` : scope);

/** A number that was given for a scope, and how many resources the plan deletes or replaces in it. */
export interface CountedScope {
  readonly scope: string;
  readonly allowed: number;
  readonly deleted: ReadonlySet<Address>;
}

/** A scope is a kind, a pattern of addresses, or the name of a service or domain with all that stands below it. */
export function countScopes({ deleteCounts }: Consent, steps: readonly Step[]): CountedScope[] {
  if (deleteCounts.size === 0) return [];
  const globs = [...deleteCounts.keys()].filter((scope) => scope.includes("/"));
  const scopesOf = (address: Address) => [
    kindOf(address),
    ...namesAbove(address),
    ...globs.filter((glob) => matchesGlob(glob, address)),
  ];
  const going = addressesOf(steps, "delete");
  const pairs = [...going].flatMap((address) => scopesOf(address).map((scope) => [scope, address] as const));
  const all = groupBy(pairs, ([scope]) => scope);
  return [...deleteCounts].map(([scope, allowed]) => ({
    scope,
    allowed,
    deleted: new Set(all.get(scope)?.map(([, address]) => address)),
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
