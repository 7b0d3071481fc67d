import { locate } from "../../kinds/derived/locate.ts";
import type { Step } from "../../model/plan.ts";
import type { PlanInput } from "../context.ts";
import { continuityOf, type Continuity, type Fact } from "./facts.ts";
import { isAnswered, namesAbove } from "./is-answered.ts";
import { readZones, type RecordSet, type Zones } from "./zones.ts";

/** All that answers before and after these steps, and may not in between: DNS names by type, and mail addresses. */
export function continuities(input: PlanInput, steps: readonly Step[]): Continuity[] {
  const touching = steps.filter(({ address }) => {
    const { kind } = locate(address);
    return kind.answers !== undefined || kind.signs !== undefined;
  });
  const zones = touching.length > 0 ? readZones(input, touching) : new Map();
  return [...nameContinuities(zones), ...holderContinuities(steps)];
}

function nameContinuities(zones: Zones): Continuity[] {
  return [...touchedNames(zones)].flatMap(([name, types]) =>
    [...types].flatMap((type) => {
      const found = continuityOf({
        name,
        type,
        holds: (look, through) => isAnswered(zones, look, name, type, through),
      });
      return found ? [found] : [];
    }),
  );
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
  for (const { names } of zones.values()) {
    for (const [name, sets] of names) {
      const isTouched =
        [...sets].some(([type, set]) => set.step !== undefined || pointing.has(type)) ||
        (handedOver.size > 0 && namesAbove(name).some((above) => handedOver.has(above)));
      if (!isTouched) continue;
      const types = found.get(name) ?? new Set();
      for (const type of askedFor(sets)) types.add(type);
      found.set(name, types);
    }
  }
  return found;
}

const pointing: ReadonlySet<string> = new Set(["CNAME", "ALIAS"]);

function askedFor(sets: ReadonlyMap<string, RecordSet>): string[] {
  const own = [...sets.keys()].filter((type) => !pointing.has(type));
  if (sets.has("CNAME")) return [...own, "A", "AAAA", "MX", "TXT"];
  return sets.has("ALIAS") ? [...own, "A", "AAAA"] : own;
}

/** What one resource gives up and another takes, such as the address of a mailbox that becomes an alias. */
function holderContinuities(steps: readonly Step[]): Continuity[] {
  const holders = new Map<string, Fact<boolean>[]>();
  for (const { id, address, action } of steps) {
    const { kind, key } = locate(address);
    const name = kind.reachedAt?.(key);
    if (name === undefined || (action !== "create" && action !== "delete")) continue;
    const fact = { before: action === "delete", after: action === "create", step: id };
    holders.set(name, [...(holders.get(name) ?? []), fact]);
  }
  return [...holders].flatMap(([name, facts]) => {
    const found = continuityOf({ name, holds: (look) => facts.filter((fact) => look(fact)).length > 0 });
    return found ? [found] : [];
  });
}
