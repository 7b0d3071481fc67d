import { isDeepStrictEqual } from "node:util";
import { normalValue } from "../kinds/derived/normal-value.ts";
import type { Kind } from "../kinds/kind.ts";
import { type Address, toAddress } from "../model/address.ts";
import { trimmed } from "../lib/collect.ts";
import { knownValues } from "../model/body.ts";
import type { FieldContract, KindContract, Pointer } from "../model/contract.ts";
import type { BodyValue } from "../model/http-call.ts";
import { type Json, jsonText } from "../model/json.ts";
import type { Fields, Key, KnownValue, Remote, Value, Values } from "../model/resource.ts";
import type { IdOf } from "./request.ts";
import { fieldOf, readField, type FieldScope } from "./spelling/read-field.ts";

/** Returns the given fields of a live object in the server's own spelling, if the API takes that and it is not the normal form. */
export function liveSpelling(fieldScope: FieldScope, { raw, fields }: Remote, names: Iterable<string>): Fields {
  const { kind, key } = fieldScope;
  const raws = [...names].flatMap((name) => {
    const value = kind.entry.fields[name]?.id_of === undefined ? readField(fieldScope, name, raw) : undefined;
    const isSame = value !== undefined && isDeepStrictEqual(normalValue(kind, name, value, key), fields[name]);
    return isSame ? [[name, value] as const] : [];
  });
  return spelling(kind, key, knownValues(fields, Object.fromEntries(raws)));
}

/** Returns the values that are sent otherwise than in their normal form, by field. */
export function spelling(kind: Kind, key: Key, values: Values): Fields {
  const sentForms: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value.is !== "known" || value.written === undefined) continue;
    const sent = kind.fields[name]?.sent?.(value.written, value.value, key);
    if (sent !== undefined && !isDeepStrictEqual(sent, value.value)) sentForms[name] = sent;
  }
  return sentForms;
}

/** Returns the values of a body, each with its place; a field that the API does not take there is left out. */
export function bodyValues(
  entry: KindContract,
  values: Values,
  {
    sentForms,
    idOf,
    pointerOf,
  }: {
    readonly sentForms: Fields;
    readonly idOf: IdOf;
    readonly pointerOf: (field: FieldContract, name: string) => Pointer | undefined;
  },
): BodyValue[] {
  const all = Object.entries(values).flatMap(([name, desired]): BodyValue[] => {
    const field = fieldOf(entry, name);
    const pointer = field && pointerOf(field, name);
    if (field === undefined || pointer === undefined) return [];
    if (desired.is !== "known") return outsideValues({ pointer, field: name }, desired);
    const { value } = desired;
    const sent = sentForms[name];
    if (field.id_of === undefined || value === null)
      return [sent === undefined ? { pointer, field: name, value } : { pointer, field: name, value, sent }];
    const address = addressByName(field.id_of, jsonText(value));
    const id = idOf(address);
    return [id === undefined ? { pointer, field: name, idOf: address } : { pointer, field: name, value: id }];
  });
  return trimmed(all);
}

/** A secret is sent as it was read; a reference is looked up once more, since a step before may have changed what it refers to. */
function outsideValues(place: Pick<BodyValue, "pointer" | "field">, desired: Exclude<Value, KnownValue>): BodyValue[] {
  if (desired.is === "secret" && desired.secret) return [{ ...place, secret: desired.secret }];
  return desired.parts ? [{ ...place, parts: desired.parts }] : [];
}

function addressByName(kindName: string, name: string): Address {
  return toAddress(kindName, [name]);
}
