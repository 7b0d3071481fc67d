import { addressOfParent, withoutReferences } from "../kinds/derived/parents.ts";
import { isDeepStrictEqual } from "node:util";
import { kindNamed } from "../kinds/index.ts";
import { knownValues, pickValues } from "../model/body.ts";
import { clearValue } from "../model/clear-values.ts";
import type { Desired, Fields, PreparedLive, Resource } from "../model/resource.ts";
import type { RemovedValues, ReadJournal } from "../model/journal.ts";
import type { Ownership } from "../model/plan-input.ts";

/** Returns the removed values that nothing has written again so far. `live` has the names that the manifest has. */
export function valuesStillMissing(
  removed: readonly RemovedValues[],
  desired: Desired,
  live: PreparedLive,
): RemovedValues[] {
  return removed.flatMap((each) => {
    const { address, of, withheld } = each;
    const current = live.resources.get(address)?.remotes[0];
    if (of && live.resources.get(of.address)?.remotes.some(({ id }) => id === of.id) === true) return [];
    const resource = desired.resources.get(address);
    if (!resource) return current ? [] : [each];
    const wanted = stillWanted(each, resource, desired, live);
    const fields = pickValues(wanted, (name) => !isDeepStrictEqual(current?.fields[name] ?? null, wanted[name]));
    const lost = withheld.filter((name) => !current && resource.fields[name] === undefined);
    return Object.keys(fields).length + lost.length === 0 ? [] : [{ ...each, fields, withheld: lost }];
  });
}

/** Declares the removed values, as if the manifest wrote them. */
export function declareRemovedValues(desired: Desired, removed: readonly RemovedValues[]): Desired {
  const whole = removed.flatMap(({ address, fields }) => {
    const resource = desired.resources.get(address);
    return resource
      ? [[address, { ...resource, fields: { ...knownValues(fields), ...resource.fields } }] as const]
      : [];
  });
  return whole.length === 0 ? desired : { ...desired, resources: new Map([...desired.resources, ...whole]) };
}

/** The values that the manifest does not write, that still follow the same values, and without references to what is not there. */
function stillWanted(
  { fields, beside }: RemovedValues,
  resource: Resource,
  desired: Desired,
  live: PreparedLive,
): Fields {
  const kind = kindNamed(resource.kind);
  const followsTheSame = (name: string) =>
    (kind.fields[name]?.dependsOn ?? []).every((other) => {
      const now = clearValue(resource.fields[other]);
      return now === undefined || isDeepStrictEqual(now, beside[other] ?? fields[other]);
    });
  const kept = pickValues(fields, (name) => resource.fields[name] === undefined && followsTheSame(name));
  const isGone = (parent: Parameters<typeof addressOfParent>[0]) => {
    const address = addressOfParent(parent);
    return !desired.resources.has(address) && !live.resources.has(address);
  };
  return { ...kept, ...withoutReferences(kind, resource.key, kept, isGone) };
}

/**
 * Takes back the consent of entries under `removed:` whose deletion an interrupted apply has carried out: what stands at the address now
 * was made since. Returns the same ownership where there are none.
 */
export function spendRemovals(
  ownership: Ownership,
  { deleted, inFlight }: Pick<ReadJournal, "deleted" | "inFlight">,
  { resources }: Pick<PreparedLive, "resources">,
): Ownership {
  const { removals = new Set(), inventory } = ownership;
  const spent = [...removals].filter((address) => {
    const sent = inFlight.flatMap(({ intent }) =>
      intent.address === address && intent.operation === "delete" ? (intent.ids ?? []) : [],
    );
    const ids = new Set([...sent, ...(deleted.get(address) ?? [])]);
    const remotes = resources.get(address)?.remotes ?? [];
    return ids.size > 0 && remotes.length > 0 && remotes.every(({ id }) => !ids.has(id));
  });
  if (spent.length === 0) return ownership;
  return {
    ...ownership,
    removals: new Set([...removals].filter((address) => !spent.includes(address))),
    inventory: inventory && { ...inventory, removed: new Set([...(inventory.removed ?? []), ...spent]) },
  };
}
