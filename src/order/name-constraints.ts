import { locate } from "../kinds/derived/locate.ts";
import type { Step } from "../model/plan.ts";
import {
  availabilityConstraint,
  noEvidence,
  type AvailabilityConstraint,
  type PlannedValue,
  type ValueAt,
} from "./availability.ts";
import { addressTypes, findAnswer, namesAbove } from "./is-answered.ts";
import { rememberAnswering } from "./may-answer.ts";
import { rememberNearChanges } from "./near-changes.ts";
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
