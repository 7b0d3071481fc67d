import type { Codec, FieldContract, Pointer } from "../../model/contract.ts";
import { jsonText, type Json, type JsonObject } from "../../model/json.ts";
import { omitPointer, setPointer } from "../../model/json-pointer.ts";
import { isOpaque } from "../../kinds/dns/numbered-type.ts";
import { isPrioritised } from "../../kinds/dns/record-content.ts";
import { hasPart, splitParts, splitName } from "./content-parts.ts";
import { isContent, priorityField, type SpellingContext } from "./special-fields.ts";
import {
  aboveField,
  encodeValue,
  fieldOf,
  innerPriority,
  hasEncoding,
  partsOfName,
  spellingContextOf,
  readField,
  type FieldScope,
  within,
} from "./read-field.ts";

/** A value of a body in normal form: its field, and its place where the field is not in pieces. */
export interface FieldValue {
  readonly pointer: Pointer;
  readonly field: string;
  readonly value: Json;
}

/**
 * Lays values over a body as the API spells them. What a content and its priority share is written for both.
 * @param record the object as it is, for the one of them that is not written.
 */
export function spellBody(
  fieldScope: FieldScope,
  base: JsonObject,
  values: readonly FieldValue[],
  record: JsonObject = base,
): JsonObject {
  const { kind, key } = fieldScope;
  const { entry } = kind;
  const content = values.find(({ field }) => isContent(kind, field));
  const priority = values.find(({ field }) => kind.members !== undefined && field === priorityField);
  const inner = priority && innerPriority(kind, key["type"] ?? "");
  const isElsewhere = inner !== undefined || fieldOf(entry, priorityField) !== entry.fields[priorityField];
  const body = values
    .filter((each) => each !== content && !(each === priority && isElsewhere))
    .reduce((rest, each) => spellField(fieldScope, rest, each), base);
  return content || inner ? spellContent(fieldScope, body, record, { content, priority }) : body;
}

/** Lays a value over a body: the first labels of a name at their places, where they stand apart. */
function spellField(fieldScope: FieldScope, body: JsonObject, { pointer, field, value }: FieldValue): JsonObject {
  const { [field]: own } = fieldScope.kind.entry.fields;
  const pointers = partsOfName(fieldScope, field);
  const split = own && pointers && splitName(within(pointers, own, pointer), value);
  const whole = setPointer(body, pointer, encodeField(fieldScope, field, split ? split.rest : value));
  return split ? split.labels.reduce((rest, [at, label]) => setPointer(rest, at, label), whole) : whole;
}

/** Returns the value of a field as the API spells it, where the field is not in pieces. */
export function encodeField(fieldScope: FieldScope, name: string, value: Json): Json {
  const field = fieldOf(fieldScope.kind.entry, name);
  return field && hasEncoding(field) ? encodeValue(field, spellingContextOf(fieldScope, name), value) : value;
}

/** The values from which a content and its priority are encoded. */
interface ContentSource {
  readonly pointer: Pointer;
  readonly value: Json;
  readonly priority: Json;
}

function spellContent(
  fieldScope: FieldScope,
  body: JsonObject,
  record: JsonObject,
  written: { readonly content: FieldValue | undefined; readonly priority: FieldValue | undefined },
): JsonObject {
  const { kind } = fieldScope;
  const { entry } = kind;
  const name = kind.members?.identity ?? "";
  const field = entry.fields[name];
  if (!field) return body;
  const { pointer = "" } = written.content ?? written.priority ?? {};
  const above = aboveField(pointer, (written.content ? field : fieldOf(entry, priorityField))?.at ?? "");
  const content = {
    pointer: written.content ? pointer : above + field.at,
    value: written.content?.value ?? readField(fieldScope, name, record) ?? null,
    priority: written.priority?.value ?? readField(fieldScope, priorityField, record) ?? null,
  };
  const place = spellingContextOf(fieldScope, name);
  const inner = innerPriority(kind, place.type);
  const own = inner && entry.fields[priorityField];
  const rest = own && own.absent !== true ? omitPointer(body, above + own.at) : body;
  return inParts(field, place, rest, content) ?? asText(field, place, rest, content, inner?.is === "before");
}

const hostCodecs: ReadonlySet<Codec> = new Set<Codec>(["final_dot", "no_final_dot"]);

/** Lays a content in its parts over a body; undefined where the API takes it whole, or it does not have those parts. */
function inParts(
  field: FieldContract,
  place: SpellingContext,
  body: JsonObject,
  content: ContentSource,
): JsonObject | undefined {
  const parts = field.parts?.[place.type];
  if (!parts) return undefined;
  const as = (field.as ?? []).filter((codec) => hostCodecs.has(codec));
  const isInside = isPrioritised(place.type) && hasPart(parts, priorityField);
  const pieces = splitParts(
    place.type,
    within(parts, field, content.pointer),
    jsonText(encodeValue({ at: field.at, as }, place, content.value)),
    isInside ? { [priorityField]: content.priority } : {},
  );
  return pieces?.reduce(
    (rest, [pointer, value]) => setPointer(rest, pointer, value),
    omitPointer(body, content.pointer),
  );
}

function asText(
  field: FieldContract,
  place: SpellingContext,
  body: JsonObject,
  content: ContentSource,
  hasPriority: boolean,
): JsonObject {
  const value = hasEncoding(field) ? encodeValue(field, place, content.value) : content.value;
  const isPrefixed = hasPriority && typeof value === "string" && content.priority !== null && !isOpaque(value);
  return setPointer(body, content.pointer, isPrefixed ? `${jsonText(content.priority)} ${value}` : value);
}
