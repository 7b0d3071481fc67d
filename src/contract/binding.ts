import { isDeepStrictEqual } from "node:util";
import type { Kind } from "../kinds/kind.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { kindNamed } from "../kinds/index.ts";
import { type Address, toAddress } from "../model/address.ts";
import type { Contract, FieldContract, KindContract, OperationContract } from "../model/contract.ts";
import type {
  BodyValue,
  CallRequest,
  CreateCall,
  DeleteCall,
  Param,
  RenewCall,
  RestoreCall,
  UpdateCall,
} from "../model/http-call.ts";
import { type Json, jsonText } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { knownValues } from "../model/body.ts";
import type { Body, Fields, Key, KnownValue, Remote, RemoteId, Value, Values } from "../model/resource.ts";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import type { PlanInput } from "../model/plan-input.ts";

/** Looks up the id of a resource that is live and stays; undefined: a step will bring it. */
export type IdOf = (address: Address) => RemoteId | undefined;

/** The contract and the known ids, from which requests are built. */
export interface Binding {
  readonly contract: Contract;
  readonly idOf: IdOf;
}

/** Operations of a single object. */
type OperationName = "list" | "read" | "create" | "update" | "delete" | "renew";

/** The contract's entry of a kind. A missing one is the contract's mistake, found by the completeness check at start. */
export function entryOf(contract: Contract, kind: Kind): KindContract {
  const entry = contract.kinds[kind.name];
  if (!entry) throw new Error(`The contract ${contract.name} has no entry for ${kind.name}`);
  return entry;
}

/** Whether the API has objects of a kind at all. */
export const hasKind = (contract: Contract, { name }: Kind): boolean => (contract.kinds[name] ?? null) !== null;

/** Whether the API offers an operation on a kind. */
export function offers(contract: Contract, kind: Kind, operation: OperationName): boolean {
  return operationOf(entryOf(contract, kind), operation) !== undefined;
}

/** Returns a request of a kind; undefined where the API offers none, or the server acts by itself. */
function operationOf({ operations }: KindContract, name: OperationName): OperationContract | undefined {
  const operation = operations[name];
  return operation === "implicit" ? undefined : operation;
}

/** The address whose id a path or query of this kind's list needs, such as the zone of a record. */
export function listParents(contract: Contract, kind: Kind, scope: Key): Address[] {
  return Object.values(request({ contract, idOf: () => undefined }, kind, "list", scope).params)
    .concat(Object.values(request({ contract, idOf: () => undefined }, kind, "list", scope).query))
    .flatMap((param) => (typeof param === "string" ? [] : [param.idOf]));
}

/** Whether a kind's list is one object at most. */
export function isSingle(contract: Contract, kind: Kind): boolean {
  return entryOf(contract, kind).operations.list.single === true;
}

export function listRequest(binding: Binding, kind: Kind, scope: Key): CallRequest {
  return request(binding, kind, "list", scope);
}

/** The request that makes an object: what its key says, what is written, laid over the contract's base. */
export function createCall(binding: Binding, kind: Kind, key: Key, body: Body): CreateCall {
  const entry = entryOf(binding.contract, kind);
  const whole = { ...knownValues(kind.naming.toFields(key)), ...body.fields };
  const values = bodyValues(entry, whole, {
    spelt: spelling(kind, key, body.fields),
    idOf: binding.idOf,
    pointerOf: createPointer,
  });
  return {
    operation: "create",
    ...request(binding, kind, "create", key),
    base: operationOf(entry, "create")?.base ?? {},
    values,
  };
}

/** The written fields that a creation does not take: they need an update right after it. */
export function fieldsLeftOut(contract: Contract, kind: Kind, names: readonly string[]): string[] {
  const { fields } = entryOf(contract, kind);
  return names.filter((name) => fields[name]?.create === false);
}

/**
 * The request that writes an object whole. `remote` undefined: the object that the step has just made, read first. `before`: the managed
 * values that the plan saw.
 */
