import { collectionOf } from "../kinds/derived/collection.ts";
import { kindNamed } from "../kinds/index.ts";
import { type Address, toAddress } from "../model/address.ts";
import type { Contract, FieldContract, OperationContract, ParamContract, Pointer } from "../model/contract.ts";
import type { CallRequest, Param, BodyValue } from "../model/http-call.ts";
import { type JsonObject, jsonText, type Json } from "../model/json.ts";
import { getOrMake, trimmed } from "../lib/collect.ts";
import { setPointer } from "../model/json-pointer.ts";
import type { Key, Live, Fields, KnownValue, Remote, Value, Values } from "../model/resource.ts";
import type { BoundKind } from "./bound-kind.ts";
import { encodeField } from "./spelling/spell-body.ts";
import { isDeepStrictEqual } from "node:util";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { withServersNames } from "../kinds/derived/parents.ts";
import type { Kind } from "../kinds/kind.ts";
import { knownValues } from "../model/body.ts";
import { parametersIn } from "./operations-in.ts";
import { fieldOf, readField, type FieldScope } from "./spelling/read-field.ts";

/** Looks up the id of a resource that is live and stays, or the text at a pointer of its record; undefined: a step will bring it. */
export type IdOf = (address: Address, at?: Pointer) => string | undefined;

/** The contract and the known ids, from which requests are built. */
export interface Binding {
  readonly contract: Contract;
  readonly idOf: IdOf;
  /** The lists that were read, with the parameters that were looked up for them, and what the server calls the resources in them. */
  readonly live?: Pick<Live, "collections"> & Partial<Pick<Live, "resources">>;
  /** The id of the object whose list is read, where a list is read for each object of a kind (`for_each`). */
  readonly each?: Readonly<Record<string, string>>;
}

/** The object of a request, or the list whose scope is the key. `id`: of the object, where the request names it by that. */
export interface Subject {
  readonly kind: BoundKind;
  readonly key: Key;
  readonly id?: Param | undefined;
}

/** Builds the request of an operation. Throws where the contract does not say how a parameter of it is filled in. */
export function buildRequest(binding: Binding, subject: Subject, operation: OperationContract): CallRequest {
  const { contract } = binding;
  const { kind, id } = subject;
  const param = (placeholder: string): Param => {
    if (placeholder === "id" && id !== undefined) return id;
    const each = binding.each?.[placeholder];
    if (each !== undefined) return each;
    const { params, operations } = kind.entry;
    if (operations.list.for_each?.[placeholder] !== undefined) return listedUnder(binding, subject);
    const source = params?.[placeholder];
    if (!source)
      throw new Error(`The contract ${contract.name} does not say what {${placeholder}} is for ${kind.name}`);
    return paramOf(binding, subject, placeholder, source);
  };
  const filled = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, paramIn(text, param)]));
  const known = getOrMake(templates, contract, () => new WeakMap<OperationContract, Template>());
  const template = getOrMake(known, operation, () => templateOf(contract, operation));
  const { path, names, query, inBody, last } = template;
  const own = Object.fromEntries(names.map((name) => [name, param(name)]));
  const params = names.every((name) => own[name] === last[name]) ? last : (template.last = own);
  const request = { method: operation.method, path, params, query: query ? filled(query) : none };
  return inBody ? { ...request, inBody: filled(inBody) } : request;
}

/** The parts that all requests of an operation have in common. */
interface Template {
  readonly path: string;
  /** The parameters in the path. */
  readonly names: readonly string[];
  /** The parameters of the last request: all creations in one list have the same. */
  last: CallRequest["params"];
  /** Undefined where there is none. */
  readonly query: Readonly<Record<string, string>> | undefined;
  /** The members of the body with a parameter; undefined where there is none. */
  readonly inBody: Readonly<Record<string, string>> | undefined;
}

const templates = new WeakMap<Contract, WeakMap<OperationContract, Template>>();
const none: Readonly<Record<string, string>> = {};

function templateOf({ base_path: base }: Contract, { path, query = {}, body = {} }: OperationContract): Template {
  const inBody = Object.entries(body).flatMap(([pointer, value]) =>
    typeof value === "string" && parametersIn(value).length > 0 ? [[pointer, value] as const] : [],
  );
  return {
    path: base + path,
    names: parametersIn(path),
    last: {},
    query: Object.keys(query).length > 0 ? query : undefined,
    inBody: inBody.length > 0 ? Object.fromEntries(inBody) : undefined,
  };
}

/** The id of the parent in whose list an object was found; empty if no such list was read. */
const listedUnder = ({ live }: Binding, { kind, key, id }: Subject): string =>
  (typeof id === "string" ? live?.collections.get(collectionOf(kind, key).id)?.parents?.get(id) : undefined) ?? "";

