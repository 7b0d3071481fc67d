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
import { type RecordSet, redirectedNames, type Zones } from "./zones.ts";
import { addTo, getOrMake } from "../lib/collect.ts";

/** All that answers before and after these steps, and may not in between: DNS names by type, and mail addresses. */
export function findConstraints(zones: Zones, steps: readonly Step[]): AvailabilityConstraint[] {
  return [...nameConstraints(zones), ...holderConstraints(steps)];
}

function nameConstraints(zones: Zones): AvailabilityConstraint[] {
  const isNearChange = rememberNearChanges(zones);
  const mayAnswer = rememberAnswering(zones);
  return [...touchedNames(zones)].flatMap(([name, types]) => {
    if (!isNearChange(name) || !mayAnswer(name)) return [];
    const held = [...types].flatMap((type) => answerConstraint(zones, name, [type]));
    if (![...types].some(isAddress) || held.some((each) => each.types.some(isAddress))) return held;
    // An address of one family may give way to one of the other.
    return [...held, ...answerConstraint(zones, name, addressTypes)];
  });
}

const isAddress = (type: string) => addressTypes.some((each) => each === type);

/** Returns the constraint on a name's answer. Where no named host has an address, before or after, it still counts that one is named. */
function answerConstraint(zones: Zones, name: string, types: readonly string[]): AvailabilityConstraint[] {
  const ask = (hosts: boolean) =>
    availabilityConstraint({ name, types, holds: (look) => findAnswer({ zones, look, hosts }, name, types) });
  const found = ask(true) ?? ask(false);
  return found ? [found] : [];
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
      const redirection = sets.get("DNAME");
      for (const each of redirection ? redirectedNames(zones, name, redirection) : []) touch(each.name, each.sets);
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
function holderConstraints(steps: readonly Step[]): AvailabilityConstraint[] {
  const holders = new Map<string, PlannedValue<boolean>[]>();
  for (const { id, address, action } of steps) {
    const { kind, key } = locate(address);
    const name = kind.availability?.address?.(key);
    if (name === undefined || (action !== "create" && action !== "delete")) continue;
    const value = { before: action === "delete", after: action === "create", step: id };
    addTo(holders, name, value);
  }
  return [...holders].flatMap(([name, planned]) => {
    const holds = (look: ValueAt) =>
      planned.some((value) => look(value)) ? { ...noEvidence(), steps: stepsOf(planned) } : undefined;
    const found = availabilityConstraint({ name, types: [], holds });
    return found ? [found] : [];
  });
}

const stepsOf = (planned: readonly PlannedValue<boolean>[]) => new Set(planned.flatMap(({ step }) => step ?? []));

/**
 * Returns whether a name may answer both before and after the plan: by records of its own, or by a wildcard, a DNAME or a delegation above it.
 * May say so of a name that does not answer, never the opposite. To look for the answer itself takes far longer.
 */
export function rememberAnswering(zones: Zones): (name: string) => boolean {
  const [before, after] = [rememberAnsweringAt(zones, "before"), rememberAnsweringAt(zones, "after")];
  return (name) => {
    const above = namesAbove(name);
    const apexes = above.filter((each) => zones.has(each));
    return apexes.length === 0 || (before(above, apexes) && after(above, apexes));
  };
}

function rememberAnsweringAt(zones: Zones, moment: "before" | "after") {
  /** The names below which names without records may answer. */
  const spreading = new Set<string>();
  for (const [apex, { names }] of zones)
    for (const [name, sets] of names)
      for (const [type, { [moment]: given }] of sets) {
        if (given.length === 0) continue;
        if (name.startsWith("*.")) spreading.add(name.slice(2));
        if (type === "DNAME" || (type === "NS" && name !== apex)) spreading.add(name);
      }
  return (above: readonly string[], apexes: readonly string[]): boolean =>
    above.some((each) => spreading.has(each)) ||
    apexes.some((apex) =>
      [
        ...(zones
          .get(apex)
          ?.names.get(above[0] ?? "")
          ?.values() ?? []),
      ].some((set) => set[moment].length > 0),
    );
}

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
