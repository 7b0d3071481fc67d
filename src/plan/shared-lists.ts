import { groupBy } from "../lib/collect.ts";
import type { Address } from "../model/address.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { Live } from "../model/resource.ts";
import { causeOfDeletion } from "../policy/deletions.ts";

/** Returns what tells one object from another, by each of its addresses, for those in a list that is the list of several parents. */
export function objectsOfSharedLists({ collections, resources }: Live): ReadonlyMap<Address, string> {
  const byList = groupBy(collections.values(), ({ kind, list }) => `${kind} ${list}`);
  const shared = [...byList].filter(([, all]) => all.length > 1);
  const objectOf = (list: string, address: Address) => `${list} ${resources.get(address)?.remotes[0]?.id}`;
  return new Map(
    shared.flatMap(([list, all]) =>
      all.flatMap(({ addresses }) => addresses.map((address) => [address, objectOf(list, address)] as const)),
    ),
  );
}

type Claims = Pick<PlanInput, "desired" | "contract" | "ownership">;

/**
 * Leaves each object of a list that several parents share under one address: the one that is declared, named under `removed:` or ours,
 * else one by which it stays. Nobody knows whose it is otherwise, and what one website does not declare may be another's.
 */
export function withoutDoubles(live: Live, claims?: Claims): Live {
  const objectAt = objectsOfSharedLists(live);
  const byObject = groupBy([...objectAt.keys()].sort(), (address) => objectAt.get(address));
  const byClaim = (a: Address, b: Address) => claimOf(a, live, claims) - claimOf(b, live, claims);
  const doubles = new Set([...byObject.values()].flatMap((addresses) => addresses.toSorted(byClaim).slice(1)));
  if (doubles.size === 0) return live;
  const once = (addresses: readonly Address[]) => addresses.filter((address) => !doubles.has(address));
  const collections = [...live.collections].map(
    ([id, each]) => [id, { ...each, addresses: once(each.addresses) }] as const,
  );
  const resources = new Map([...live.resources].filter(([address]) => !doubles.has(address)));
  return { ...live, resources, collections: new Map(collections) };
}

/** Returns a number: the lower it is, the rather an object stands under this address. */
function claimOf(address: Address, { resources }: Live, claims: Claims | undefined): number {
  const found = resources.get(address);
  if (!claims || !found || claims.desired.resources.has(address)) return -1;
  return ["removed", "ours", undefined, "exclusive"].indexOf(causeOfDeletion(claims, found));
}
