import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import type { Kind } from "../../kinds/kind.ts";
import { addTo } from "../../lib/collect.ts";
import { jsonText } from "../../model/json.ts";
import type { CollectionId, CollectionPolicy } from "../../model/resource.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import {
  holdsAny,
  ownerOf,
  recordsIn,
  servesAny,
  pointsTo,
  type DeclaredRecord,
  type DeclaredSet,
} from "./declared-sets.ts";

/**
 * The result of looking a name up in the declared zones. `absent`: no declared record has the name and the type; `surely` tells
 * whether nothing else can be there. `unknown`: the manifest cannot tell (a foreign or delegated name, an ignored one).
 */
export type Lookup =
  | { readonly is: "found"; readonly records: readonly DeclaredRecord[] }
  | { readonly is: "absent"; readonly zone: string; readonly surely: boolean }
  | { readonly is: "unknown" };

interface DeclaredZone {
  readonly name: string;
  policy?: CollectionPolicy | undefined;
  readonly sets: DeclaredSet[];
  /** Whether the manifest has any records of the zone; a zone may be declared only to say that it exists. */
  hasRecords: boolean;
  /** Its names, once a rule has looked one up: many zones are never asked. */
  names?: ZoneNames;
}

interface ZoneNames {
  /** The sets by owner name. */
  readonly setsAt: ReadonlyMap<string, readonly DeclaredSet[]>;
  /** The apex, and the names above the owner names (RFC 4592 section 2.2). */
  readonly nodesAbove: ReadonlySet<string>;
}

/** The zones of a manifest with the records that they serve. */
export interface DeclaredZones {
  /** Returns the records of some types in their order. `holds`: only of sets that have such a content. */
  readonly recordsOf: (types: readonly string[], holds?: (content: string) => boolean) => readonly DeclaredRecord[];
  /** The same, of the sets of which a record points to a name of a declared zone. Most point to the hosts of others. */
  readonly recordsPointingInside: (types: readonly string[]) => readonly DeclaredRecord[];
  /** Returns the name of each set of some types. */
  readonly ownersOf: (types: readonly string[]) => readonly string[];
  /** Returns the records at a name, following CNAMEs: those of the first of the types, or of all types, that has some. */
  readonly look: (name: string, types?: readonly string[]) => Lookup;
  /** Returns the records that a zone itself holds at a name, also at or below a name that it delegates. */
  readonly held: (zone: string, name: string, types: readonly string[]) => Lookup;
  /** Returns the first record of a type that surely answers for a name: its own, or, in an exclusive zone, that of a wildcard. */
  readonly recordFor: (name: string, type: string) => DeclaredRecord | undefined;
  /** Returns the DNAME record that rewrites a name, if one stands above it. */
  readonly rewritingAt: (name: string) => DeclaredRecord | undefined;
  /** Returns the name of the declared zone that holds a name. */
  readonly zoneOf: (name: string) => string | undefined;
}

/** More steps than any sensible chain of aliases has: a DNAME can lead to ever longer names without passing one twice. */
export const longestChain = 64;

const unknown: Lookup = { is: "unknown" };
const noSets: readonly DeclaredSet[] = [];

/** Reads the zones out of what a manifest declares: blocks of zones, and of sets of records. */
export function readDeclaredZones(
  declared: readonly WrittenResource[],
  written: readonly WrittenResource[],
  collections: ReadonlyMap<CollectionId, CollectionPolicy>,
): DeclaredZones {
  const zones = new Map<string, DeclaredZone>();
  const byType = new Map<string, DeclaredSet[]>();
  for (const { resource } of declared) addZone(zones, jsonText(resource.key["name"]));
  for (const [index, each] of written.entries()) {
    const { zone = "", type = "" } = each.resource.key;
    const declaredZone = zones.get(zone) ?? addZone(zones, zone);
    declaredZone.hasRecords = true;
    if (!servesAny(each)) continue;
    const set = { type, written: each, index };
    addTo(byType, type, set);
    declaredZone.sets.push(set);
  }
  const kind = written[0]?.kind;
  if (kind)
    for (const zone of zones.values()) zone.policy = collections.get(collectionOf(kind, { zone: zone.name }).id);
  const ofTypes = (types: readonly string[]): readonly DeclaredSet[] => {
    const [first = [], ...others] = types.flatMap((type) => {
      const sets = byType.get(type);
      return sets ? [sets] : [];
    });
    return others.length === 0 ? first : first.concat(...others).sort((one, other) => one.index - other.index);
  };
  const isDeclared = (name: string) => holding(zones, name) !== undefined;
  return {
    recordsOf: (types, holds) => {
      const all = ofTypes(types);
      return (holds ? all.filter((set) => holdsAny(set, holds)) : all).flatMap(recordsIn);
    },
    recordsPointingInside: (types) =>
      ofTypes(types)
        .filter((set) => (set.pointsInside ??= pointsTo(set, isDeclared)))
        .flatMap(recordsIn),
    ownersOf: (types) => ofTypes(types).map(ownerOf),
    ...lookups(zones, kind),
  };
}

function addZone(zones: Map<string, DeclaredZone>, name: string): DeclaredZone {
  const zone = { name, sets: [], hasRecords: false };
  zones.set(name, zone);
  return zone;
}

/** Returns the names of a zone, the same ones each time. */
const namesIn = (zone: DeclaredZone): ZoneNames => (zone.names ??= readNames(zone));

