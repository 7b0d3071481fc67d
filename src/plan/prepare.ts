import type { PlanInput } from "../model/plan-input.ts";
import type { Desired, Live, PreparedLive, Resource } from "../model/resource.ts";
import { type MatchedInput, matchPrefixed } from "./match.ts";
import { resolveReferences } from "./resolve-references.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import { impliedValues } from "../model/body.ts";

/** A manifest and the live state, ready to be compared: no function that compares takes another. */
export interface Prepared extends MatchedInput {
  readonly live: PreparedLive;
}

/** Returns the desired and the live state as the planner compares them: references looked up, values inherited, prefixed names found. */
export function prepare({
  desired,
  live,
  contract,
  ownership,
}: Omit<PlanInput, "target" | "consent" | "now">): Prepared {
  const ours = ownership.inventory?.addresses ?? ownership.names;
  const match = (wanted: Desired, found: Live) =>
    matchPrefixed(inheritValues(resolveReferences(wanted, found), found), found, contract, ours);
  let matched = match(desired, live);
  let { notices } = matched;
  // A reference to what the server has renamed has a value only then, and what has that value may be found by it.
  for (let before = live; matched.live !== before; notices = [...notices, ...matched.notices]) {
    before = matched.live;
    matched = match(matched.desired, before);
  }
  // The only place that mints the type.
  return { ...matched, notices, live: matched.live as PreparedLive };
}

/**
 * Gives each declared resource that is live the values that it has from its parent, where no manifest writes them: a record without
 * a TTL has its zone's. What is not live gets them from the server when it is created.
 */
export function inheritValues(desired: Desired, live: Live): Desired {
  const inherited: Resource[] = [];
  for (const resource of desired.resources.values()) {
    if (!mayInherit(resource) || !live.resources.has(resource.address)) continue;
    const whole = withInherited(resource, live);
    if (whole !== resource) inherited.push(whole);
  }
  if (inherited.length === 0) return desired;
  const resources = new Map(desired.resources);
  for (const resource of inherited) resources.set(resource.address, resource);
  return { ...desired, resources };
}

/** Whether a value that a parent may have is not written. */
const mayInherit = ({ kind: name, fields }: Resource): boolean => {
  const { members, fields: rules } = kindNamed(name);
  if (members) for (const shared of members.shared) if (!fields[shared] && rules[shared]?.fallback) return true;
  return false;
};

function withInherited(resource: Resource, live: Live): Resource {
  const kind = kindNamed(resource.kind);
  const values = (kind.members?.shared ?? []).flatMap((name) => {
    const rule = kind.fields[name]?.fallback;
    if (!rule || resource.fields[name]) return [];
    const [parent] = parentsOf(kind, resource.key, {}).flat();
    const value = parent === undefined ? undefined : live.resources.get(parent)?.remotes[0]?.fields[rule.parent];
    return value === undefined || value === null ? [] : [[name, value] as const];
  });
  if (values.length === 0) return resource;
  return { ...resource, fields: { ...resource.fields, ...impliedValues(Object.fromEntries(values)) } };
}
