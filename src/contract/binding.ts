import { isDeepStrictEqual } from "node:util";
import { bodyValues, type Binding, buildRequest, constantsOf, namesIn, placesIn, type Subject } from "./request.ts";
import { withServersNames } from "../kinds/derived/parents.ts";
import type { Address } from "../model/address.ts";
import type { Condition, Contract, FieldContract, KindContract, OperationContract } from "../model/contract.ts";
import type {
  CallRequest,
  CreateCall,
  DeleteCall,
  Param,
  RenewCall,
  RestoreCall,
  UpdateCall,
} from "../model/http-call.ts";
import { knownValues, openValue, pickValues } from "../model/body.ts";
import type { Body, Fields, Key, Remote, Value } from "../model/resource.ts";
import type { BoundAddress, BoundKind, BoundList } from "./bound-kind.ts";
import { operationOf, type OperationName } from "./entry.ts";
import { fieldOf, readField } from "./spelling/read-field.ts";
import { isReadWrite } from "../kinds/derived/field-access.ts";

/** The addresses whose ids this kind's list needs, such as the zone of a record: in its path, its query, or to tell which records count. */
export function listParents(contract: Contract, list: BoundList): Address[] {
  const unbound = { contract, idOf: () => undefined };
  const { params, query } = listRequest(unbound, list);
  return idsIn(params, query, comparedParams(unbound, list, list.kind.entry.operations.list.where));
}

const idsIn = (...filled: readonly CallRequest["params"][]): Address[] =>
  filled.flatMap(Object.values<Param>).flatMap((param) => (typeof param === "string" ? [] : [param.idOf]));

/** The texts that conditions compare records with, each with its parameter filled in. */
export function comparedParams(
  binding: Binding,
  { kind, scope }: BoundList,
  conditions: readonly Condition[] = [],
): Readonly<Record<string, Param>> {
  const texts = conditions.flatMap(({ equals }) => equals).filter((each) => typeof each === "string");
  const query = Object.fromEntries(texts.map((text) => [text, text]));
  return buildRequest(binding, { kind, key: scope }, { method: "GET", path: "", query }).query;
}

/** The addresses whose ids the creation of an object, or of a set, needs. */
export function creationParents(contract: Contract, subject: Subject): Address[] {
  const { entry } = subject.kind;
  const operation = operationOf(entry, "create") ?? entry.operations.set?.create ?? entry.operations.zone;
  if (!operation) return [];
  const { params, query, inBody = {} } = buildRequest({ contract, idOf: () => undefined }, subject, operation);
  return idsIn(params, query, inBody);
}

export const listRequest = (binding: Binding, { kind, scope }: BoundList): CallRequest =>
  buildRequest(binding, { kind, key: scope }, kind.entry.operations.list);

/** Returns a request that the API offers. Throws for another one: no step is planned that needs it. */
function offered({ contract }: Binding, name: OperationName, { name: kind, entry }: BoundKind): OperationContract {
  const operation = operationOf(entry, name);
  if (!operation) throw new Error(`The contract ${contract.name} offers no ${name} for ${kind}`);
  return operation;
}

/** The request that makes an object: what its key says, what is written, laid over the contract's base. */
export function createCall(binding: Binding, kind: BoundKind, key: Key, body: Body): CreateCall {
  const operation = offered(binding, "create", kind);
  const whole = { ...knownValues(kind.naming.toFields(key)), ...body.fields };
  const values = bodyValues(binding, { kind, key }, whole, placesIn(operation, createPointer));
  const { method, path, params, query, inBody } = buildRequest(binding, { kind, key }, operation);
  // A plan may hold a hundred thousand of these: members that are written out take less room than spread ones.
  const call = { operation: "create", method, path, params, query, base: constantsOf(operation), values } as const;
  return inBody ? { ...call, inBody } : call;
}

/** The written fields that a creation does not take: they need an update right after it. */
export const fieldsLeftOut = ({ entry: { fields } }: BoundKind, names: readonly string[]): string[] =>
  names.filter((name) => fields[name]?.create === false);

/** The object that an update is for. `remote` undefined: the step has just made it. */
export interface Owner extends BoundAddress {
  readonly remote: Remote | undefined;
}

/**
 * The requests that write these fields: one for each field that has a request of its own, then one for the others.
 * @param changed the fields that are not as they are to be; by default all. Of the others none is written by itself.
 */
