import { aliasTypes } from "../kinds/dns/record-types.ts";
import type { StepId } from "../model/plan.ts";
import {
  lookAtEnd,
  lookBefore,
  noEvidence,
  type AvailabilityConstraint,
  type Evidence,
  type ValueAt,
} from "./availability.ts";
import { addressTypes, findAnswer, findServer, namesAbove, typesNeeded } from "./is-answered.ts";
import { type Delegation, namesBelow, type RecordSet, type Zone, type Zones } from "./zones.ts";
import { getOrMake } from "../lib/collect.ts";

/**
 * Returns the wishes of records that come or go. The host that a record names has its addresses before the record comes, and keeps them
 * until the record is gone. Likewise a DS record wants the delegation that it is beside, and the signatures of its zone. These are
 * preferences: references, slots and names that answer already come first.
 */
export function targetConstraints(zones: Zones): AvailabilityConstraint[] {
  const behind = rememberSteps(zones);
  const found: AvailabilityConstraint[] = [];
  for (const [apex, zone] of zones) {
    for (const [name, sets] of zone.names) {
      for (const [type, set] of sets) {
        if (set.step === undefined) continue;
        const owner = { zones, zone, apex, name, type, set, step: set.step };
        found.push(...hostConstraints(owner, behind));
        if (type === "DS") found.push(...signerConstraints(owner));
      }
    }
  }
  return found;
}

/**
 * Returns the preferences of the name servers of domains: their hosts come first and go last, as those of an NS record do; and a domain is
 * handed over only to a new zone that has its records, and taken from a zone before the records go.
 */
export function delegationConstraints(zones: Zones, delegations: readonly Delegation[]): AvailabilityConstraint[] {
  const behind = rememberSteps(zones);
  return delegations.flatMap(({ name, servers: set, step }) => {
    const zone = zones.get(name) ?? { names: new Map<string, Map<string, RecordSet>>(), signed: undefined };
    const owner = { zones, zone, apex: name, name, type: "NS", set, step };
    return [...hostConstraints(owner, behind), ...zoneConstraints(owner)];
  });
}

/** A delegation that changes its servers wants the records of a zone that is made, or that goes, at its new or its old servers. */
function zoneConstraints(owner: TargetOwner): AvailabilityConstraint[] {
  const { zone, set, step } = owner;
  if (set.before.length === 0 || set.after.length === 0) return [];
  const sets = [...zone.names.values()].flatMap((each) => [...each.values()]);
  const stepped = sets.filter((each) => each.step !== undefined);
  const steps = new Set(stepped.flatMap((each) => each.step ?? []));
  const own = new Set([step]);
  const wants = (servers: readonly (string | null)[]) => (look: ValueAt) =>
    look(set) === servers && stepped.some((each) => look(each).length === 0) ? undefined : noEvidence();
  const isNew = sets.every(({ before }) => before.length === 0);
  const isLeft = stepped.every(({ after }) => after.length === 0);
  if (steps.size === 0) return [];
  if (isNew) return [wish(owner, wants(set.after), steps, own)];
  return isLeft ? [wish(owner, wants(set.before), own, steps)] : [];
}

/** A set of records that a step changes, and the place where it stands. */
interface TargetOwner {
  readonly zones: Zones;
  readonly zone: Zone;
  readonly apex: string;
  readonly name: string;
  readonly type: string;
  readonly set: RecordSet;
  readonly step: StepId;
}

/** A wish that some steps run before others. */
const wish = (
  { name, type }: TargetOwner,
  holds: AvailabilityConstraint["holds"],
  enablingSteps: ReadonlySet<StepId>,
  disruptingSteps: ReadonlySet<StepId>,
  through: ReadonlySet<string> = new Set(),
): AvailabilityConstraint => ({ name, types: [type], holds, enablingSteps, disruptingSteps, through });

type StepsBehind = (owner: TargetOwner, host: string, look: ValueAt) => ReadonlySet<StepId>;

function hostConstraints(owner: TargetOwner, behind: StepsBehind): AvailabilityConstraint[] {
  const { zones, type, set } = owner;
  const own = new Set([owner.step]);
  return [lookAtEnd, lookBefore].flatMap((look) => {
    const stays = new Set(look === lookAtEnd ? set.before : set.after);
    return [...new Set(look(set))].flatMap((named) => {
      if (named === null || stays.has(named)) return [];
      return hostsAt(owner, named).flatMap((host) => {
        const others = behind(owner, host, look);
        if (others.size === 0) return [];
        const holds = (at: ValueAt) => (at(set).includes(named) ? reach(owner, host, at) : noEvidence());
        const through = new Set(typesAskedFor(zones, type, host).map((each) => `${host} ${each}`));
        return [
          look === lookAtEnd ? wish(owner, holds, others, own, through) : wish(owner, holds, own, others, through),
        ];
      });
    });
  });
}

