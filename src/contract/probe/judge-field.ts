import { normalValue } from "../../kinds/derived/normal-value.ts";
import { inlinePriority, isPrioritised } from "../../kinds/dns/record-content.ts";
import { unknownStatus } from "../../kinds/derived/unknown-status.ts";
import type { Codec } from "../../model/contract.ts";
import type { ProbeFinding } from "../../model/contract-summary.ts";
import { type Json, type JsonObject, jsonText } from "../../model/json.ts";
import { getPointer, isObject } from "../../model/json-pointer.ts";
import type { NameOf } from "../decode-record.ts";
import { sortOf } from "../spelling/fits.ts";
import {
  encodeValue,
  fieldOf,
  hasEncoding,
  placesOf,
  readField,
  spellingContextOf,
  type FieldScope,
} from "../spelling/read-field.ts";
import { jsonTypeOf, refuted, seen, shown, unseen } from "./finding.ts";

/** Judges a field by the records of one list: it is seen if one of them holds a value in the form that the contract and the kind expect. */
export function judgeField(
  fieldScope: FieldScope,
  name: string,
  records: readonly JsonObject[],
  nameOf: NameOf,
): ProbeFinding {
  const { kind } = fieldScope;
  const path = ["kinds", kind.name, "fields", name];
  const field = fieldOf(kind.entry, name);
  if (!field) return unseen(path, "the contract says that the API lacks it");
  if (["write_only", "manifest_only"].includes(kind.fields[name]?.access ?? ""))
    return unseen(path, "answers do not hold it, since it is only written");
  let isSeen = false;
  for (const raw of records) {
    const values = placesOf(field).map((at) => getPointer(raw, at));
    const there = values.find((value) => value !== undefined && value !== null);
    const value = readField(fieldScope, name, raw);
    if (there === undefined || value === undefined) continue;
    const wrong = value === null ? undefined : findMistake(fieldScope, name, raw, value);
    if (wrong !== undefined) return refuted(path, wrong, shown(kind, name, there));
    isSeen ||= field.id_of === undefined || nameOf(field.id_of, jsonText(there)) !== undefined;
  }
  if (isSeen) return seen(path);
  const what = field.id_of === undefined ? `a value at ${field.at}` : `the id of a ${field.id_of} that was read`;
  return unseen(path, `no object holds ${what}`);
}

/** Returns the form that was expected of a value in a record; undefined if the value has it. */
function findMistake(fieldScope: FieldScope, name: string, raw: JsonObject, value: Json): string | undefined {
  const { kind, key } = fieldScope;
  const normal = normalValue(kind, name, value, key);
  if (!hasForm(fieldScope, name, value, normal)) return formOf(fieldScope, name);
  if (name === "status" && unknownStatus(kind, { status: normal }) !== undefined) {
    const { ready = [], awaited = [], failed = [] } = kind.readiness ?? {};
    return `one of ${[...ready, ...awaited, ...failed].join(", ")}, or a word in its map`;
  }
  return findMisspelling(fieldScope, name, raw, { value, normal });
}

function hasForm({ kind }: FieldScope, name: string, value: Json, normal: Json): boolean {
  const sort = sortOf(kind, name);
  if (sort === "number" || sort === "boolean") return typeof normal === sort;
  const items = Array.isArray(value) ? value : [value];
  if (kind.fields[name]?.holdsObjects !== true) return items.every((item) => item === null || typeof item !== "object");
  // A member with another name than the one that is read is empty in the normal form.
  return items.every(isObject) && !holdsNothing(normal);
}

const holdsNothing = (value: Json): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.values(value).some(holdsNothing));

function formOf({ kind }: FieldScope, name: string): string {
  const sort = sortOf(kind, name);
  if (sort === "boolean") return "true or false";
  if (sort === "number") return "a number";
  return kind.fields[name]?.holdsObjects === true
    ? "objects with the members of its form"
    : "a text, or a list of texts";
}

const freeCodecs: ReadonlySet<Codec> = new Set(["quoted_text", "priority_inside"]);

/** Returns how the contract would write a value, if that is another spelling than the one in the record. */
function findMisspelling(
  fieldScope: FieldScope,
  name: string,
  raw: JsonObject,
  { value, normal }: { readonly value: Json; readonly normal: Json },
): string | undefined {
  const { kind } = fieldScope;
  const field = kind.entry.fields[name];
  const there = field && getPointer(raw, field.at);
  // What is only read needs no spelling; an id, a part of a content and a list under keys have one of their own.
  if (!field || there === undefined || field.id_of !== undefined || field.parts || field.keys !== undefined)
    return undefined;
  if (kind.fields[name]?.access === "read_only") return undefined;
  const place = spellingContextOf(fieldScope, name, raw);
  const again = encodeValue(field, place, normal);
  if (!isObject(again) && typeof again !== typeof there) return jsonTypeOf(again);
  const { as = [], map = {} } = field;
  if (
    as.includes("priority_inside") &&
    isPrioritised(place.type) &&
    inlinePriority(place.type, jsonText(there)) === undefined
  )
    return "a priority before the content (priority_inside)";
  // Words and quotes have several spellings, and a priority is put before its content elsewhere.
  const isFree = Object.values(map).some((words) => Array.isArray(words)) || as.some((codec) => freeCodecs.has(codec));
  if (!hasEncoding(field) || isFree) return undefined;
  if (JSON.stringify(encodeValue(field, place, value)) === JSON.stringify(there)) return undefined;
  return `${jsonTypeOf(there)} in the spelling that the contract states (as:, map: or sentinel:)`;
}
