import { aliasTypes } from "../kinds/dns/record-types.ts";
import type { StepId } from "../model/plan.ts";
import {
  addEvidence,
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
  return delegations.flatMap(({ name, servers }) => {
    const zone = zones.get(name) ?? { names: new Map<string, Map<string, RecordSet>>(), signed: undefined };
    if (servers.step === undefined) return [];
    const owner = { zones, zone, apex: name, name, type: "NS", set: servers, step: servers.step };
    return [...hostConstraints(owner, behind), ...zoneConstraints(owner)];
  });
}

/** A delegation that changes its servers wants the records of a zone that is made, or that goes, at its new or its old servers. */
function zoneConstraints({ zone, name, type, set, step }: TargetOwner): AvailabilityConstraint[] {
  if (set.before.length === 0 || set.after.length === 0) return [];
  const sets = [...zone.names.values()].flatMap((each) => [...each.values()]);
  const stepped = sets.filter((each) => each.step !== undefined);
  const steps = new Set(stepped.flatMap((each) => each.step ?? []));
  const own = new Set([step]);
  const shared = { name, types: [type], through: new Set<string>() };
  const wants = (servers: readonly (string | null)[]) => (look: ValueAt) =>
    look(set) === servers && stepped.some((each) => look(each).length === 0) ? undefined : noEvidence();
  const isNew = sets.every(({ before }) => before.length === 0);
  const isLeft = stepped.every(({ after }) => after.length === 0);
  if (steps.size === 0) return [];
  if (isNew) return [{ ...shared, holds: wants(set.after), enablingSteps: steps, disruptingSteps: own }];
  return isLeft ? [{ ...shared, holds: wants(set.before), enablingSteps: own, disruptingSteps: steps }] : [];
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

type StepsBehind = (owner: TargetOwner, host: string, look: ValueAt) => ReadonlySet<StepId>;

function hostConstraints(owner: TargetOwner, behind: StepsBehind): AvailabilityConstraint[] {
  const { zones, name, type, set, step } = owner;
  const [before, after] = [new Set(set.before), new Set(set.after)];
  const link = (
    named: string,
    host: string,
    enabling: ReadonlySet<StepId>,
    disrupting: ReadonlySet<StepId>,
  ): AvailabilityConstraint[] => {
    if (enabling.size === 0 || disrupting.size === 0) return [];
    const holds = (look: ValueAt) => (look(set).includes(named) ? reach(owner, host, look) : noEvidence());
    const through = new Set(typesAskedFor(zones, type, host).map((each) => `${host} ${each}`));
    return [{ name, types: [type], holds, enablingSteps: enabling, disruptingSteps: disrupting, through }];
  };
  const own = new Set([step]);
  return [
    ...[...after].flatMap((named) =>
      named === null || before.has(named)
        ? []
        : hostsAt(owner, named).flatMap((host) => link(named, host, behind(owner, host, lookAtEnd), own)),
    ),
    ...[...before].flatMap((named) =>
      named === null || after.has(named)
        ? []
        : hostsAt(owner, named).flatMap((host) => link(named, host, own, behind(owner, host, lookBefore))),
    ),
  ];
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
    if (isBelowCut(owner, host)) return stepsIn(serverAnswers(owner, host, look));
    const place = `${isAlias(owner.type) || owner.type === "NAPTR" ? "any" : typesNeeded(owner.type).join()} ${host}`;
    const remembered = getOrMake(known, look, () => new Map());
    return getOrMake(remembered, place, () => stepsIn(hostAnswers(zones, owner.type, host, look)));
  };
}

function hostAnswers(zones: Zones, type: string, host: string, look: ValueAt): (Evidence | undefined)[] {
  return typesAskedFor(zones, type, host).map(
    (each) =>
      findAnswer({ zones, look, hosts: true }, host, [each]) ?? findAnswer({ zones, look, hosts: false }, host, [each]),
  );
}

/** The glue beside a delegation, of either family, and the same records in the zone that is delegated. */
function serverAnswers({ zones, zone, name }: TargetOwner, server: string, look: ValueAt): Evidence[] {
  return [zone, zones.get(name)].flatMap((each) =>
    addressTypes.flatMap((type) => {
      const set = each?.names.get(server)?.get(type);
      if (!set || look(set).length === 0) return [];
      return [{ ...noEvidence(), steps: asSet(set.step), rewriting: asSet(set.rewrittenBy) }];
    }),
  );
}

const asSet = (step: StepId | undefined) => new Set(step === undefined ? [] : [step]);

function stepsIn(answers: readonly (Evidence | undefined)[]): ReadonlySet<StepId> {
  const all = noEvidence();
  for (const each of answers) if (each) addEvidence(all, each);
  return new Set([...all.steps, ...all.rewriting]);
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
function signerConstraints({ zones, zone, name, type, set, step }: TargetOwner): AvailabilityConstraint[] {
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
  const shared = { name, types: [type], holds, through: new Set<string>() };
  return [
    before
      ? { ...shared, enablingSteps: own, disruptingSteps: others }
      : { ...shared, enablingSteps: others, disruptingSteps: own },
  ];
}
