import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import type { Answering, Kind } from "../../kinds/kind.ts";
import { openFields } from "../../model/body.ts";
import { addTo } from "../../lib/collect.ts";
import { jsonText } from "../../model/json.ts";
import type { Body, CollectionId, CollectionPolicy } from "../../model/resource.ts";
import type { WrittenResource } from "../read-resources.ts";

/** One record of a manifest that is served: a member of a declared RRset. Names are whole, without the final dot. */
export interface DeclaredRecord {
  readonly owner: string;
  readonly zone: string;
  readonly type: string;
  /** The content in its normal form; undefined if the manifest takes it from elsewhere (`${…}`). */
  readonly content: string | undefined;
  /** The host names that the content points to, without the final dot. */
  readonly targets: readonly string[];
  readonly written: WrittenResource;
  /** Its number among the members of its set. */
  readonly index: number;
}

/**
 * The result of looking a name up in the declared zones. `absent`: no declared record has the name and the type; `surely` tells
 * whether nothing else can be there. `unknown`: the manifest cannot tell (a foreign or delegated name, an ignored one).
 */
export type Lookup =
  | { readonly is: "found"; readonly records: readonly DeclaredRecord[] }
  | { readonly is: "absent"; readonly zone: string; readonly surely: boolean }
  | { readonly is: "unknown" };

/** A declared set of records that are served. Names are whole, without the final dot. */
interface DeclaredSet {
  readonly owner: string;
  readonly zone: string;
  readonly type: string;
  readonly written: WrittenResource;
  /** Its records, once a rule has asked for them: most are never asked for. */
  made?: readonly DeclaredRecord[];
}

/** The sets of one name. */
type SetsOfName = readonly DeclaredSet[];

interface DeclaredZone {
  readonly name: string;
  readonly policy: CollectionPolicy | undefined;
  /** The sets by owner name. */
  readonly setsAt: Map<string, DeclaredSet[]>;
  /** Whether the manifest has any records of the zone; a zone may be declared only to say that it exists. */
  hasRecords: boolean;
  /** The apex, and the names above the owner names (RFC 4592 section 2.2). */
  readonly nodesAbove: Set<string>;
}

