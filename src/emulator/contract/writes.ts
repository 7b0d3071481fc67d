import { randomUUID } from "node:crypto";
import { operationId } from "../actions/index.ts";
import { notFound } from "../refusal.ts";
import { isFields, type Fields } from "../fields.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { StoredObject } from "../store/objects.ts";
import { allOf, keyFields, keyPartsOf, storedPath } from "./account.ts";
import type { KindEntry, OperationEntry, Pointer } from "./contract.ts";
import { getAt, leavesOf, putBelow } from "./json.ts";
import { readParams, type Known } from "./params.ts";
import { partPlaces, placesOf, refuseStrangers, strangersIn, type FieldPointers } from "./places.ts";
import { etagOfObject, readFields, recordOf, refuseStale } from "./record.ts";
import { matchText, type MatchedRoute, type Role, type Some } from "./routes.ts";
import { entryOf, knownScope, objectOfId, type Visit } from "./visit.ts";
import { fieldsOf } from "./encode-field.ts";

/** Returns the parameters that the service's own path of an object has. */
function ownParams({ kind, id, scope, record }: StoredObject): Record<string, string> {
  if (kind === "mail_settings") return { domain: String(record["domain"]) };
  if (kind === "dnssec") return { zone_id: scope };
  if (kind === "dns_zone") return { zone_id: id };
  return kind === "dns_record" ? { zone_id: scope, id } : { id };
}

/** Returns what the parameters of a request say, those in its body among them. */
export function knownIn(visit: Visit, { route, params }: MatchedRoute, body: unknown): Known {
  const raw: Record<string, string> = { ...params };
  for (const [pointer, template] of Object.entries(route.operation.body ?? {})) {
    const value = getAt(body, pointer);
    const isText = typeof value === "string" || typeof value === "number";
    if (typeof template === "string" && isText) matchText(template, String(value), raw);
  }
  return readParams(visit, route.kind, raw);
}

/** Returns the object that a request names by its id, or by the parts of its key. Throws 404. */
export function findObject(visit: Visit, kind: KindName, { id, parts }: Known): StoredObject {
  const isMixed = entryOf(visit, kind).operations.list.scope === "mixed";
  const scope = isMixed ? undefined : knownScope(visit, kind, parts);
  if (id !== undefined) return objectOfId(visit, kind, id, scope);
  const found = allOf(kind, scope, visit.objects).find((object) => {
    const own = keyPartsOf(object, visit.objects);
    return Object.entries(parts).every(([name, value]) => own[name]?.toLowerCase() === value.toLowerCase());
  });
  if (found === undefined) throw notFound(`${kind.replaceAll("_", " ")} ${Object.values(parts).join(" ")}`);
  return found;
}

export interface WriteRequest {
  readonly matched: MatchedRoute;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
}

export interface WriteResult {
  readonly status: number;
  readonly object?: StoredObject;
  /** The job that goes on. */
  readonly job?: string | undefined;
}

/** Returns whether a creation may be meant by a body: it has nothing that the creation does not take. */
export function fitsCreation(visit: Visit, { route }: MatchedRoute, body: unknown): boolean {
  return strangersIn(body, creationPlaces(entryOf(visit, route.kind), route.operation)).length === 0;
}

export function create(visit: Visit, { matched, body }: WriteRequest): WriteResult {
  const { kind, operation } = matched.route;
  const entry = entryOf(visit, kind);
  const known = knownIn(visit, matched, body);
  if (kind === "mail_settings") return update(visit, [{ matched, body, ifMatch: undefined }]);
  refuseStrangers(body, creationPlaces(entry, operation));
  const own = readFields(visit, kind, body, creationFields(entry, operation), known.parts);
  const fields = { ...lackingFields(kind, entry), ...keyFields(kind, known.parts, visit.objects), ...own };
  const scope = kind === "dns_record" || kind === "dnssec" ? knownScope(visit, kind, known.parts) : undefined;
  const params: Record<string, string> = scope === undefined ? {} : { zone_id: scope };
  const { status, data } = visit.run(operationId("create", kind), params, creationOf(kind, fields));
  const job = status === 202 ? String(data["id"]) : undefined;
  const made = isFields(data["resource"]) ? data["resource"]["id"] : data["id"];
  const id = kind === "dnssec" ? visit.objects.byKey(`dnssec ${String(scope)}`)?.id : String(made);
  const object = visit.objects.byId(kind, id ?? "");
  if (object === undefined) throw new Error(`The new ${kind} cannot be found.`);
  const whole = kind === "service" && fields["settings"] !== undefined ? write(visit, object, fields) : object;
  return { status: 201, object: whole, job };
}

/** Returns the body of a creation in the service's own API. */
function creationOf(kind: KindName, fields: Fields): Fields {
  if (kind !== "service") return fields;
  const { domain, hosting, datacenter, register = false } = fields;
  return { hosting, domain: { name: domain, register }, ...(datacenter !== undefined && { datacenter }) };
}