/** The hosts that a record leads to: the host that it names, or for a DNAME, every name below that host. */
const hostsAt = ({ zones, type }: TargetOwner, named: string): string[] =>
  type === "DNAME" ? namesBelow(zones, named).map(([name]) => name) : [named];

/** Whatever a delegation server or a host answers for; an alias stands for its target whatever is asked for. */
function reach(owner: TargetOwner, host: string, look: ValueAt): Evidence | undefined {
  const { zones, zone, name, type } = owner;
  if (isBelowCut(owner, host)) return findServer({ zones, look, hosts: true }, zone, name, host);
  return findAnswer({ zones, look, hosts: true }, host, typesAskedFor(zones, type, host));
}

/** Finds the steps that a host's answers rest on at a moment, once for all records that name it. */
function rememberSteps(zones: Zones): StepsBehind {
  const known = new Map<ValueAt, Map<string, ReadonlySet<StepId>>>();
  return (owner, host, look) => {
    if (isBelowCut(owner, host)) return stepsOfGlue(owner, host, look);
    const types = typesAskedFor(zones, owner.type, host);
    const remembered = getOrMake(known, look, () => new Map());
    return getOrMake(remembered, `${types.join()} ${host}`, () => stepsOfHost(zones, types, host, look));
  };
}

function stepsOfHost(zones: Zones, types: readonly string[], host: string, look: ValueAt): ReadonlySet<StepId> {
  const steps = types.flatMap((each) => {
    const ask = (hosts: boolean) => findAnswer({ zones, look, hosts }, host, [each]);
    const found = ask(true) ?? ask(false);
    return found ? [...found.steps, ...found.rewriting] : [];
  });
  return new Set(steps);
}

/** The glue beside a delegation, of either family, and the same records in the zone that is delegated. */
function stepsOfGlue({ zones, zone, name }: TargetOwner, server: string, look: ValueAt): ReadonlySet<StepId> {
  const sets = [zone, zones.get(name)].flatMap((each) =>
    addressTypes.flatMap((type) => each?.names.get(server)?.get(type) ?? []),
  );
  const given = sets.filter((set) => look(set).length > 0);
  return new Set(given.flatMap(({ step, rewrittenBy }) => [step ?? [], rewrittenBy ?? []].flat()));
}

const isAlias = (type: string) => aliasTypes.includes(type);

/** The types that a record of this type asks for at its host: an address, unless the host is only another name. */
const typesAskedFor = (zones: Zones, type: string, host: string): readonly string[] =>
  isAlias(type) || type === "NAPTR" ? [...typesAt(zones, host)] : typesNeeded(type);

/** Whether a name server lies below the name that is delegated to it, so that it needs glue. */
const isBelowCut = ({ type, name, apex }: TargetOwner, host: string) =>
  type === "NS" && name !== apex && (host === name || host.endsWith(`.${name}`));

/** The types that may be asked for at a host, before or after, along its aliases too. */
function typesAt(zones: Zones, host: string): ReadonlySet<string> {
  const types = new Set<string>(addressTypes);
  const passed = new Set([host]);
  for (const name of passed) {
    const apexes = passed.size > 8 ? [] : namesAbove(name).filter((above) => zones.has(above));
    for (const [type, { before, after }] of apexes.flatMap((apex) => [...(zones.get(apex)?.names.get(name) ?? [])])) {
      if (!isAlias(type)) types.add(type);
      else for (const next of [...before, ...after]) if (next !== null) passed.add(next);
    }
  }
  return types;
}

/** A DS record comes after the delegation and the signatures of its zone, and goes before them. */
function signerConstraints(owner: TargetOwner): AvailabilityConstraint[] {
  const { zones, zone, name, set, step } = owner;
  const servers = zone.names.get(name)?.get("NS");
  const signed = zones.get(name)?.signed;
  const holds = (look: ValueAt) => {
    const isGiven = look(set).length > 0;
    const isLame = servers === undefined || look(servers).length === 0 || (signed !== undefined && !look(signed));
    return isGiven && isLame ? undefined : noEvidence();
  };
  const [before, after] = [set.before.length > 0, set.after.length > 0];
  const all = [servers, signed].flatMap((value) => value?.step ?? []);
  if (before === after || all.length === 0 || !holds(before ? lookBefore : lookAtEnd)) return [];
  const [own, others] = [new Set([step]), new Set(all)];
  return [before ? wish(owner, holds, own, others) : wish(owner, holds, others, own)];
}