export function updateCalls(
  binding: Binding,
  owner: Owner,
  written: Body,
  changed: readonly string[] = Object.keys(written.fields),
): UpdateCall[] {
  const { update_of: own = {} } = owner.kind.entry;
  const alone = Object.entries(own).filter(([name]) => changed.includes(name) && written.fields[name] !== undefined);
  const rest = pickValues(written.fields, (name) => !Object.hasOwn(own, name));
  return [
    ...alone.map(([name, request]) => {
      const operation = requestOfField(request, written.fields[name]);
      const fields = pickValues(written.fields, (other) => other === name);
      const call = updateWith(binding, owner, { fields, changed }, operation);
      return "on" in request && operation.send === undefined ? { ...call, bare: true as const } : call;
    }),
    ...(changed.some((name) => Object.hasOwn(rest, name))
      ? [updateCall(binding, owner, { fields: rest, changed })]
      : []),
  ];
}

type FieldRequest = NonNullable<KindContract["update_of"]>[string];

/** The request that gives a field its value; of a field that is switched on and off, the one that does that. */
function requestOfField(request: FieldRequest, value: Value | undefined): OperationContract {
  if (!("on" in request)) return request;
  return openValue(value) === true ? request.on : request.off;
}

/** The values that an update writes, and the fields that are not as they are to be: after a conflict those must still be as the plan saw them. */
type WrittenValues = Body & { readonly changed?: readonly string[] };

/** The request that writes an object; one that the step has just made, and that is sent whole, is read first. */
export const updateCall = (binding: Binding, owner: Owner, written: WrittenValues): UpdateCall =>
  updateWith(binding, owner, written, offered(binding, "update", owner.kind));

function updateWith(
  binding: Binding,
  owner: Owner,
  { fields, changed = [] }: WrittenValues,
  operation: OperationContract,
): UpdateCall {
  const { kind } = owner;
  const { update } = kind.entry.operations;
  const id: Param = owner.remote ? owner.remote.id : { idOf: owner.address };
  const { at = "" } = operation;
  const constants = constantsOf(operation);
  const isWhole = sendsRecord(kind.entry, operation);
  return {
    operation: "update",
    ...buildRequest(binding, { kind, key: owner.key, id }, operation),
    base: owner.remote?.redacted ? null : (owner.remote?.raw ?? null),
    // A request that names its fields, or that is for one field, sends these alone.
    ...(!isWhole && { partial: operation !== update || Array.isArray(operation.send) ? true : ("objects" as const) }),
    ...((at !== "" || Object.keys(constants).length > 0) && { around: { at, constants } }),
    omit: readOnlyPointers(kind),
    values: bodyValues(binding, owner, fields, placesIn(operation)),
    before: changed.flatMap((field) => {
      const place = fieldOf(kind.entry, field);
      // A field that has a request of its own is written by then.
      const seen = Object.hasOwn(fields, field) ? owner.remote?.fields[field] : undefined;
      if (seen === undefined || !place || place.id_of !== undefined) return [];
      const value = withServersNames(kind, { field, value: seen, key: owner.key }, binding.live?.resources);
      return [{ pointer: place.at, field, value }];
    }),
    etag: owner.remote?.etag,
    read: readRequest(binding, kind, owner.key, id),
  };
}

/** Whether an update sends the object as it was read, with what is managed laid over it; that of one field does not. */
const sendsRecord = ({ operations: { update } }: KindContract, operation: OperationContract): boolean =>
  operation === update ? sendsWhole(operation) : operation.send === "record";

/** Whether a request sends a record as it was read, with what changes laid over it. */
export const sendsWhole = ({ send, method }: OperationContract): boolean =>
  (send ?? (method === "PUT" ? "record" : "managed")) === "record";

function readOnlyPointers({ entry, fields }: BoundKind): string[] {
  const readOnly = Object.entries(entry.fields).filter(([name]) => fields[name]?.access === "read_only");
  return [entry.id, entry.etag, ...readOnly.map(([, field]) => field.at)].filter((pointer) => pointer !== undefined);
}

/**
 * The request that makes an object again after its deletion: with its whole record where the API takes such, else with its fields. Ids
 * of other objects are looked up then.
 */
