import type { PlanInput } from "../model/plan-input.ts";
import { resolveParts, type ReadSecret } from "../model/template-parts.ts";
import type { Desired, Live, LiveResource, PreparedLive, Remote, Resource } from "../model/resource.ts";
import { type Matched, matchPrefixed } from "./match.ts";
import { withoutDoubles } from "./shared-lists.ts";
import { parentsOf } from "../kinds/derived/parents.ts";
import { kindNamed } from "../kinds/index.ts";
import {
  impliedValues,
  isReference,
  isUnknown,
  mapValues,
  openValue,
  pickValues,
  refersToOthers,
} from "../model/body.ts";
import { offersUpdate } from "../contract/entry.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { Address } from "../model/address.ts";
import type { Contract } from "../model/contract.ts";
import { jsonText } from "../model/json.ts";

/** A manifest and the live state, ready to be compared: no function that compares takes another. */
export interface Prepared extends Matched {
  readonly desired: Desired;
  readonly live: PreparedLive;
}

type Sides = Pick<PlanInput, "desired" | "live" | "contract" | "ownership">;

// A cache only: a plan, its hash and what is shown beside it are of the same sides.
const lastPrepared = new WeakMap<Live, { readonly sides: Sides; readonly prepared: Prepared }>();

/** Returns the desired and the live state as the planner compares them: references looked up, values inherited, prefixed names found. */
export function prepare(sides: Sides): Prepared {
  const { sides: last, prepared } = lastPrepared.get(sides.live) ?? {};
  const isSame = (["desired", "contract", "ownership"] as const).every((side) => last?.[side] === sides[side]);
  if (prepared && isSame) return prepared;
  const made = prepareAnew(sides);
  lastPrepared.set(sides.live, { sides, prepared: made });
  return made;
}

function prepareAnew({ desired, live, contract, ownership }: Sides): Prepared {
  const ours = ownership.inventory?.addresses ?? ownership.names;
  const match = (declared: Desired, found: Live) => {
    const wanted = inheritValues(resolveReferences(declared, found), found);
    return { desired: wanted, ...matchPrefixed(wanted, found, contract, ours) };
  };
  let matched = match(desired, live);
  let { notices } = matched;
  // A reference to what the server has renamed has a value only then, and what has that value may be found by it.
  for (let before = live; matched.live !== before; notices = [...notices, ...matched.notices]) {
    before = matched.live;
    matched = match(matched.desired, before);
  }
  // The only place that mints the type.
  return { ...matched, notices, live: withoutDoubles(matched.live, { desired, contract, ownership }) as PreparedLive };
}

/**
 * Gives each declared resource that is live the values that it has from its parent, where no manifest writes them: a record without
 * a TTL has its zone's. What is not live gets them from the server when it is created. A live null says that the value is the parent's,
 * whatever that will be: such a value is left to it.
 */
export function inheritValues(desired: Desired, live: Live): Desired {
  const inherited: Resource[] = [];
  for (const resource of desired.resources.values()) {
    const whole = withInherited(resource, { desired, live });
    if (whole !== resource) inherited.push(whole);
  }
  if (inherited.length === 0) return desired;
  const resources = new Map(desired.resources);
  for (const resource of inherited) resources.set(resource.address, resource);
  return { ...desired, resources };
}

/** Whether a value that a parent may have is not written, or is the parent's on the server. */
const mayInherit = ({ kind: name, fields }: Resource, { remotes }: LiveResource): boolean => {
  const { members, fields: rules } = kindNamed(name);
  if (members)
    for (const shared of members.shared)
      if (rules[shared]?.fallback && (!fields[shared] || isUnset(remotes[0], shared))) return true;
  return false;
};

const isUnset = (remote: Remote | undefined, name: string) => (remote?.fields[name] ?? null) === null;

/** Returns one resource as `inheritValues` does. */
export function withInherited(resource: Resource, { desired, live }: Pick<Sides, "desired" | "live">): Resource {
  const found = live.resources.get(resource.address);
  if (!found || !mayInherit(resource, found)) return resource;
  const { remotes } = found;
  const kind = kindNamed(resource.kind);
  let { fields } = resource;
  for (const name of kind.members?.shared ?? []) {
    const rule = kind.fields[name]?.fallback;
    const [parent] = rule ? parentsOf(kind, resource.key, {}).flat() : [];
    if (!rule || parent === undefined) continue;
    const value = live.resources.get(parent)?.remotes[0]?.fields[rule.parent] ?? null;
    const isParents = remotes.every((remote) => isUnset(remote, name));
    const later = openValue(desired.resources.get(parent)?.fields[rule.parent]) ?? value;
    if (fields[name]) {
      if (isParents && openValue(fields[name]) === later) fields = pickValues(fields, (other) => other !== name);
    } else if (value !== null && !isParents) fields = { ...fields, ...impliedValues({ [name]: value }) };
  }
  return fields === resource.fields ? resource : { ...resource, fields };
}

/** Puts the live value in the place of each `${ref:…}` that has one, so that it is compared like any other; the rest stays unknown until apply. */
export function resolveReferences(desired: Desired, live: Live): Desired {
  const referring = [...desired.resources.values()].filter(refersToOthers);
  if (referring.length === 0) return desired;
  const resources = new Map(desired.resources);
  for (const resource of referring) resources.set(resource.address, resolveResource(resource, live));
  return { ...desired, resources };
}

function resolveResource(resource: Resource, live: Live): Resource {
  const kind = kindNamed(resource.kind);
  const find: ReadSecret = (part) => {
    const value = "ref" in part ? live.resources.get(part.ref)?.remotes[0]?.fields[part.field] : undefined;
    return value === undefined || value === null ? { missing: "it is not live" } : { value: jsonText(value) };
  };
  return mapValues(resource, (value, field) => {
    if (value.is === "secret" && value.late) {
      const secret = value.late(find);
      return secret ? { ...value, secret } : value;
    }
    const found = value.is === "reference" ? resolveParts(value.parts, find) : undefined;
    return value.is === "reference" && found && "value" in found
      ? { ...value, value: normalValue(kind, field, found.value, resource.key) }
      : value;
  });
}

/**
 * Makes each value that refers to one of these resources unknown until apply: they are created again, and their read-only fields may get
 * other values. What cannot be updated keeps the live value, since a value that may be the same does not justify replacing it.
 * Returns the same object if nothing refers to them.
 */
export function forgetReferences(desired: Desired, createdAgain: ReadonlySet<Address>, contract: Contract): Desired {
  if (createdAgain.size === 0) return desired;
  const forgotten = [...desired.resources.values()].flatMap((resource) => {
    const kind = kindNamed(resource.kind);
    let isSame = true;
    const whole = mapValues(resource, (value, field) => {
      const isStale =
        value.is !== "known" &&
        !isUnknown(value) &&
        kind.fields[field]?.access === "mutable" &&
        offersUpdate(contract, kind, [field]) &&
        value.parts?.some((part) => isReference(part) && createdAgain.has(part.ref));
      if (isStale) isSame = false;
      return isStale ? { is: value.is, parts: value.parts ?? [] } : value;
    });
    return isSame ? [] : [[resource.address, whole] as const];
  });
  return forgotten.length === 0 ? desired : { ...desired, resources: new Map([...desired.resources, ...forgotten]) };
}
