import { hasPriority } from "../dns/record-content.ts";
import type { StoredObject } from "../store/objects.ts";
import { keyPartsOf, valueOf } from "./account.ts";
import { splitContent, splitName } from "./contents.ts";
import type { FieldEntry, KindEntry, Pointer } from "./contract.ts";
import { encodeValue, type SpellingPlace } from "./spell.ts";
import { entryOf, publicIdOf, tagOf, type Visit } from "./visit.ts";

/** Fields that the API has. */
export const fieldsOf = ({ fields }: KindEntry): [string, FieldEntry][] =>
  Object.entries(fields).filter(([, { absent }]) => absent !== true);

/** Returns a field's value and its place, or its parts and theirs. */
export function encodeField(
  visit: Visit,
  object: StoredObject,
  [name, field]: [string, FieldEntry],
  value: unknown,
): [Pointer, unknown][] {
  const { objects } = visit;
  const { kind, record } = object;
  const place = { kind, field: name, parts: keyPartsOf(object, objects), type: String(record["type"]) };
  if (name === "service" && typeof value === "string") {
    const service = objects.byId("service", value);
    if (service !== undefined && field.id_of !== undefined) return [[field.at, publicIdOf(visit, service)]];
    return [[field.at, encodeValue(field, place, service?.record["domain"])]];
  }
  if (kind === "dns_record" && name === "content") return contentAt(object, field, place, String(value));
  const labels = kind === "dns_record" && name === "name" ? field.parts?.[place.type] : undefined;
  const [rest, firstLabels] = (labels && splitName(labels, String(value))) ?? [value, []];
  return [[field.at, encodeValue(field, place, rest)], ...firstLabels];
}

function contentAt(
  { record }: StoredObject,
  field: FieldEntry,
  place: SpellingPlace,
  content: string,
): [Pointer, unknown][] {
  const { priority } = record;
  const places = field.parts?.[place.type];
  const inParts = hasPriority(place.type) ? priority : undefined;
  const split = places && splitContent(place.type, places, content, inParts);
  if (split !== undefined) return split;
  const encoded = encodeValue(field, place, content);
  const isInside = field.as?.includes("priority_inside") === true && typeof priority === "number";
  return [[field.at, isInside ? `${priority} ${String(encoded)}` : encoded]];
}

/** Returns the value at a place of a record: of a field, of the id, or one that no field has. */
export function encodedValueAt(visit: Visit, object: StoredObject, at: Pointer): unknown {
  const entry = entryOf(visit, object.kind);
  const field = fieldsOf(entry).find(([, { at: place }]) => place === at);
  if (field === undefined) return entry.id === at ? publicIdOf(visit, object) : tagOf(object.id);
  return encodeField(visit, object, field, valueOf(object, visit.formatted(object), field[0])).at(0)?.[1];
}
