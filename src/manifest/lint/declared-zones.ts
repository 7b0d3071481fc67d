import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import { kindNamed } from "../../kinds/index.ts";
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

/** More steps than any sensible chain of aliases has: a DNAME can lead to ever longer names without passing one twice. */
export const longestChain = 64;

const unknown: Lookup = { is: "unknown" };
const noSets: readonly DeclaredSet[] = [];
const ofRecords = kindNamed("dns_record");

/** The zones of a manifest with the records that they serve. */
export class DeclaredZones {
  readonly #zones = new Map<string, DeclaredZone>();
  readonly #byType = new Map<string, DeclaredSet[]>();

  /** @param declared the blocks of zones; `written` those of sets of records. */
  constructor(
    declared: readonly WrittenResource[],
    written: readonly WrittenResource[],
    collections: ReadonlyMap<CollectionId, CollectionPolicy>,
  ) {
    for (const { resource } of declared) this.#addZone(jsonText(resource.key["name"]));
    for (const [index, each] of written.entries()) {
      const { zone: name = "", type = "" } = each.resource.key;
      const zone = this.#zones.get(name) ?? this.#addZone(name);
      zone.hasRecords = true;
      if (!servesAny(each)) continue;
      const set = { type, written: each, index };
      addTo(this.#byType, type, set);
      zone.sets.push(set);
    }
    if (written.length === 0) return;
    for (const zone of this.#zones.values())
      zone.policy = collections.get(collectionOf(ofRecords, { zone: zone.name }).id);
  }

  #addZone(name: string): DeclaredZone {
    const zone = { name, sets: [], hasRecords: false };
    this.#zones.set(name, zone);
    return zone;
  }

  /** Returns the sets of some types in their order. */
  #setsOf(types: readonly string[]): readonly DeclaredSet[] {
    const [first = [], ...others] = types.map((type) => this.#byType.get(type)).filter((sets) => sets !== undefined);
    return others.length === 0 ? first : first.concat(...others).sort((one, other) => one.index - other.index);
  }

  /** Returns the records of some types in their order. `holds`: only of sets that have such a content. */
  recordsOf(types: readonly string[], holds?: (content: string) => boolean): readonly DeclaredRecord[] {
    const all = this.#setsOf(types);
    return (holds ? all.filter((set) => holdsAny(set, holds)) : all).flatMap(recordsIn);
  }

  /** The same, of the sets of which a record points to a name of a declared zone. Most point to the hosts of others. */
  recordsPointingInside(types: readonly string[]): readonly DeclaredRecord[] {
    const isInside = (name: string) => this.#holding(name) !== undefined;
    return this.#setsOf(types)
      .filter((set) => (set.pointsInside ??= pointsTo(set, isInside)))
      .flatMap(recordsIn);
  }

  /** Returns the name of each set of some types. */
  ownersOf(types: readonly string[]): readonly string[] {
    return this.#setsOf(types).map(ownerOf);
  }

  /** Returns the name of the declared zone that holds a name. */
  zoneOf(name: string): string | undefined {
    return this.#holding(name)?.name;
  }

  /**
   * Returns the records at a name, following CNAMEs: those of the first of the types, or of all types, that has some.
   * @param steps the CNAMEs that led to the name.
   */
  look(name: string, types?: readonly string[], steps = 0): Lookup {
    const zone = this.#holding(name);
    const own = zone && setsAnswering(zone, name);
    if (!own) return unknown;
    const [first] = types ? setsOf(own, types) : own;
    if (first) return { is: "found", records: recordsIn(first) };
    const alias = firstOf(own, "CNAME");
    // A circle, a chain without end, and a target that is not written here are no reason to say that nothing is there.
    const [target] = alias?.targets ?? [];
    if (alias) return target === undefined || steps === longestChain ? unknown : this.look(target, types, steps + 1);
    return zone.hasRecords || isExclusive(zone) ? absentIn(zone, name, types) : unknown;
  }

  /** Returns the records that a zone itself holds at a name, also at or below a name that it delegates. */
  held(zoneName: string, name: string, types: readonly string[]): Lookup {
    const zone = this.#zones.get(zoneName);
    if (!zone) return unknown;
    const records = setsOf(setsAt(zone, name), types).flatMap(recordsIn);
    return records.length > 0 ? { is: "found", records } : absentIn(zone, name, types);
  }

  /** Returns the first record of a type that surely answers for a name: its own, or, in an exclusive zone, that of a wildcard. */
  recordFor(name: string, type: string): DeclaredRecord | undefined {
    const zone = this.#holding(name);
    if (!zone || !(setsAt(zone, name) || isExclusive(zone)) || mayBeIgnored(zone, name)) return undefined;
    return firstOf(setsAnswering(zone, name), type);
  }

  /** Returns the DNAME record that rewrites a name, if one stands above it. */
  rewritingAt(name: string): DeclaredRecord | undefined {
    const zone = this.#holding(name);
    if (!zone) return undefined;
    const records = above(zone, name).flatMap((at) => firstOf(setsAt(zone, at), "DNAME") ?? []);
    return records.at(-1);
  }

  #holding(name: string): DeclaredZone | undefined {
    for (let at: string = name; ; at = parentOf(at)) {
      const zone = this.#zones.get(at);
      if (zone || !at.includes(".")) return zone;
    }
  }
}

const isExclusive = ({ policy }: DeclaredZone) => policy?.exclusive === true;

const absentIn = (zone: DeclaredZone, name: string, types: readonly string[] | undefined): Lookup =>
  mayBeIgnored(zone, name, types) ? unknown : { is: "absent", zone: zone.name, surely: isExclusive(zone) };

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

/** Returns the sets that answer for a name: its own, or those of a wildcard; undefined where the zone gives the name away. */
function setsAnswering(zone: DeclaredZone, name: string): readonly DeclaredSet[] | undefined {
  if (isElsewhere(zone, name)) return undefined;
  return setsAt(zone, name) ?? (namesIn(zone).nodesAbove.has(name) ? noSets : wildcardAt(zone, name));
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

function mayBeIgnored({ name: zone, policy }: DeclaredZone, owner: string, types: readonly string[] = []): boolean {
  if (!policy) return false;
  const keys = (types.length > 0 ? types : ["*"]).map((type) =>
    ofRecords.naming.normalise({ zone, name: `${owner}.`, type }),
  );
  return keys.some((key) => firstIgnoring(ofRecords, policy, key) !== undefined);
}