function readNames({ name, sets }: DeclaredZone): ZoneNames {
  const setsAt = new Map<string, DeclaredSet[]>();
  const nodesAbove = new Set([name]);
  for (const set of sets) {
    const owner = ownerOf(set);
    addTo(setsAt, owner, set);
    for (let node = parentOf(owner); node.length > name.length && !nodesAbove.has(node); node = parentOf(node))
      nodesAbove.add(node);
  }
  return { setsAt, nodesAbove };
}

const setsAt = (zone: DeclaredZone, name: string): readonly DeclaredSet[] | undefined => namesIn(zone).setsAt.get(name);

const parentOf = (name: string) => name.slice(name.indexOf(".") + 1);

function holding(zones: ReadonlyMap<string, DeclaredZone>, name: string): DeclaredZone | undefined {
  for (let at: string = name; ; at = parentOf(at)) {
    const zone = zones.get(at);
    if (zone || !at.includes(".")) return zone;
  }
}

function lookups(
  zones: ReadonlyMap<string, DeclaredZone>,
  kind: Kind | undefined,
): Pick<DeclaredZones, "look" | "held" | "recordFor" | "rewritingAt" | "zoneOf"> {
  const ownAt = (name: string): readonly DeclaredSet[] | undefined => {
    const zone = holding(zones, name);
    if (!zone || isElsewhere(zone, name)) return undefined;
    return setsAt(zone, name) ?? (namesIn(zone).nodesAbove.has(name) ? noSets : wildcardAt(zone, name));
  };
  const look = (name: string, types: readonly string[] | undefined, steps: number): Lookup => {
    const zone = holding(zones, name);
    const own = ownAt(name);
    if (!zone || !own) return unknown;
    const [first] = types ? setsOf(own, types) : own;
    if (first) return { is: "found", records: recordsIn(first) };
    const alias = firstOf(own, "CNAME");
    // A circle, a chain without end, and a target that is not written here are no reason to say that nothing is there.
    const [target] = alias?.targets ?? [];
    if (alias) return target === undefined || steps === longestChain ? unknown : look(target, types, steps + 1);
    if (kind && mayBeIgnored(zone, kind, name, types)) return unknown;
    const isExclusive = zone.policy?.exclusive === true;
    if (!isExclusive && !zone.hasRecords) return unknown;
    return { is: "absent", zone: zone.name, surely: isExclusive };
  };
  return {
    look: (name, types) => look(name, types, 0),
    held: (zoneName, name, types) => {
      const zone = zones.get(zoneName);
      const sets = zone && setsAt(zone, name);
      const records = setsOf(sets, types).flatMap(recordsIn);
      if (records.length > 0) return { is: "found", records };
      if (!zone || (kind && mayBeIgnored(zone, kind, name, types))) return unknown;
      return { is: "absent", zone: zone.name, surely: zone.policy?.exclusive === true };
    },
    recordFor: (name, type) => {
      const zone = holding(zones, name);
      const isSure = zone && (setsAt(zone, name) || zone.policy?.exclusive === true);
      return isSure && !(kind && mayBeIgnored(zone, kind, name)) ? firstOf(ownAt(name), type) : undefined;
    },
    rewritingAt: (name) => {
      const zone = holding(zones, name);
      return (
        zone &&
        above(zone, name)
          .flatMap((at) => firstOf(setsAt(zone, at), "DNAME") ?? [])
          .at(-1)
      );
    },
    zoneOf: (name) => holding(zones, name)?.name,
  };
}

const setOf = (sets: readonly DeclaredSet[] | undefined, type: string): DeclaredSet | undefined =>
  sets?.find((set) => set.type === type);

/** Returns the sets of some types in their order. */
const setsOf = (sets: readonly DeclaredSet[] | undefined, types: readonly string[]): readonly DeclaredSet[] =>
  types.flatMap((type) => setOf(sets, type) ?? []);

function firstOf(sets: readonly DeclaredSet[] | undefined, type: string): DeclaredRecord | undefined {
  const set = setOf(sets, type);
  return set && recordsIn(set)[0];
}

/** Returns the names above a name up to the apex of its zone. */
function above({ name: apex }: DeclaredZone, name: string): string[] {
  const names: string[] = [];
  for (let at = name; at.length > apex.length;) names.push((at = parentOf(at)));
  return names;
}

/** Whether the zone gives a name away: to the name servers of a delegation, or to the target of a DNAME. */
function isElsewhere(zone: DeclaredZone, name: string): boolean {
  const has = (at: string, type: string) => setOf(setsAt(zone, at), type) !== undefined;
  const names = above(zone, name);
  if (names.some((at) => has(at, "DNAME"))) return true;
  return [name, ...names].some((at) => at !== zone.name && has(at, "NS"));
}

/** Returns the records of the wildcard that covers a name which does not exist: the one below its closest encloser. */
function wildcardAt(zone: DeclaredZone, name: string): readonly DeclaredSet[] {
  const { setsAt, nodesAbove } = namesIn(zone);
  let encloser = parentOf(name);
  while (!nodesAbove.has(encloser) && !setsAt.has(encloser)) encloser = parentOf(encloser);
  return setsAt.get(`*.${encloser}`) ?? noSets;
}

function mayBeIgnored(
  { name: zone, policy }: DeclaredZone,
  kind: Kind,
  owner: string,
  types: readonly string[] = [],
): boolean {
  if (!policy) return false;
  const keys = (types.length > 0 ? types : ["*"]).map((type) =>
    kind.naming.normalise({ zone, name: `${owner}.`, type }),
  );
  return keys.some((key) => firstIgnoring(kind, policy, key) !== undefined);
}