/** Returns values of fields that the service demands and the contract's API does not have. */
function lackingFields(kind: KindName, entry: KindEntry): Fields {
  const values: Partial<Readonly<Record<KindName, Readonly<Record<string, unknown>>>>> = {
    service: { plan: "WEB-M" },
    mailbox: { password: "not-given-by-this-API" },
    ftp_account: { password: "not-given-by-this-API" },
    database_user: { password: "not-given-by-this-API" },
    database: { engine: "mariadb" },
    cron: { name: `cron-${randomUUID().slice(0, 8)}` },
  };
  const names = new Set(fieldsOf(entry).map(([name]) => name));
  let fields: Fields = {};
  for (const [name, value] of Object.entries(values[kind] ?? {}))
    if (!names.has(name)) fields = putBelow(fields, storedPath(kind, name), value) as Fields;
  return fields;
}

/** Changes an object by requests that share a method and a path. */
export function update(visit: Visit, writes: Some<WriteRequest>): WriteResult {
  const [first] = writes;
  const { kind } = first.matched.route;
  const object = findObject(visit, kind, knownIn(visit, first.matched, first.body));
  refuseStale("It", etagOfObject(object), first.ifMatch);
  const entry = entryOf(visit, kind);
  refuseStrangers(
    first.body,
    writes.flatMap(({ matched: { route } }) => updatePlaces(visit, object, route.operation, route.role)),
  );
  const parts = keyPartsOf(object, visit.objects);
  let record: Fields = object.record;
  for (const { matched, body } of writes) {
    const { operation, role } = matched.route;
    if (role.sort === "field" && role.value !== undefined && operation.send === undefined) {
      record = putBelow(record, storedPath(kind, role.field), role.value) as Fields;
      continue;
    }
    const places = fieldPlaces(entry, operation, role);
    record = merge(
      isWhole(operation, role) ? without(record, kind, places) : record,
      readFields(visit, kind, body, places, parts),
    );
  }
  return { status: 200, object: write(visit, object, record) };
}

function write(visit: Visit, object: StoredObject, record: Fields): StoredObject {
  visit.run(operationId("update", object.kind), ownParams(object), merge(object.record, record));
  return visit.objects.byId(object.kind, object.id) ?? object;
}

/** Lays fields over others; nested objects key by key. */
function merge(below: Fields, above: Fields): Fields {
  const merged: Fields = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = merged[key];
    merged[key] = isFields(value) && isFields(under) ? merge(under, value) : value;
  }
  return merged;
}

/** A record that is sent whole: what it leaves out gets its default again. */
function without(record: Fields, kind: KindName, places: FieldPointers): Fields {
  const kept = { ...record };
  for (const [name] of places) {
    const [key = "", inner] = storedPath(kind, name);
    if (inner === undefined) delete kept[key];
    else if (isFields(kept[key]))
      kept[key] = Object.fromEntries(Object.entries(kept[key]).filter(([each]) => each !== inner));
  }
  return kept;
}

const isWhole = ({ method, send }: OperationEntry, { sort }: Role): boolean =>
  send === "record" || (send === undefined && method === "PUT" && sort === "update");

export function remove(visit: Visit, { matched, body, ifMatch }: WriteRequest): WriteResult {
  const { kind, operation } = matched.route;
  const object = findObject(visit, kind, knownIn(visit, matched, body));
  refuseStale("It", etagOfObject(object), ifMatch);
  if (body !== undefined)
    refuseStrangers(body, [
      ...constantsOf(operation),
      ...fieldPlaces(entryOf(visit, kind), operation, matched.route.role).map(([, at]) => at),
    ]);
  visit.run(operationId("delete", kind), ownParams(object));
  return { status: 204 };
}

export function renew(visit: Visit, { matched, body }: WriteRequest): WriteResult {
  const object = findObject(visit, matched.route.kind, knownIn(visit, matched, body));
  const { period_years: years } = entryOf(visit, "domain").fields;
  const period_years = getAt(body, years?.at ?? "/period_years") ?? 1;
  visit.run("renewDomain", ownParams(object), { period_years });
  return { status: 201, object: visit.objects.byId("domain", object.id) ?? object };
}

function fieldPlaces(entry: KindEntry, operation: OperationEntry, role: Role): FieldPointers {
  const all = placesOf(entry, operation);
  return role.sort === "field" ? all.filter(([name]) => name === role.field) : all;
}

const constantsOf = ({ base = {}, body = {} }: OperationEntry): Pointer[] => [
  ...leavesOf(base).filter((leaf) => leaf !== ""),
  ...Object.keys(body),
];

/** Returns where fields stand in the body of a creation. */
const creationFields = (entry: KindEntry, operation: OperationEntry): FieldPointers =>
  placesOf(entry, operation, ({ at, create: there }) => {
    if (typeof there === "string") return there;
    return there === false ? undefined : at;
  });

const creationPlaces = (entry: KindEntry, operation: OperationEntry): Pointer[] => [
  ...constantsOf(operation),
  ...partPlaces(entry, operation.at ?? ""),
  ...creationFields(entry, operation).map(([, at]) => at),
];

function updatePlaces(visit: Visit, object: StoredObject, operation: OperationEntry, role: Role): Pointer[] {
  const entry = entryOf(visit, object.kind);
  const { at = "" } = operation;
  const own = isWhole(operation, role) ? leavesOf(recordOf(visit, object)).map((leaf) => at + leaf) : [];
  return [
    ...constantsOf(operation),
    ...partPlaces(entry, at),
    ...own,
    ...fieldPlaces(entry, operation, role).map(([, place]) => place),
  ];
}
