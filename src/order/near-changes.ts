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
  const isNear = (name: string) => namesAbove(name).some((above) => near.has(above) || near.has(`*.${above}`));
  const pointing = owners.flatMap(([name, sets]) => {
    const hosts = [...sets.values()].flatMap(({ before, after }) => [...before, ...after]);
    const named = new Set(hosts.filter((host) => host !== null));
    return named.size === 0 ? [] : [{ name, hosts: [...named] }];
  });
  let size: number;
  do {
    size = near.size;
    for (const { name, hosts } of pointing) if (!near.has(name) && hosts.some(isNear)) near.add(name);
  } while (near.size > size);
  return isNear;
}

const hasStep = (sets: ReadonlyMap<string, RecordSet>) => [...sets.values()].some(({ step }) => step !== undefined);
