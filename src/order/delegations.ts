import { isDeepStrictEqual } from "node:util";
import { kindNamed } from "../kinds/index.ts";
import { openValue } from "../model/body.ts";
import type { Json } from "../model/json.ts";
import type { Step } from "../model/plan.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { RecordSet, Zones } from "./zones.ts";

/** A name that the zone above hands over, such as a domain at its registry, and the name servers that it is handed to. */
export interface Delegation {
  readonly name: string;
  readonly servers: RecordSet;
}

/** Returns the delegations outside of the account's zones that the steps change. */
export function readDelegations({ live, desired }: PlanInput, steps: readonly Step[], zones: Zones): Delegation[] {
  if (zones.size === 0) return [];
  return steps.flatMap(({ id, address, action }) => {
    const was = live.resources.get(address);
    const wanted = desired.resources.get(address);
    const resource = wanted ?? was;
    const delegates = resource && kindNamed(resource.kind).availability?.delegates;
    if (!resource || !delegates) return [];
    const before = hostsOf(was?.remotes[0]?.fields[delegates.servers]);
    const written = openValue(wanted?.fields[delegates.servers]);
    const after = action === "delete" ? [] : written === undefined ? before : hostsOf(written);
    if (isDeepStrictEqual(before, after)) return [];
    return [{ name: delegates.name(resource.key), servers: { before, after, step: id, rewrittenBy: id } }];
  });
}

const hostsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((host) => typeof host === "string").sort() : [];
