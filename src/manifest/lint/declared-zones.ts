import { firstIgnoring } from "../../kinds/derived/matches-ignore.ts";
import { collectionOf } from "../../kinds/derived/collection.ts";
import { kindNamed } from "../../kinds/index.ts";
import type { WrittenMember } from "../../kinds/kind.ts";
import { addTo, getOrMake } from "../../lib/collect.ts";
import { openFields } from "../../model/body.ts";
import { jsonText } from "../../model/json.ts";
import type { CollectionId, CollectionPolicy } from "../../model/resource.ts";
import { spanAt } from "../read/read-body.ts";
import type { WrittenResource } from "../read/read-resources.ts";
import { toJson, type Span } from "../yaml/written.ts";

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

interface DeclaredZone {
  readonly name: string;
  readonly policy: CollectionPolicy | undefined;
  /** Whether the manifest has any records of the zone; a zone may be declared only to say that it exists. */
  hasRecords: boolean;
  /** The records by owner name. */
  readonly recordsAt: Map<string, DeclaredRecord[]>;
  /** The apex, and the names above the owner names (RFC 4592 section 2.2). */
  readonly nodesAbove: Set<string>;
}

/** More steps than any sensible chain of aliases has: a DNAME can lead to ever longer names without passing one twice. */
export const longestChain = 64;

const unknown: Lookup = { is: "unknown" };
const noRecords: readonly DeclaredRecord[] = [];
const ofRecords = kindNamed("dns_record");

/** The zones of a manifest with the records that they serve. */
export class DeclaredZones {
  readonly #zones = new Map<string, DeclaredZone>();
  readonly #records: DeclaredRecord[] = [];