export function updateCall(
  binding: Binding,
  kind: Kind,
  owner: { readonly address: Address; readonly key: Key; readonly remote: Remote | undefined },
  { fields, before = {} }: Body & { readonly before?: Fields },
): UpdateCall {
  const entry = entryOf(binding.contract, kind);
  const id: Param = owner.remote ? owner.remote.id : { idOf: owner.address };
  return {
    operation: "update",
    ...request(binding, kind, "update", owner.key, id),
    base: owner.remote && owner.remote.redacted === undefined ? owner.remote.raw : null,
    omit: readOnlyPointers(entry, kind),
    values: bodyValues(entry, fields, {
      spelt: spelling(kind, owner.key, fields),
      idOf: binding.idOf,
      pointerOf: (field) => field.at,
    }),
    before: Object.entries(before).flatMap(([name, value]) => {
      const field = entry.fields[name];
      return field && field.id_of === undefined ? [{ pointer: field.at, field: name, value }] : [];
    }),
    etag: owner.remote?.etag,
    read: readRequest(binding, kind, owner.key, id),
  };
}

function readOnlyPointers(entry: KindContract, kind: Kind): string[] {
  const readOnly = Object.entries(entry.fields).filter(([name]) => kind.fields[name]?.access === "read_only");
  return [entry.id, entry.etag, ...readOnly.map(([, field]) => field.at)].filter((pointer) => pointer !== undefined);
}

/** The request that makes an object again after its deletion, with its whole record; ids of other objects are looked up then. */
export function restoreCall(binding: Binding, kind: Kind, key: Key, remote: Remote): RestoreCall {
  const entry = entryOf(binding.contract, kind);
  const known = { ...remote.fields, ...kind.naming.toFields(key) };
  const ids = Object.fromEntries(
    Object.entries(known).filter(([name, value]) => entry.fields[name]?.id_of !== undefined && value !== null),
  );
  return {
    ...request(binding, kind, "create", key),
    id: remote.id,
    base: { ...operationOf(entry, "create")?.base, ...remote.raw },
    omit: readOnlyPointers(entry, kind),
    values: bodyValues(entry, knownValues(ids), { spelt: {}, idOf: binding.idOf, pointerOf: createPointer }),
    read: readRequest(binding, kind, key, remote.id),
  };
}

/** The request that prolongs what expires, with these values. Its outcome is read back from the field `expiry`. */
export function renewCall(
  binding: Binding,
  kind: Kind,
  { key, remote }: { readonly key: Key; readonly remote: Remote },
  { values, expiry }: { readonly values: Fields; readonly expiry: string },
): RenewCall {
  const { operations, fields } = entryOf(binding.contract, kind);
  return {
    operation: "renew",
    ...request(binding, kind, "renew", key, remote.id),
    base: operations.renew?.base ?? {},
    values: Object.entries(values).map(([field, value]) => ({
      pointer: fields[field]?.at ?? `/${field}`,
      field,
      value,
    })),
    expiry: { field: expiry, before: remote.fields[expiry] ?? null },
  };
}

export function deleteCall(binding: Binding, kind: Kind, key: Key, remote: Remote): DeleteCall {
  return { operation: "delete", ...request(binding, kind, "delete", key, remote.id), etag: remote.etag };
}

export function readRequest(binding: Binding, kind: Kind, key: Key, id: Param): CallRequest | undefined {
  return offers(binding.contract, kind, "read") ? request(binding, kind, "read", key, id) : undefined;
}

/** Returns the given fields of a live object in the server's own spelling, if the API takes that and it is not the normal form. */
export function liveSpelling(
  contract: Contract,
  kind: Kind,
  key: Key,
  { raw, fields }: Remote,
  names: Iterable<string>,
): Fields {
  const entry = entryOf(contract, kind);
  const raws = [...names].flatMap((name) => {
    const field = entry.fields[name];
    const value = field && field.id_of === undefined ? getPointer(raw, field.at) : undefined;
    const isSame = value !== undefined && isDeepStrictEqual(normalValue(kind, name, value, key), fields[name]);
    return isSame ? [[name, value] as const] : [];
  });
  return spelling(kind, key, knownValues(fields, Object.fromEntries(raws)));
}

