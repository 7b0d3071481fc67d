import { addTo } from "../lib/collect.ts";
import { namesAbove } from "./is-answered.ts";
import type { RecordSet, Zones } from "./zones.ts";

/**
 * Returns whether a step may change the answer of a name. May say so of a name whose answer no step changes, never the opposite. To ask this
 * of all names takes less time than to look for the answer of each.
 */
export function rememberNearChanges(zones: Zones): (name: string) => boolean {
  const owners = [...zones.values()].flatMap(({ names }) => [...names]);
  const near = new Set(owners.flatMap(([name, sets]) => (hasStep(sets) ? [name] : [])));
  for (const [apex, { signed }] of zones) if (signed?.step !== undefined) near.add(apex);
  if (near.size === 0) return () => false;
  // The names that a DNAME makes have no records of their own.
  if (owners.some(([, sets]) => sets.has("DNAME"))) return () => true;
  const pointing = pointingNames(owners);
  // A set is read to its end, also what is added to it meanwhile.
  for (const name of near)
    for (const above of name.startsWith("*.") ? [name, name.slice(2)] : [name])
      for (const each of pointing.get(above) ?? []) near.add(each);
  return (name) => namesAbove(name).some((above) => near.has(above) || near.has(`*.${above}`));
}

/** Returns the names whose records lead to a name, or to one below it. */
function pointingNames(
  owners: readonly (readonly [string, ReadonlyMap<string, RecordSet>])[],
): ReadonlyMap<string, readonly string[]> {
  const pointing = new Map<string, string[]>();
  for (const [name, sets] of owners) {
    const hosts = [...sets.values()].flatMap(({ before, after }) => [...before, ...after]);
    const named = new Set(hosts.flatMap((host) => (host === null ? [] : namesAbove(host))));
    for (const above of named) addTo(pointing, above, name);
  }
  return pointing;
}

const hasStep = (sets: ReadonlyMap<string, RecordSet>) => [...sets.values()].some(({ step }) => step !== undefined);