export function restoreCall(binding: Binding, kind: BoundKind, key: Key, remote: Remote): RestoreCall {
  const operation = offered(binding, "create", kind);
  const isWhole = takesRecords(kind.entry);
  const known = { ...remote.fields, ...kind.naming.toFields(key) };
  // A server that lists numbers as texts need not take them so for what it has deleted.
  const isRetyped = (name: string) => {
    const raw = readField({ kind, key }, name, remote.raw) ?? null;
    return raw !== null && typeof raw !== typeof known[name] && isReadWrite(kind, name);
  };
  const isSent = (name: string) =>
    isWhole ? kind.entry.fields[name]?.id_of !== undefined || isRetyped(name) : isReadWrite(kind, name);
  const sent = Object.fromEntries(Object.entries(known).filter(([name, value]) => isSent(name) && value !== null));
  return {
    ...buildRequest(binding, { kind, key }, operation),
    id: remote.id,
    ...(!isWhole && { partial: true as const }),
    around: { at: "", constants: constantsOf(operation) },
    omit: readOnlyPointers(kind),
    values: bodyValues(binding, { kind, key }, knownValues(sent), placesIn(operation, createPointer)),
    read: readRequest(binding, kind, key, remote.id),
  };
}

/** Whether the API takes a record as it has given it: it does for updates, or has none. */
const takesRecords = (entry: KindContract): boolean =>
  entry.operations.create !== "implicit" &&
  entry.operations.create?.at === undefined &&
  entry.update_of === undefined &&
  (entry.operations.update === undefined || sendsRecord(entry, entry.operations.update));

/** The request that prolongs what expires, with these values. Its outcome is read back from the field `expiry`. */
export function renewCall(
  binding: Binding,
  kind: BoundKind,
  { key, remote }: { readonly key: Key; readonly remote: Remote },
  { values, expiry }: { readonly values: Fields; readonly expiry: string },
): RenewCall {
  const operation = offered(binding, "renew", kind);
  const { fields } = kind.entry;
  return {
    operation: "renew",
    ...buildRequest(binding, { kind, key, id: remote.id }, operation),
    base: constantsOf(operation),
    values: Object.entries(values).map(([field, value]) => ({
      pointer: fields[field]?.at ?? `/${field}`,
      field,
      value,
    })),
    expiry: { field: expiry, before: remote.fields[expiry] ?? null },
  };
}

/** The request that deletes an object; some name it in the body. */
export function deleteCall(binding: Binding, kind: BoundKind, key: Key, remote: Remote): DeleteCall {
  const operation = offered(binding, "delete", kind);
  const base = constantsOf(operation);
  const known = knownValues({ ...remote.fields, ...kind.naming.toFields(key) });
  const values = namesIn(operation) ? bodyValues(binding, { kind, key }, known, placesIn(operation)) : [];
  return {
    operation: "delete",
    ...buildRequest(binding, { kind, key, id: remote.id }, operation),
    ...((Object.keys(base).length > 0 || values.length > 0) && { base, values }),
    etag: remote.etag,
  };
}

/** The request that reads one object again. */
export function readRequest(binding: Binding, kind: BoundKind, key: Key, id: Param): CallRequest | undefined {
  const { read } = kind.entry.operations;
  return read && buildRequest(binding, { kind, key, id }, read);
}

const createPointer = (field: FieldContract) =>
  typeof field.create === "string" ? field.create : field.create === false ? undefined : field.at;

/** Returns the keys of which the server may have made this one by putting a prefix before a name, such as `shop` of `u123_shop`. */
export function withoutPrefix({ entry, naming: { prefixed: part } }: BoundKind, actual: Key): Key[] {
  if (entry.name_prefix === undefined || part === undefined) return [];
  const prefix = new RegExp(`^(?:${entry.name_prefix})$`, "u");
  const { [part]: whole = "" } = actual;
  const ends = [...whole.matchAll(/_/gu)].filter(({ index }) => prefix.test(whole.slice(0, index)));
  return ends.map(({ index }) => ({ ...actual, [part]: whole.slice(index + 1) }));
}

/** Returns whether the server has made one key of another so. */
export const isPrefixed = (kind: BoundKind, actual: Key, declared: Key): boolean =>
  withoutPrefix(kind, actual).some((key) => isDeepStrictEqual(key, declared));
