import { orUndefined } from "../../lib/or-undefined.ts";
import { hasPriority } from "../dns/record-content.ts";
import { HttpError } from "../refusal.ts";
import type { Fields } from "../fields.ts";
import { makeEtag } from "../http/answer.ts";
import type { KindName } from "../kinds/kind-name.ts";
import type { StoredObject } from "../store/objects.ts";
import { storedPath, textOf, valueOf, type KeyParts } from "./account.ts";
import { joinContent, joinName, partIn } from "./contents.ts";
import type { FieldEntry, Pointer } from "./contract.ts";
import { getAt, putAt, putBelow } from "./json.ts";
import { paramOf } from "./params.ts";
import type { FieldPointers } from "./places.ts";
import { readValue, type SpellingPlace } from "./spell.ts";
import { fieldsOf, encodeField } from "./encode-field.ts";
import { entryOf, publicIdOf, objectOfId, tagOf, type Visit } from "./visit.ts";

/** Returns an object as a record of the contract's API. A member of a set becomes a set of its own, with the member in place of the list. */
export function recordOf(visit: Visit, object: StoredObject): unknown {
  const entry = entryOf(visit, object.kind);
  const { id, etag, managed_when: managed = [], operations } = entry;
  const formatted = visit.formatted(object);
  let record: unknown = {};
  const put = (pointer: Pointer, value: unknown): void => void (record = putAt(record, pointer, value));
  for (const [pointer, value] of [...requiredValues(visit, object), ...ownValues(visit, object)]) put(pointer, value);
  for (const { pointer, equals } of managed) {
    const [value] = equals;
    if (object.record["managed"] === true) put(pointer, value);
    else if (typeof value === "boolean") put(pointer, !value);
  }
  for (const [name, field] of fieldsOf(entry)) {
    const value = valueOf(object, formatted, name);
    if (value !== undefined)
      for (const [pointer, encoded] of encodeField(visit, object, [name, field], value)) put(pointer, encoded);
  }
  if (id !== undefined) put(id, typeof getAt(record, id) === "string" ? getAt(record, id) : publicIdOf(visit, object));
  if (etag !== undefined && operations.list.explode === undefined) put(etag, etagOfObject(object));
  return record;
}

export const etagOfObject = ({ record }: StoredObject): string => makeEtag(JSON.stringify(record));

/** Refuses with 412 a request that expects another version than the one that is there. */
export function refuseStale(what: string, etag: string, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === etag) return;
  throw new HttpError(412, "precondition_failed", `${what} changed since it was read: it is at ${etag}.`);
}

/** Returns what makes a record count in its list. */
function requiredValues(visit: Visit, object: StoredObject): [Pointer, unknown][] {
  const { where = [] } = entryOf(visit, object.kind).operations.list;
  return where.flatMap(({ pointer, equals }): [Pointer, unknown][] => {
    if (equals.includes(null)) return [];
    const [value] = equals;
    const name = typeof value === "string" ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined;
    return [[pointer, name === undefined ? value : paramOf(visit, object, name)]];
  });
}

/** Returns the values that the contract reads from records of this kind beside its fields: for parameters of other kinds. */
function ownValues({ contract }: Visit, { kind, id }: StoredObject): [Pointer, unknown][] {
  const list = contract.kinds[kind]?.operations.list.path;
  return Object.values(contract.kinds).flatMap(({ params = {} }) =>
    Object.entries(params).flatMap(([name, { id_of: owner, at, lookup }]): [Pointer, unknown][] => {
      if (owner === kind && at !== undefined) return [[at, tagOf(id)]];
      return lookup !== undefined && lookup.path === list ? [[lookup.at, `${name}-e30`]] : [];
    }),
  );
}

/** The order in which fields are read: the type of a record decides the formatting of its name, and both decide that of its content. */
const rank = (name: string): number => ["type", "name"].indexOf(name) + Number(name === "content") * 3;

/** Reads fields from a body. The result is laid out as the store lays its records out. */
export function readFields(
  visit: Visit,
  kind: KindName,
  body: unknown,
  places: FieldPointers,
  parts: KeyParts,
): Fields {
  const entry = entryOf(visit, kind);
  let fields: Fields = {};
  const ordered = [...places].sort(([a], [b]) => rank(a) - rank(b));
  for (const [name, pointer] of ordered) {
    const field = entry.fields[name];
    if (field === undefined) continue;
    const type = textOf(fields["type"] ?? parts["type"]);
    const place = { kind, field: name, parts, type: type.toUpperCase() };
    if (kind === "dns_record" && name === "content") Object.assign(fields, readContent(body, field, pointer, place));
    else {
      const value = getAt(body, pointer);
      const labels = kind === "dns_record" && name === "name" ? field.parts?.[place.type] : undefined;
      const stored = value === undefined ? undefined : storedValue(visit, field, place, value);
      const whole = labels ? joinName(shifted(labels, field, pointer), body, stored) : stored;
      if (whole !== undefined) fields = putBelow(fields, storedPath(kind, name), whole) as Fields;
    }
  }
  return fields;
}

function storedValue(visit: Visit, field: FieldEntry, place: SpellingPlace, value: unknown): unknown {
  if (place.field !== "service") return readValue(field, place, value);
  if (value === null) return null;
  if (field.id_of !== undefined) return orUndefined(() => objectOfId(visit, "service", value).id) ?? value;
  const name = String(readValue(field, place, value)).toLowerCase();
  return visit.objects.byKey(`service ${name}`)?.id ?? name;
}

/** Returns the places of parts in a body that holds the object below another place. */
function shifted(places: Readonly<Record<string, Pointer>>, { at }: FieldEntry, pointer: Pointer) {
  const shift = pointer === at ? "" : pointer.slice(0, pointer.length - at.length);
  return Object.fromEntries(Object.entries(places).map(([part, place]) => [part, shift + place]));
}

function readContent(body: unknown, field: FieldEntry, pointer: Pointer, place: SpellingPlace): Fields {
  const places = shifted(field.parts?.[place.type] ?? {}, field, pointer);
  const joined = joinContent(place.type, places, body);
  if (joined !== undefined) {
    const priority = hasPriority(place.type) ? partIn(places, "priority", body) : undefined;
    return priority === undefined ? { content: joined } : { content: joined, priority };
  }
  const value = getAt(body, pointer);
  if (typeof value !== "string") return value === undefined ? {} : { content: value };
  const inside = field.as?.includes("priority_inside") === true && hasPriority(place.type);
  const [, priority, rest] = (inside && /^(\d+) +(.*)$/s.exec(value)) || [];
  const content = readValue(field, place, rest ?? value);
  return priority === undefined ? { content } : { content, priority: Number(priority) };
}