  /** @param declared the blocks of zones; `written` those of sets of records. */
  constructor(
    declared: readonly WrittenResource[],
    written: readonly WrittenResource[],
    collections: ReadonlyMap<CollectionId, CollectionPolicy>,
  ) {
    const zoneNamed = (name: string) =>
      getOrMake(this.#zones, name, (): DeclaredZone => {
        const policy = collections.get(collectionOf(ofRecords, { zone: name }).id);
        return { name, policy, hasRecords: false, recordsAt: new Map(), nodesAbove: new Set([name]) };
      });
    for (const { resource } of declared) zoneNamed(jsonText(resource.key["name"]));
    for (const each of written) {
      const zone = zoneNamed(each.resource.key["zone"] ?? "");
      zone.hasRecords = true;
      for (const record of servedRecords(each)) {
        addRecord(zone, record);
        this.#records.push(record);
      }
    }
  }

  /** Returns the records of some types in their order. */
  recordsOf(types: readonly string[]): readonly DeclaredRecord[] {
    return this.#records.filter(({ type }) => types.includes(type));
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
    const own = zone && recordsAnswering(zone, name);
    if (!own) return unknown;
    const records = types ? firstOfTypes(own, types) : own;
    if (records.length > 0) return { is: "found", records };
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
    const records = zone.recordsAt.get(name)?.filter(({ type }) => types.includes(type)) ?? [];
    return records.length > 0 ? { is: "found", records } : absentIn(zone, name, types);
  }

  /** Returns the first record of a type that surely answers for a name: its own, or, in an exclusive zone, that of a wildcard. */
  recordFor(name: string, type: string): DeclaredRecord | undefined {
    const zone = this.#holding(name);
    if (!zone || !(zone.recordsAt.has(name) || isExclusive(zone)) || mayBeIgnored(zone, name)) return undefined;
    return firstOf(recordsAnswering(zone, name), type);
  }

  /** Returns the DNAME record that rewrites a name, if one stands above it. */
  rewritingAt(name: string): DeclaredRecord | undefined {
    const zone = this.#holding(name);
    if (!zone) return undefined;
    const records = above(zone, name).flatMap((at) => firstOf(zone.recordsAt.get(at), "DNAME") ?? []);
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

function addRecord({ name, recordsAt, nodesAbove }: DeclaredZone, record: DeclaredRecord): void {
  const { owner } = record;
  addTo(recordsAt, owner, record);
  for (let node = parentOf(owner); node.length > name.length && !nodesAbove.has(node); node = parentOf(node))
    nodesAbove.add(node);
}

const parentOf = (name: string) => name.slice(name.indexOf(".") + 1);

const firstOf = (records: readonly DeclaredRecord[] | undefined, type: string): DeclaredRecord | undefined =>
  records?.find((record) => record.type === type);

/** Returns the records of the first of some types that has any. */
function firstOfTypes(records: readonly DeclaredRecord[], types: readonly string[]): readonly DeclaredRecord[] {
  const first = types.find((type) => firstOf(records, type));
  return records.filter(({ type }) => type === first);
}

/** Returns the names above a name up to the apex of its zone. */
function above({ name: apex }: DeclaredZone, name: string): string[] {
  const names: string[] = [];
  for (let at = name; at.length > apex.length;) names.push((at = parentOf(at)));
  return names;
}

/** Returns the records that answer for a name: its own, or those of a wildcard; undefined where the zone gives the name away. */
function recordsAnswering(zone: DeclaredZone, name: string): readonly DeclaredRecord[] | undefined {
  if (isElsewhere(zone, name)) return undefined;
  return zone.recordsAt.get(name) ?? (zone.nodesAbove.has(name) ? noRecords : wildcardAt(zone, name));
}

/** Whether the zone gives a name away: to the name servers of a delegation, or to the target of a DNAME. */
function isElsewhere(zone: DeclaredZone, name: string): boolean {
  const has = (at: string, type: string) => firstOf(zone.recordsAt.get(at), type) !== undefined;
  const names = above(zone, name);
  if (names.some((at) => has(at, "DNAME"))) return true;
  return [name, ...names].some((at) => at !== zone.name && has(at, "NS"));
}

/** Returns the records of the wildcard that covers a name which does not exist: the one below its closest encloser. */
function wildcardAt({ recordsAt, nodesAbove }: DeclaredZone, name: string): readonly DeclaredRecord[] {
  let encloser = parentOf(name);
  while (!nodesAbove.has(encloser) && !recordsAt.has(encloser)) encloser = parentOf(encloser);
  return recordsAt.get(`*.${encloser}`) ?? noRecords;
}

function mayBeIgnored({ name: zone, policy }: DeclaredZone, owner: string, types: readonly string[] = []): boolean {
  if (!policy) return false;
  const keys = (types.length > 0 ? types : ["*"]).map((type) =>
    ofRecords.naming.normalise({ zone, name: `${owner}.`, type }),
  );
  return keys.some((key) => firstIgnoring(ofRecords, policy, key) !== undefined);
}

/** Returns the records of a set that are served. */
function servedRecords(written: WrittenResource): readonly DeclaredRecord[] {
  const answers = written.kind.availability?.answers;
  if (!answers) throw new Error(`A ${written.kind.name} has no set of records`);
  const { key, members = [] } = written.resource;
  const { zone, name: owner, type } = answers.at(key);
  return members.flatMap((member, index): DeclaredRecord | [] => {
    const fields = openFields(member.fields);
    if (!answers.counts(fields)) return [];
    const { content: value } = member.fields;
    const content = value?.is === "known" && typeof value.value === "string" ? value.value : undefined;
    const targets = content === undefined ? [] : answers.targets(key, fields);
    return { owner, zone, type, content, targets, written, index };
  });
}

// A cache only, of the members as they are written: the records of a set may all be reported.
const membersAsWritten = new WeakMap<WrittenResource, readonly WrittenMember[]>();

/** Returns the place of a record's value. */
export function spanOf({ written, index }: DeclaredRecord): Span {
  const { kind, resource, body } = written;
  const read = () => kind.members?.read(toJson(body), resource.key).members ?? [];
  const path = getOrMake(membersAsWritten, written, read)[index]?.path ?? [];
  return spanAt(body, [...path, "content"]);
}