function paramOf(binding: Binding, { kind, key }: Subject, placeholder: string, source: ParamContract): Param {
  const { idOf, live } = binding;
  if ("lookup" in source) return live?.collections.get(collectionOf(kind, key).id)?.lookups?.[placeholder] ?? "";
  if ("field" in source)
    return jsonText(encodeField({ kind, key }, source.field, kind.naming.toFields(key)[source.field] ?? ""));
  if (!("id_of" in source)) return key[source.key] ?? "";
  const parent = kindNamed(source.id_of);
  const parentKey = Object.fromEntries(Object.entries(source.key).map(([part, own]) => [part, key[own] ?? ""]));
  const address = toAddress(parent.name, parent.naming.addressParts(parent.naming.normalise(parentKey)));
  return idOf(address, source.at) ?? { idOf: address, ...(source.at !== undefined && { at: source.at }) };
}

function paramIn(text: string, param: (placeholder: string) => Param): Param {
  const [first] = parametersIn(text);
  if (first === undefined) return text;
  const value = param(first);
  return typeof value === "string" ? text.replace(`{${first}}`, () => value) : value;
}

/** The constants of a body. */
export function constantsOf({ base = none, body = {} }: OperationContract): JsonObject {
  return Object.entries(body)
    .filter(([, value]) => typeof value !== "string" || parametersIn(value).length === 0)
    .reduce((whole, [pointer, value]) => setPointer(whole, pointer, value), base);
}

/** Returns the names of the fields that a request takes; undefined for all. */
export function namesIn({ send }: OperationContract): readonly string[] | undefined {
  if (send === undefined || typeof send === "string") return undefined;
  return Array.isArray(send) ? (send as readonly string[]) : Object.keys(send);
}

/** Whether a request takes a field. The priority of a record goes where its content goes, if no request names it. */
export function sendsField(operation: OperationContract, name: string): boolean {
  const names = namesIn(operation);
  return names === undefined || names.includes(name) || (name === "priority" && names.includes("content"));
}

/** Returns the places in the body that a request names for its fields; undefined where it names none. */
export const namedPlaces = ({ send }: OperationContract): Readonly<Record<string, Pointer>> | undefined =>
  typeof send === "object" && !Array.isArray(send) ? (send as Readonly<Record<string, Pointer>>) : undefined;

/** Returns a lookup of a field's place in the body of an operation; undefined where the operation does not take the field. */
export function placesIn(
  operation: OperationContract,
  placeOf: (field: FieldContract) => Pointer | undefined = ({ at }) => at,
): (field: FieldContract, name: string) => Pointer | undefined {
  const { at = "" } = operation;
  const places = namedPlaces(operation);
  return (field, name) => {
    if (!sendsField(operation, name)) return undefined;
    const place = places ? (places[name] ?? places["content"]) : placeOf(field);
    return place === undefined ? undefined : at + place;
  };
}

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
  { idOf, live }: Binding,
  { kind, key }: Subject,
  values: Values,
  pointerOf: (field: FieldContract, name: string) => Pointer | undefined,
): BodyValue[] {
  const { entry } = kind;
  const sentForms = spelling(kind, key, values);
  const all = Object.entries(values).flatMap(([name, desired]): BodyValue[] => {
    const field = fieldOf(entry, name);
    const pointer = field && pointerOf(field, name);
    if (field === undefined || pointer === undefined) return [];
    if (desired.is !== "known") return outsideValues({ pointer, field: name }, desired);
    const value = withServersNames(kind, { field: name, value: desired.value, key }, live?.resources);
    // A spelling has the names that are declared.
    const sent = isDeepStrictEqual(value, desired.value) ? sentForms[name] : undefined;
    if (field.id_of === undefined || value === null)
      return [sent === undefined ? { pointer, field: name, value } : { pointer, field: name, value, sent }];
    const address = toAddress(field.id_of, [jsonText(value)]);
    const id = idOf(address);
    return [id === undefined ? { pointer, field: name, idOf: address } : { pointer, field: name, value: id }];
  });
  return trimmed(all);
}

/** A secret is sent as it was read; a reference is looked up once more, since a step before may have changed what it refers to. */
function outsideValues(place: Pick<BodyValue, "pointer" | "field">, desired: Exclude<Value, KnownValue>): BodyValue[] {
  if (desired.is === "secret" && desired.secret && !desired.late) return [{ ...place, secret: desired.secret }];
  return desired.parts ? [{ ...place, parts: desired.parts }] : [];
}
