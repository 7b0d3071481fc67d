import { isDeepStrictEqual } from "node:util";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import { kindNamed } from "../kinds/index.ts";
import type { Kind } from "../kinds/kind.ts";
import { kindOf } from "../model/address.ts";
import { openFields, openValue } from "../model/body.ts";
import { clearFields } from "../model/clear-values.ts";
import { type Json, jsonText } from "../model/json.ts";
import type { Step, StepId } from "../model/plan.ts";
import type { Fields, Key, Remote, Resource } from "../model/resource.ts";
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
  if (!steps.some(({ address }) => isOfDns(kindOf(address)))) return zones;
  const stepOf = new Map(steps.map((step) => [step.address, step]));
  const add = ({ address, kind: name, key }: Named, remotes: readonly Remote[]) => {
    const kind = kindNamed(name);
    const { answers, signs } = kind.availability ?? {};
    const step = stepOf.get(address);
    if (answers) {
      const { zone, name: owner, type } = answers.at(key);
      const set = recordSet(kind, key, { remotes, wanted: step && desired.resources.get(address), step });
      getOrMake(zoneNamed(zones, zone).names, owner, () => new Map()).set(type, set);
    } else if (signs) {
      const before = remotes.some(({ fields }) => signs(fields));
      const wanted = openFields(desired.resources.get(address)?.fields ?? {});
      const after =
        step === undefined ? before : step.action !== "delete" && signs({ ...remotes[0]?.fields, ...wanted });
      zoneNamed(zones, key["zone"] ?? "").signed = { before, after, step: step?.id };
    }
  };
  for (const resource of live.resources.values()) add(resource, resource.remotes);
  for (const address of stepOf.keys()) {
    const resource = live.resources.has(address) ? undefined : desired.resources.get(address);
    if (resource) add(resource, []);
  }
  return zones;
}

type Named = Pick<Resource, "address" | "kind" | "key">;

/** Whether one of these steps may change the answer of a name. Where none does, no record of the account has a say in their order. */
export function mayChangeAnswers({ live, desired }: PlanInput, steps: readonly Step[]): boolean {
  return steps.some((step) => {
    const kind = kindNamed(kindOf(step.address));
    const { answers, signs, delegates } = kind.availability ?? {};
    if (!answers) return signs !== undefined || delegates !== undefined;
    const [now, wanted] = [live.resources.get(step.address), desired.resources.get(step.address)];
    const key = (now ?? wanted)?.key;
    return key !== undefined && recordSet(kind, key, { remotes: now?.remotes ?? [], wanted, step }).step !== undefined;
  });
}

function isOfDns(kind: string): boolean {
  const { answers, signs } = kindNamed(kind).availability ?? {};
  return answers !== undefined || signs !== undefined;
}

const zoneNamed = (zones: Map<string, Zone>, name: string): Zone =>
  getOrMake(zones, name, () => ({ names: new Map(), signed: undefined }));

interface PlannedSet {
  readonly remotes: readonly Remote[];
  /** The desired set, where a step changes it. */
  readonly wanted: Resource | undefined;
  readonly step: Step | undefined;
}

function recordSet(kind: Kind, key: Key, { remotes, wanted, step }: PlannedSet): RecordSet {
  const given = (all: readonly { readonly fields: Fields }[]) =>
    all.filter(({ fields }) => kind.availability?.answers?.counts(fields) === true);
  const now = given(remotes);
  const before = now.flatMap(({ fields }) => namedBy(kind, key, fields));
  if (!step) return { before, after: before, step: undefined, rewrittenBy: undefined };
  const kept = remotes.filter((remote) => isPlatformOwned(kind, remote));
  const members = wanted?.members?.map(({ fields }) => ({ fields: clearFields(fields) })) ?? [];
  const then = given(step.action === "delete" ? kept : [...kept, ...members]);
  const after = then.flatMap(({ fields }) => namedBy(kind, key, fields));
  // Of data that names no host it is enough that it is there.
  const sameAnswer = [...before, ...after].some((host) => host !== null)
    ? isSameSet(before, after)
    : (before.length === 0) === (after.length === 0);
  const data = (all: readonly { readonly fields: Fields }[]) =>
    all.map(({ fields }) => jsonText(fields[kind.members?.identity ?? ""]));
  return {
    before,
    after,
    step: sameAnswer ? undefined : step.id,
    rewrittenBy: isSameSet(data(now), data(then)) ? undefined : step.id,
    ...(isTakenAwayFirst(step) && { during: [] }),
  };
}

function namedBy(kind: Kind, key: Key, fields: Fields): readonly (string | null)[] {
  const hosts = kind.availability?.answers?.targets(key, fields) ?? [];
  return hosts.length === 0 ? [null] : hosts;
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

/**
 * Returns the names below the owner of a DNAME, each with the records of the name that it is redirected to: the owners of records below the
 * targets that the DNAME has before or after.
 */
export function redirectedNames(zones: Zones, owner: string, { before, after }: RecordSet) {
  return [...new Set([...before, ...after])].flatMap((host) =>
    host === null
      ? []
      : namesBelow(zones, host).map(([target, sets]) => ({
          name: target.slice(0, -host.length) + owner,
          sets,
        })),
  );
}

/** Returns the owners of records below a name, in every zone of the account, without the name itself. */
export function namesBelow(zones: Zones, host: string): [string, ReadonlyMap<string, RecordSet>][] {
  return [...zones.values()].flatMap(({ names }) => [...names].filter(([name]) => name.endsWith(`.${host}`)));
}
