import { isDeepStrictEqual } from "node:util";
import { groupBy } from "../../lib/collect.ts";
import { conflict, forbidden, invalid, notFound } from "../refusal.ts";
import type { Fields } from "../fields.ts";
import { makeEtag } from "../http/answer.ts";
import { contentKey } from "../dns/record-content.ts";
import type { StoredObject } from "../store/objects.ts";
import { allOf, textOf, type KeyParts } from "./account.ts";
import type { KindEntry, OperationEntry, Pointer } from "./contract.ts";
import { getAt, isBelow, putAt } from "./json.ts";
import type { Known } from "./params.ts";
import { partPlaces, placesOf, refuseStrangers, type FieldPointers } from "./places.ts";
import { readFields, recordOf, refuseStale } from "./record.ts";
import { entryOf, knownScope, tagOf, type Visit } from "./visit.ts";

const setKey = ({ name, type }: Fields): string => `${String(name)} ${String(type)}`;

/** Returns records in sets as the contract's API tells them: all of a name and type in one. */
export function setsOf(visit: Visit, records: readonly StoredObject[]): unknown[] {
  const groups = groupBy(records, (record) => `${record.scope} ${setKey(record.record)}`);
  return [...groups.values()].map((members) => itemOf(visit, members));
}

function itemOf(visit: Visit, members: readonly StoredObject[]): unknown {
  const { id, etag, operations } = entryOf(visit, "dns_record");
  const { explode = "" } = operations.list;
  const records = members.map((member) => recordOf(visit, member));
  const item = putAt(
    records[0],
    explode,
    records.map((each) => getAt(each, explode)),
  );
  const [first] = members;
  const named = id === undefined || isBelow(id, explode) || !first ? item : putAt(item, id, idOfSet(first));
  return etag === undefined ? named : putAt(named, etag, etagOfSet(members));
}

const idOfSet = ({ scope, record }: StoredObject): string => tagOf(`${scope} ${setKey(record)}`);

/** Returns the parts of the key of the set that a request names, also by its id. Throws 404. */
export function partsOfSet(visit: Visit, { id, parts }: Known): KeyParts {
  if (id === undefined) return parts;
  const found = allOf("dns_record", knownScope(visit, "dns_record", parts), visit.objects).find(
    (record) => idOfSet(record) === id,
  );
  if (found === undefined) throw notFound(`record set "${id}"`);
  return { ...parts, name: textOf(found.record["name"]), type: textOf(found.record["type"]) };
}

const etagOfSet = (members: readonly StoredObject[]): string =>
  makeEtag(JSON.stringify(members.map(({ record }) => record)));

/** Returns the members of a set, in the order of their creation. */
const membersOf = ({ objects }: Visit, zone: string, name: string, type: string): readonly StoredObject[] =>
  objects.inScope("dns_record", zone).filter(({ record }) => setKey(record) === `${name} ${type}`);

/** Returns the set that a request names. Throws 404. */
export function readSet(visit: Visit, known: Known): unknown {
  const { zone = "", name, type } = partsOfSet(visit, known);
  const scope = visit.objects.byKey(`dns_zone ${zone}`)?.id;
  if (scope === undefined) throw notFound(`zone ${zone}`);
  const [set] = setsOf(visit, membersOf(visit, scope, String(name), String(type)));
  if (set === undefined) throw notFound(`record set ${String(name)} ${String(type)}`);
  return set;
}

/** A request that writes sets. */
export interface SetWrite {
  readonly operation: OperationEntry;
  readonly body: unknown;
  readonly parts: KeyParts;
  /** The set as the request expects it. */
  readonly ifMatch: string | undefined;
  readonly deletes: boolean;
}

/** Writes or deletes one set. Returns it as it is then; undefined if it is gone. */
export function writeSet(visit: Visit, write: SetWrite): unknown {
  const { operation, parts } = write;
  const entry = entryOf(visit, "dns_record");
  const place = operation.at ?? "";
  const set = getAt(write.body ?? {}, place) ?? {};
  const named = readFields(visit, "dns_record", set, placesAt(entry, operation, ["name", "type"]), parts);
  const key = { ...parts, ...textsOf(named) };
  const zone = knownScope(visit, "dns_record", key);
  if (zone === undefined || key["name"] === undefined || key["type"] === undefined)
    throw invalid({ name: ["and type and zone must be named"] });
  const name = key["name"].toLowerCase();
  const type = key["type"].toUpperCase();
  const before = membersOf(visit, zone, name, type);
  refuseStale("The set", etagOfSet(before), write.ifMatch);
  refuseStrangers(write.body ?? {}, knownPlaces(entry, operation, place));
  if (write.deletes) {
    if (before.length === 0) throw notFound(`record set ${name} ${type}`);
    change(visit, zone, before, []);
    return undefined;
  }
  change(visit, zone, before, desired(visit, operation, set, { ...key, name, type }, before));
  return setsOf(visit, membersOf(visit, zone, name, type))[0];
}

const textsOf = (fields: Fields): KeyParts =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));

