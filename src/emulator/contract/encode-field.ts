import type { KindName } from "../kinds/kind-name.ts";
import type { StoredObject } from "../store/objects.ts";
import { keyPartsOf, valueOf, type KeyParts } from "./account.ts";
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
  const place = spellingPlace(object.kind, name, keyPartsOf(object, objects), String(object.record["type"]));
  if (name === "service" && typeof value === "string") {
    const service = objects.byId("service", value);
    if (service !== undefined && field.id_of !== undefined) return [[field.at, publicIdOf(visit, service)]];
    return [[field.at, encodeValue(field, place, service?.record["domain"])]];
  }
  if (object.kind === "dns_record" && name === "content") return contentAt(object, field, place, String(value));
  const labels = object.kind === "dns_record" && name === "name" ? field.parts?.[place.type] : undefined;
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
  const inParts = place.type === "SRV" || place.type === "MX" ? priority : undefined;
  const split = places && splitContent(place.type, places, content, inParts);
  if (split !== undefined) return split;
  const encoded = encodeValue(field, place, content);
  const isInside = field.as?.includes("priority_inside") === true && typeof priority === "number";
  return [[field.at, isInside ? `${priority} ${String(encoded)}` : encoded]];
}

export const spellingPlace = (kind: KindName, field: string, parts: KeyParts, type: string): SpellingPlace => ({
  kind,
  field,
  parts,
  type,
});

/** Returns the value at a place of a record: of a field, of the id, or one that no field has. */
export function encodedValueAt(visit: Visit, object: StoredObject, at: Pointer): unknown {
  const entry = entryOf(visit, object.kind);
  const field = fieldsOf(entry).find(([, { at: place }]) => place === at);
  if (field === undefined) return entry.id === at ? publicIdOf(visit, object) : tagOf(object.id);
  return encodeField(visit, object, field, valueOf(object, visit.formatted(object), field[0])).at(0)?.[1];
}