const createPointer = (field: FieldContract) =>
  typeof field.create === "string" ? field.create : field.create === false ? undefined : field.at;

/** Returns the values that are sent otherwise than in their normal form, by field. */
export function spelling(kind: Kind, key: Key, values: Values): Fields {
  const spelt: Record<string, Json> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value.is !== "known" || value.written === undefined) continue;
    const sent = kind.fields[name]?.sent?.(value.written, value.value, key);
    if (sent !== undefined && !isDeepStrictEqual(sent, value.value)) spelt[name] = sent;
  }
  return spelt;
}

function bodyValues(
  entry: KindContract,
  values: Values,
  {
    spelt,
    idOf,
    pointerOf,
  }: {
    readonly spelt: Fields;
    readonly idOf: IdOf;
    readonly pointerOf: (field: FieldContract) => string | undefined;
  },
): BodyValue[] {
  return Object.entries(values).flatMap(([name, desired]): BodyValue[] => {
    const field = entry.fields[name];
    const pointer = field && pointerOf(field);
    if (field === undefined || pointer === undefined) return [];
    if (desired.is !== "known") return outsideValues({ pointer, field: name }, desired);
    const { value } = desired;
    const sent = spelt[name];
    if (field.id_of === undefined || value === null)
      return [{ pointer, field: name, value, ...(sent !== undefined && { sent }) }];
    const address = addressByName(field.id_of, jsonText(value));
    const id = idOf(address);
    return [id === undefined ? { pointer, field: name, idOf: address } : { pointer, field: name, value: id }];
  });
}

/** A secret is sent as it was read; a reference is looked up once more, since a step before may have changed what it refers to. */
function outsideValues(place: Pick<BodyValue, "pointer" | "field">, desired: Exclude<Value, KnownValue>): BodyValue[] {
  if (desired.is === "secret" && desired.secret) return [{ ...place, secret: desired.secret }];
  return desired.parts ? [{ ...place, parts: desired.parts }] : [];
}

function addressByName(kindName: string, name: string): Address {
  return toAddress(kindName, [name]);
}

function request({ contract, idOf }: Binding, kind: Kind, name: OperationName, key: Key, id?: Param): CallRequest {
  const entry = entryOf(contract, kind);
  const operation = operationOf(entry, name);
  if (!operation) throw new Error(`The contract ${contract.name} offers no ${name} for ${kind.name}`);
  const param = (placeholder: string): Param => {
    if (placeholder === "id" && id !== undefined) return id;
    const source = entry.params?.[placeholder];
    if (!source)
      throw new Error(`The contract ${contract.name} does not say what {${placeholder}} is for ${kind.name}`);
    if (!("key" in source)) throw new Error(`{${placeholder}} of ${kind.name} is not filled`);
    if (!("id_of" in source)) return key[source.key] ?? "";
    const parent = kindNamed(source.id_of);
    const parentKey = Object.fromEntries(Object.entries(source.key).map(([part, own]) => [part, key[own] ?? ""]));
    const address = toAddress(parent.name, parent.naming.addressParts(parentKey));
    return idOf(address) ?? { idOf: address };
  };
  return {
    method: operation.method,
    path: contract.base_path + operation.path,
    params: Object.fromEntries(placeholders(operation.path).map((placeholder) => [placeholder, param(placeholder)])),
    query: Object.fromEntries(
      Object.entries(operation.query ?? {}).map(([parameter, text]) => [
        parameter,
        queryValue(text, placeholders(text), param),
      ]),
    ),
  };
}

const placeholders = (text: string) => [...text.matchAll(/\{(\w+)\}/gu)].map(([, placeholder = ""]) => placeholder);

function queryValue(text: string, placeholders: readonly string[], param: (placeholder: string) => Param): Param {
  const [only] = placeholders;
  return only === undefined ? text : param(only);
}

/** Whether the server makes and removes an object together with its parent. */
export const isMadeByServer = ({ contract }: PlanInput, kind: Kind, remote: Remote): boolean =>
  !offers(contract, kind, "create") || isPlatformOwned(kind, remote);