/** Returns the records that a body asks for; fields that it cannot say are those that are there. A member is laid over the record with its content. */
function desired(
  visit: Visit,
  operation: OperationEntry,
  set: unknown,
  parts: KeyParts,
  before: readonly StoredObject[],
): Fields[] {
  const entry = entryOf(visit, "dns_record");
  const places = placesAt(entry, operation);
  const list = listAt(entry, operation);
  const read = (one: unknown): Fields => ({
    ...readFields(visit, "dns_record", one, places, parts),
    name: parts["name"],
    type: parts["type"],
  });
  const members = list === undefined ? undefined : getAt(set, list);
  if (list === undefined || (members === undefined && before.length > 0)) {
    const shared = read(set);
    if (Object.keys(shared).length === 2) throw invalid({ body: ["says nothing of the set"] });
    return before.map(({ record }) => ({ ...record, ...shared }));
  }
  if (!Array.isArray(members) || members.length === 0) throw invalid({ [list]: ["must be a list of members"] });
  const { explode = "" } = entry.operations.list;
  const { ttl } = before[0]?.record ?? {};
  return (members as unknown[]).map((member) => {
    const one = putAt(list === explode ? set : putAt(set, list, undefined), explode, member);
    const wanted = read(one);
    const same = before.find(({ record }) => isSame(record, wanted));
    return { ...(ttl !== undefined && { ttl }), ...same?.record, ...wanted };
  });
}

const isSame = (one: Fields, other: Fields): boolean =>
  keyOf(one) === keyOf(other) && (one["priority"] ?? null) === (other["priority"] ?? null);

const keyOf = (record: Fields): string =>
  `${setKey(record)} ${contentKey(String(record["type"]), String(record["content"]))}`;

/** Brings records to others with the fewest changes: deletions first, so that what takes their place finds it free. */
function change(visit: Visit, zone: string, before: readonly StoredObject[], wanted: readonly Fields[]): void {
  const remaining = [...before];
  const take = (fit: (record: Fields) => boolean): StoredObject | undefined => {
    const index = remaining.findIndex(({ record }) => fit(record));
    return index < 0 ? undefined : remaining.splice(index, 1)[0];
  };
  const pairs = wanted.map(
    (fields) =>
      [fields, take((record) => isSame(record, fields)) ?? take((record) => keyOf(record) === keyOf(fields))] as const,
  );
  for (const { id, record } of remaining) {
    if (record["managed"] === true) throw forbidden(`The record ${setKey(record)} is managed by the platform.`);
    visit.run("deleteDnsRecord", { zone_id: zone, id });
  }
  for (const [fields, old] of pairs) {
    const body = { ...old?.record, ...fields };
    if (old !== undefined && isDeepStrictEqual(body, old.record)) continue;
    if (old?.record["managed"] === true) throw conflict(`The record ${setKey(old.record)} is managed by the platform.`);
    if (old === undefined) visit.run("createDnsRecord", { zone_id: zone }, body);
    else visit.run("updateDnsRecord", { zone_id: zone, id: old.id }, body);
  }
}

/** Writes all records of a zone. */
export function writeZoneSets(visit: Visit, { operation, body, parts }: SetWrite): void {
  const entry = entryOf(visit, "dns_record");
  const zone = knownScope(visit, "dns_record", parts);
  const at = operation.at ?? "";
  const items = getAt(body, at);
  if (zone === undefined) throw notFound("zone of this name");
  if (!Array.isArray(items)) throw invalid({ [at]: ["must be the list of all records"] });
  const { explode } = entry.operations.list;
  const before = allOf("dns_record", zone, visit.objects);
  const wanted = (items as unknown[]).flatMap((item) => {
    refuseStrangers(explode === undefined ? item : putAt(item, explode, undefined), [
      ...knownPlaces(entry, operation, ""),
      ...(explode === undefined ? [] : [explode]),
    ]);
    const members = explode === undefined ? [item] : (getAt(item, explode) as unknown[]);
    return members.map((member) => {
      const one = explode === undefined ? member : putAt(item, explode, member);
      const fields = readFields(visit, "dns_record", one, placesAt(entry, { ...operation, send: "record" }), parts);
      return { ...before.find(({ record }) => isSame(record, fields))?.record, ...fields };
    });
  });
  change(visit, zone, before, wanted);
}

/** Returns where the fields stand that a set's request takes; a content brings its priority along. */
function placesAt(entry: KindEntry, { send }: OperationEntry, also: readonly string[] = []): FieldPointers {
  if (!Array.isArray(send)) return placesOf(entry, { send });
  const names = send as readonly string[];
  return placesOf(entry, { send: [...names, ...also, ...(names.includes("content") ? ["priority"] : [])] });
}

/** Returns where a body holds the members; undefined if it holds none. */
function listAt(entry: KindEntry, operation: OperationEntry): Pointer | undefined {
  const { list, set } = entry.operations;
  const { explode = "" } = list;
  const holds = placesAt(entry, operation).some(([, at]) => at === explode || at.startsWith(`${explode}/`));
  return holds ? (set?.members ?? explode) : undefined;
}

function knownPlaces(entry: KindEntry, operation: OperationEntry, at: Pointer): Pointer[] {
  const { id, etag, managed_when: managed = [], operations } = entry;
  const conditions = [...managed, ...(operations.list.where ?? [])];
  const places = placesAt(entry, operation, ["name", "type"]).map(([, place]) => place);
  const own = [...places, id, etag, listAt(entry, operation), ...conditions.map(({ pointer }) => pointer)];
  return [
    ...Object.keys(operation.base ?? {}).map((key) => `/${key}`),
    ...Object.keys(operation.body ?? {}),
    ...partPlaces(entry, at),
    ...own.filter((place) => place !== undefined).map((place) => at + place),
  ];
}
