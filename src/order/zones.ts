import { isDeepStrictEqual } from "node:util";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf } from "../model/address.ts";
import { openFields, openValue } from "../model/body.ts";
import { clearFields } from "../model/clear-values.ts";
import { type Json, jsonText } from "../model/json.ts";
import type { Step, StepId } from "../model/plan.ts";
import type { Desired, Fields, Key, Remote } from "../model/resource.ts";
import type { PlanInput } from "../model/plan-input.ts";
import type { PlannedValue } from "./availability.ts";
import { getOrMake } from "../lib/collect.ts";

/**
 * The records of a set that are given out: for each the host that it names, or null where it names none. None where nothing is there, or
 * all of it is disabled.
 */
export interface RecordSet extends PlannedValue<readonly (string | null)[]> {
  /** The step that changes the data of the set, also where that is the same answer. */
  readonly rewrittenBy: StepId | undefined;
}

/** A zone as its servers know it: sets of records by the full name of their owner and their type. */
export interface Zone {
  readonly names: Map<string, Map<string, RecordSet>>;
  signed: PlannedValue<boolean> | undefined;
}

export type Zones = ReadonlyMap<string, Zone>;

/** The account's zones before and after these steps, as far as they were read or are declared. */
export function readZones({ live, desired }: PlanInput, steps: readonly Step[]): Zones {
  const zones = new Map<string, Zone>();
  const stepOf = new Map(steps.map((step) => [step.address, step]));
  const added = [...stepOf.keys()].flatMap((address) =>
    live.resources.has(address) ? [] : (desired.resources.get(address) ?? []),
  );
  for (const resource of [...live.resources.values(), ...added]) {
    const { address, key } = resource;
    const kind = kindNamed(resource.kind);
    const remotes = live.resources.get(address)?.remotes ?? [];
    const { answers, signs } = kind.availability ?? {};
    const step = stepOf.get(address);
    if (answers) {
      const { zone, name: owner, type } = answers.at(key);
      const set = recordSet(kind, key, remotes, desired, step);
      getOrMake(zoneNamed(zones, zone).names, owner, () => new Map()).set(type, set);
    } else if (signs) {
      const before = remotes.some(({ fields }) => signs(fields));
      const wanted = openFields(desired.resources.get(address)?.fields ?? {});
      const after =
        step === undefined ? before : step.action !== "delete" && signs({ ...remotes[0]?.fields, ...wanted });
      zoneNamed(zones, key["zone"] ?? "").signed = { before, after, step: step?.id };
    }
  }
  return zones;
}

/** Whether one of these steps may change the answer of a name. Where none does, no record of the account has a say in their order. */
export const mayChangeAnswers = ({ live, desired }: PlanInput, steps: readonly Step[]): boolean =>
  steps.some((step) => {
    const kind = kindNamed(kindOf(step.address));
    const { answers, signs, delegates } = kind.availability ?? {};
    const now = live.resources.get(step.address);
    const { key } = now ?? desired.resources.get(step.address) ?? {};
    if (!answers || !key) return signs !== undefined || delegates !== undefined;
    return recordSet(kind, key, now?.remotes ?? [], desired, step).step !== undefined;
  });

const zoneNamed = (zones: Map<string, Zone>, name: string): Zone =>
  getOrMake(zones, name, () => ({ names: new Map(), signed: undefined }));

function recordSet(
  kind: Kind,
  key: Key,
  remotes: readonly Remote[],
  desired: Desired,
  step: Step | undefined,
): RecordSet {
  const { counts, targets } = kind.availability?.answers ?? {};
  const hostsOf = (all: readonly Fields[]) =>
    all.flatMap((fields): readonly (string | null)[] => {
      const hosts = targets?.(key, fields) ?? [];
      return hosts.length === 0 ? [null] : hosts;
    });
  const given = (all: readonly Fields[]) => all.filter((fields) => counts?.(fields));
  const now = given(remotes.map(({ fields }) => fields));
  const before = hostsOf(now);
  if (!step) return { before, after: before, step: undefined, rewrittenBy: undefined };
  const kept = remotes.filter((remote) => isPlatformOwned(kind, remote)).map(({ fields }) => fields);
  const members = step.action === "delete" ? [] : (desired.resources.get(step.address)?.members ?? []);
  const then = given([...kept, ...members.map(({ fields }) => clearFields(fields))]);
  const after = hostsOf(then);
  // Of data that names no host it is enough that it is there.
  const sameAnswer = [...before, ...after].some((host) => host !== null)
    ? isSameSet(before, after)
    : (before.length === 0) === (after.length === 0);
  const data = (all: readonly Fields[]) => all.map((fields) => jsonText(fields[kind.members?.identity ?? ""]));
  return {
    before,
    after,
    step: sameAnswer ? undefined : step.id,
    rewrittenBy: isSameSet(data(now), data(then)) ? undefined : step.id,
    ...(isTakenAwayFirst(step) && { during: [] }),
  };
}

const isSameSet = (some: readonly (string | null)[], others: readonly (string | null)[]) =>
  isDeepStrictEqual(sorted(some), sorted(others));

const sorted = (texts: readonly (string | null)[]) => texts.map((text) => text ?? "").sort();

const isTakenAwayFirst = ({ calls }: Step) =>
  calls[0]?.operation === "delete" && calls.some(({ operation }) => operation === "create");

/** A name that the zone above hands over, such as a domain at its registry, and the name servers that it is handed to. */
export interface Delegation {
  readonly name: string;
  readonly servers: RecordSet;
  readonly step: StepId;
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
    return [{ name: delegates.name(resource.key), step: id, servers: { before, after, step: id, rewrittenBy: id } }];
  });
}

const hostsOf = (value: Json | undefined): string[] =>
  Array.isArray(value) ? value.filter((host) => typeof host === "string").sort() : [];

/** Returns the owners of records below a name, in every zone of the account, without the name itself. */
export function namesBelow(zones: Zones, host: string): [string, ReadonlyMap<string, RecordSet>][] {
  return [...zones.values()].flatMap(({ names }) => [...names].filter(([name]) => name.endsWith(`.${host}`)));
}
