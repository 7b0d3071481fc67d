import { locate } from "../kinds/derived/collection.ts";
import type { Step } from "../model/plan.ts";
import {
  availabilityConstraint,
  noEvidence,
  type AvailabilityConstraint,
  type PlannedValue,
  type ValueAt,
} from "./availability.ts";
import { addressTypes, findAnswer, namesAbove } from "./is-answered.ts";
import { namesBelow, type RecordSet, type Zones } from "./zones.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/** Returns constraints on DNS names, by type, that answer before and after the plan, and may not in between. */
export function nameConstraints(zones: Zones): AvailabilityConstraint[] {
  const isNearChange = rememberNearChanges(zones);
  const mayAnswer = rememberAnswering(zones);
  return [...touchedNames(zones)].flatMap(([name, types]) => {
    if (!isNearChange(name) || !mayAnswer(name)) return [];
    const held = [...types].flatMap((type) => answerConstraint(zones, name, [type]) ?? []);
    if (![...types].some(isAddress) || held.some((each) => each.types.some(isAddress))) return held;
    // An address of one family may give way to one of the other.
    const both = answerConstraint(zones, name, addressTypes);
    return both ? [...held, both] : held;
  });
}

const isAddress = (type: string) => addressTypes.some((each) => each === type);

/** Returns the constraint on a name's answer. Where no named host has an address, before or after, it still counts that one is named. */
function answerConstraint(zones: Zones, name: string, types: readonly string[]): AvailabilityConstraint | undefined {
  const ask = (hosts: boolean) =>
    availabilityConstraint({ name, types, holds: (look) => findAnswer({ zones, look, hosts }, name, types) });
  return ask(true) ?? ask(false);
}

/** The names whose answer a step may touch, each with the types to ask for: its own, and what pointers are followed for. */
function touchedNames(zones: Zones): Map<string, Set<string>> {
  const handedOver = new Set<string>();
  for (const [apex, { names, signed }] of zones) {
    if (signed?.step !== undefined) handedOver.add(apex);
    for (const [name, sets] of names)
      if (sets.get("NS")?.step !== undefined || sets.get("DS")?.step !== undefined) handedOver.add(name);
  }
  const found = new Map<string, Set<string>>();
  const touch = (name: string, sets: ReadonlyMap<string, RecordSet>) => {
    const types = getOrMake(found, name, () => new Set());
    for (const type of askedFor(sets)) types.add(type);
  };
  for (const { names } of zones.values()) {
    for (const [name, sets] of names) {
      const { before = [], after = [] } = sets.get("DNAME") ?? {};
      // A DNAME makes a name of each below its target, with the records of that one.
      for (const host of new Set([...before, ...after].flatMap((each) => each ?? [])))
        for (const [target, behind] of namesBelow(zones, host)) touch(target.slice(0, -host.length) + name, behind);
      const isTouched =
        [...sets.values()].some(({ step, before }) => step !== undefined || before.some((host) => host !== null)) ||
        (handedOver.size > 0 && namesAbove(name).some((above) => handedOver.has(above)));
      if (isTouched) touch(name, sets);
    }
  }
  return found;
}

const pointing: ReadonlySet<string> = new Set(["CNAME", "ALIAS"]);

/** The types that clients ask for through a CNAME, besides addresses. */
const followed = ["MX", "TXT", "SRV", "HTTPS"];

function askedFor(sets: ReadonlyMap<string, RecordSet>): string[] {
  const own = [...sets.keys()].filter((type) => !pointing.has(type));
  if (sets.has("CNAME")) return [...own, ...addressTypes, ...followed];
  return sets.has("ALIAS") ? [...own, ...addressTypes] : own;
}

/** Returns constraints on names that one resource gives up and another takes, such as the address of a mailbox that becomes an alias. */
export function holderConstraints(steps: readonly Step[]): AvailabilityConstraint[] {
  const holders = new Map<string, PlannedValue<boolean>[]>();
  for (const { id, address, action } of steps) {
    const { kind, key } = locate(address);
    const name = kind.availability?.address?.(key);
    if (name === undefined || (action !== "create" && action !== "delete")) continue;
    const value = { before: action === "delete", after: action === "create", step: id };
    addTo(holders, name, value);
  }
  return [...holders].flatMap(([name, planned]) => {
    const all = new Set(planned.flatMap(({ step }) => step ?? []));
    const holds = (look: ValueAt) => (planned.some(look) ? { ...noEvidence(), steps: all } : undefined);
    return availabilityConstraint({ name, types: [], holds }) ?? [];
  });
}

/**
 * Returns whether a name may answer both before and after the plan: by records of its own, or by a wildcard, a DNAME or a delegation above it.
 * May say so of a name that does not answer, never the opposite. To look for the answer itself takes far longer.
 */
export function rememberAnswering(zones: Zones): (name: string) => boolean {
  const [before, after] = [new Set<string>(), new Set<string>()];
  /** The names below which names without records may answer. */
  const spreading = new Set<string>();
  for (const [apex, { names }] of zones)
    for (const [name, sets] of names) {
      if (name.startsWith("*.")) spreading.add(name.slice(2));
      for (const [type, set] of sets) {
        if (type === "DNAME" || (type === "NS" && name !== apex)) spreading.add(name);
        if (set.before.length > 0) before.add(name);
        if (set.after.length > 0) after.add(name);
      }
    }
  return (name) => {
    const above = namesAbove(name);
    const isOwn = before.has(name) && after.has(name);
    return isOwn || above.some((each) => spreading.has(each)) || !above.some((each) => zones.has(each));
  };
}

/**
 * Returns whether a step may change the answer of a name. May say so of a name whose answer no step changes, never the opposite. To ask this
 * of all names takes less time than to look for the answer of each.
 */
export function rememberNearChanges(zones: Zones): (name: string) => boolean {
  const near = new Set<string>();
  /** The names whose records lead to a name, or to one below it. */
  const pointing = new Map<string, string[]>();
  let hasDname = false;
  for (const [apex, { names, signed }] of zones) {
    if (signed?.step !== undefined) near.add(apex);
    for (const [name, sets] of names) {
      hasDname ||= sets.has("DNAME");
      const all = [...sets.values()];
      if (all.some(({ step }) => step !== undefined)) near.add(name);
      const hosts = all.flatMap(({ before, after }) => [...before, ...after]);
      const named = new Set(hosts.flatMap((host) => (host === null ? [] : namesAbove(host))));
      for (const above of named) addTo(pointing, above, name);
    }
  }
  // The names that a DNAME makes have no records of their own.
  if (near.size === 0 || hasDname) return () => near.size > 0;
  // A set is read to its end, also what is added to it meanwhile.
  for (const name of near)
    for (const above of name.startsWith("*.") ? [name, name.slice(2)] : [name])
      for (const each of pointing.get(above) ?? []) near.add(each);
  return (name) => namesAbove(name).some((above) => near.has(above) || near.has(`*.${above}`));
}