/** The zones of a manifest with the records that they serve. */
export interface DeclaredZones {
  /** Returns the records of some types in their order. `holds`: only of sets that have such a content. */
  readonly recordsOf: (types: readonly string[], holds?: (content: string) => boolean) => readonly DeclaredRecord[];
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
const noSets: SetsOfName = [];

/** Reads the zones out of what a manifest declares: blocks of zones, and of sets of records. */
export function readDeclaredZones(
  declared: readonly WrittenResource[],
  written: readonly WrittenResource[],
  collections: ReadonlyMap<CollectionId, CollectionPolicy>,
): DeclaredZones {
  const zones = new Map<string, DeclaredZone>();
  const sets: DeclaredSet[] = [];
  for (const { resource } of declared) addZone(zones, jsonText(resource.key["name"]));
  for (const each of written) {
    const { zone, name: owner, type } = answersOf(each).at(each.resource.key);
    const set = { owner, zone, type, written: each };
    const declaredZone = addZone(zones, zone);
    declaredZone.hasRecords = true;
    if (!servesAny(each)) continue;
    sets.push(set);
    addSet(declaredZone, set);
  }
  const kind = written[0]?.kind;
  if (kind) addPolicies(zones, kind, collections);
  const ofTypes = (types: readonly string[]) => {
    const wanted = new Set(types);
    return sets.filter(({ type }) => wanted.has(type));
  };
  return {
    recordsOf: (types, holds) => {
      const all = ofTypes(types);
      return (holds ? all.filter((set) => holdsAny(set, holds)) : all).flatMap(recordsIn);
    },
    ownersOf: (types) => ofTypes(types).map(({ owner }) => owner),
    ...lookups(zones, kind),
  };
}

function answersOf({ kind }: WrittenResource): Answering {
  const answers = kind.availability?.answers;
  if (!answers) throw new Error(`A ${kind.name} is no set of records`);
  return answers;
}

const servesAny = (written: WrittenResource): boolean =>
  written.resource.members?.some(({ fields }) => answersOf(written).counts(openFields(fields))) === true;

/** Returns the records of a set, the same ones each time. */
const recordsIn = (set: DeclaredSet): readonly DeclaredRecord[] => (set.made ??= makeRecords(set));

function makeRecords({ owner, zone, type, written }: DeclaredSet): DeclaredRecord[] {
  const { key, members = [] } = written.resource;
  const answers = answersOf(written);
  const records = members.map((member, index): DeclaredRecord | undefined => {
    const fields = openFields(member.fields);
    if (!answers.counts(fields)) return undefined;
    const content = contentOf(member);
    const targets = content === undefined ? [] : answers.targets(key, fields);
    return { owner, zone, type, content, targets, written, index };
  });
  // To filter makes room for seventeen, and most sets have one record, which is served.
  return records.includes(undefined) ? records.filter((each) => each !== undefined) : (records as DeclaredRecord[]);
}

const holdsAny = ({ written }: DeclaredSet, holds: (content: string) => boolean): boolean =>
  written.resource.members?.some((member) => {
    const content = contentOf(member);
    return content !== undefined && holds(content);
  }) === true;

function contentOf({ fields: { content } }: Body): string | undefined {
  return content?.is === "known" && typeof content.value === "string" ? content.value : undefined;
}

function addZone(zones: Map<string, DeclaredZone>, name: string): DeclaredZone {
  const zone = zones.get(name) ?? {
    name,
    policy: undefined,
    setsAt: new Map(),
    hasRecords: false,
    nodesAbove: new Set([name]),
  };
  zones.set(name, zone);
  return zone;
}

function addSet({ name, setsAt, nodesAbove }: DeclaredZone, set: DeclaredSet): void {
  addTo(setsAt, set.owner, set);
  for (let node = parentOf(set.owner); node.length > name.length && !nodesAbove.has(node); node = parentOf(node))
    nodesAbove.add(node);
}

function addPolicies(
  zones: Map<string, DeclaredZone>,
  kind: Kind,
  collections: ReadonlyMap<CollectionId, CollectionPolicy>,
) {
  for (const zone of zones.values()) {
    const policy = collections.get(collectionOf(kind, { zone: zone.name }).id);
    if (policy) zones.set(zone.name, { ...zone, policy });
  }
}

const parentOf = (name: string) => name.slice(name.indexOf(".") + 1);

function lookups(
  zones: ReadonlyMap<string, DeclaredZone>,
  kind: Kind | undefined,
): Omit<DeclaredZones, "recordsOf" | "ownersOf"> {
  const holding = (name: string): DeclaredZone | undefined => {
    for (let at: string = name; ; at = parentOf(at)) {
      const zone = zones.get(at);
      if (zone || !at.includes(".")) return zone;
    }
  };
  const ownAt = (name: string): SetsOfName | undefined => {
    const zone = holding(name);
    if (!zone || isElsewhere(zone, name)) return undefined;
    return zone.setsAt.get(name) ?? (zone.nodesAbove.has(name) ? noSets : wildcardAt(zone, name));
  };
  const look = (name: string, types: readonly string[] | undefined, steps: number): Lookup => {
    const zone = holding(name);
    const own = ownAt(name);
    if (!zone || !own) return unknown;
    const first = types ? firstSet(own, types) : own[0];
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
      const sets = zone?.setsAt.get(name);
      const records = types.flatMap((type) => setOf(sets, type) ?? []).flatMap(recordsIn);
      if (records.length > 0) return { is: "found", records };
      if (!zone || (kind && mayBeIgnored(zone, kind, name, types))) return unknown;
      return { is: "absent", zone: zone.name, surely: zone.policy?.exclusive === true };
    },
    recordFor: (name, type) => {
      const zone = holding(name);
      const isSure = zone?.setsAt.has(name) === true || zone?.policy?.exclusive === true;
      return zone && isSure && !(kind && mayBeIgnored(zone, kind, name)) ? firstOf(ownAt(name), type) : undefined;
    },
    rewritingAt: (name) => {
      const zone = holding(name);
      return (
        zone &&
        above(zone, name)
          .flatMap((at) => firstOf(zone.setsAt.get(at), "DNAME") ?? [])
          .at(-1)
      );
    },
    zoneOf: (name) => holding(name)?.name,
  };
}

const setOf = (sets: SetsOfName | undefined, type: string): DeclaredSet | undefined =>
  sets?.find((set) => set.type === type);

/** Returns the set of the first of the types that has one. */
function firstSet(sets: SetsOfName, types: readonly string[]): DeclaredSet | undefined {
  for (const type of types) {
    const set = setOf(sets, type);
    if (set) return set;
  }
  return undefined;
}

function firstOf(sets: SetsOfName | undefined, type: string): DeclaredRecord | undefined {
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
  const has = (at: string, type: string) => setOf(zone.setsAt.get(at), type) !== undefined;
  const names = above(zone, name);
  if (names.some((at) => has(at, "DNAME"))) return true;
  return [name, ...names].some((at) => at !== zone.name && has(at, "NS"));
}

/** Returns the records of the wildcard that covers a name which does not exist: the one below its closest encloser. */
function wildcardAt({ setsAt, nodesAbove }: DeclaredZone, name: string): SetsOfName {
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
