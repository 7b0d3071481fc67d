import { isDeepStrictEqual } from "node:util";
import { addressOfParent, withNames } from "../kinds/derived/parents.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { bindAddress, type BoundAddress, type BoundKind } from "../contract/bound-kind.ts";
import { hasEncoding, readField } from "../contract/spelling/read-field.ts";
import { spellBody } from "../contract/spelling/spell-body.ts";
import type { Parent, Kind } from "../kinds/kind.ts";
import type { Address } from "../model/address.ts";
import { pickValues } from "../model/body.ts";
import type { ApiRules } from "../model/contract.ts";
import type {
  BodyValue,
  CallRequest,
  CreateCall,
  DeleteCall,
  RenewCall,
  UpdateCall,
  HttpCall,
  Param,
} from "../model/http-call.ts";
import { addTo } from "../lib/collect.ts";
import { jsonText, type Json, type JsonObject } from "../model/json.ts";
import { layAt, omitPointer, setPointer, splitPointer } from "../model/json-pointer.ts";
import type { TemplatePart, RemoteId } from "../model/resource.ts";
import { openSecret } from "../model/secret.ts";
import { remoteIdOf, type RunContext, knownIdOf, bindingOf } from "./run-context.ts";
import { readRequest } from "../contract/binding.ts";
import { rulesOf } from "../contract/rules-of.ts";
import { fillRequest, type IdNow } from "../api/fill-request.ts";

/** The body of a creation or a renewal: the contract's base with every value laid over it. */
export function buildBody(context: RunContext, bound: BoundAddress, call: CreateCall | RenewCall): JsonObject {
  return withParams(context, call, layOverRecord(context, bound, call.base, call.values));
}

/** The body of a deletion; undefined where it has none. */
export function buildDeleteBody(context: RunContext, bound: BoundAddress, call: DeleteCall): JsonObject | undefined {
  return buildBareBody(context, call, layOverRecord(context, bound, call.base ?? {}, call.values ?? []));
}

/** The body of a request that holds no values; undefined where it has none. */
export function buildBareBody(
  context: RunContext,
  call: CallRequest,
  constants: JsonObject = {},
): JsonObject | undefined {
  return call.inBody || Object.keys(constants).length > 0 ? withParams(context, call, constants) : undefined;
}

export function withParams(
  context: RunContext,
  { inBody = {} }: Pick<CallRequest, "inBody">,
  body: JsonObject,
): JsonObject {
  return Object.entries(inBody).reduce(
    (whole, [pointer, param]) =>
      setPointer(whole, pointer, typeof param === "string" ? param : remoteIdOf(context, param.idOf, param.at)),
    body,
  );
}

/** The body of an update, or of a put-back: the record as it is, less what is read-only, with the call's values laid over it. */
export function buildUpdateBody(
  context: RunContext,
  bound: BoundAddress,
  call: Pick<UpdateCall, "omit" | "values" | "partial" | "around" | "inBody">,
  record: JsonObject,
): JsonObject {
  const { at, constants } = call.around ?? { at: "", constants: {} };
  const writable = call.omit.reduce((body, pointer) => omitPointer(body, pointer), record);
  const names = objectsWritten(bound, call);
  const base = layAt(constants, at, call.partial ? pickValues(writable, (name) => names.includes(name)) : writable);
  return withParams(context, call, layOverRecord(context, bound, base, call.values, record));
}

/**
 * The members of a record that are objects with a value in them: a PATCH may put them in the place of the server's own, with all that they
 * hold. A value that is sent at another place than it is read at says nothing of them.
 */
export function objectsWritten({ kind }: BoundAddress, call: Pick<UpdateCall, "around" | "values" | "partial">) {
  const { around, partial, values } = call;
  if (partial !== "objects") return [];
  return values.flatMap(({ field, pointer }) => {
    const { at = "" } = kind.entry.fields[field] ?? {};
    const [name = "", ...rest] = splitPointer(at);
    return rest.length > 0 && pointer === (around?.at ?? "") + at ? [name] : [];
  });
}

/** @param record the object as it is: a value that shares its place with another needs both. */
export function layOverRecord(
  context: RunContext,
  bound: BoundAddress,
  base: JsonObject,
  values: readonly BodyValue[],
  record: JsonObject = base,
): JsonObject {
  const resolved = values.map((each) => ({
    pointer: each.pointer,
    field: each.field,
    value: resolveValue(context, bound, each),
  }));
  return spellBody(bound, base, resolved, record);
}

export function resolveValue(context: RunContext, { kind, key }: BoundAddress, value: BodyValue): Json {
  if ("value" in value) {
    const entry = kind.entry.fields[value.field];
    const { id_of: owner } = entry ?? {};
    const literal = value.value;
    // The server may have given another id meanwhile.
    const known = owner !== undefined && typeof literal === "string" ? idNow(context, owner, literal) : literal;
    const named = { field: value.field, value: known, key };
    const actual = withNames(kind, named, (parent, part) => nameMade(context, parent, part));
    const isAsWritten =
      value.sent !== undefined && isDeepStrictEqual(actual, literal) && !(entry && hasEncoding(entry));
    return isAsWritten ? value.sent : actual;
  }
  if ("idOf" in value) return remoteIdOf(context, value.idOf);
  if ("secret" in value) return openSecret(value.secret);
  const text = value.parts
    .map((part) => (typeof part === "string" ? part : jsonText(resolvePart(context, part))))
    .join("");
  return normalValue(kind, value.field, text, key);
}

/** Returns the name that the server has given to something that this run has made. */
function nameMade({ made, contract }: RunContext, parent: Parent, part: string): string | undefined {
  const address = addressOfParent(parent);
  const raw = made.get(address)?.raw;
  const actual = raw && readField(bindAddress(contract, address), part, raw);
  return typeof actual === "string" ? actual : undefined;
}

function resolvePart(context: RunContext, part: Exclude<TemplatePart, string>): Json {
  if ("ref" in part) return resolveReference(context, part);
  const secret = context.readSecret(part);
  if ("missing" in secret)
    throw new Error(`A secret that was checked before the first write is gone: ${secret.missing}`);
  return secret.value;
}

/** A field that another resource does not have yet, though what brings it is done. */
export class MissingReference extends Error {
  readonly bound: BoundAddress;

  constructor(bound: BoundAddress, field: string) {
    super(`${bound.address} has no ${field} yet`);
    this.name = "MissingReference";
    this.bound = bound;
  }
}

function resolveReference(
  { made, live, contract }: RunContext,
  { ref, field }: { readonly ref: Address; readonly field: string },
): Json {
  const raw = made.get(ref)?.raw ?? live.resources.get(ref)?.remotes[0]?.raw;
  const bound = bindAddress(contract, ref);
  const value = raw && readField(bound, field, raw);
  if (value === undefined || value === null) throw new MissingReference(bound, field);
  // As the plan will compare it, however the server spells it.
  return normalValue(bound.kind, field, value, bound.key);
}

/** A request whose parameters are filled in, with the rules for its answer. */
export interface FilledRequest extends ReturnType<typeof fillRequest> {
  readonly rules: ApiRules;
}

/** The request of a call to an object of a kind, with the ids that objects have now: a server may give another one at an update. */
export function fillCall(
  context: RunContext,
  own: BoundKind,
  call: CallRequest & { readonly operation?: HttpCall["operation"] },
): FilledRequest {
  const { contract, moved } = context;
  const rules = rulesOf(contract, own.name, call.operation ?? "read");
  const idOf: IdNow = (parent, at) => remoteIdOf(context, parent, at);
  // Hardly any server changes ids.
  if (moved.size === 0) return { ...fillRequest(call, idOf), rules };
  const kindBehind = (name: string) => {
    if (name === "id") return own.name;
    const source = own.entry.params?.[name];
    return source && "id_of" in source && source.at === undefined ? source.id_of : undefined;
  };
  const params = Object.entries(call.params).map(([name, param]) => {
    const kind = kindBehind(name);
    return [name, typeof param === "string" && kind !== undefined ? idNow(context, kind, param) : param] as const;
  });
  return { ...fillRequest({ ...call, params: Object.fromEntries(params) }, idOf), rules };
}

/**
 * Returns the request that reads the object at an address, and the id that it has now; undefined if the API cannot read one object alone.
 * @param id default: as this run knows it; an object that came along with its parent has one only if the contract names one.
 */
export function fillRead(
  context: RunContext,
  { address, kind, key }: BoundAddress,
  id: Param = knownIdOf(context, address) ?? { idOf: address },
): (FilledRequest & { readonly id: string | undefined }) | undefined {
  const request = readRequest(bindingOf(context), kind, key, id);
  return request && { ...fillCall(context, kind, request), id: idIn(context, kind, request) };
}

/** The id that a request is for, where it is for one object by its id. */
export function idIn(context: RunContext, { name }: Kind, { params }: CallRequest): string | undefined {
  const { id } = params;
  if (id === undefined) return undefined;
  return typeof id === "string" ? idNow(context, name, id) : remoteIdOf(context, id.idOf);
}

/** The id that an object of a kind has now, by the one that the plan knows it under. */
export function idNow({ moved }: Pick<RunContext, "moved">, kind: string, id: string): string {
  return moved.get(`${kind}/${id}`)?.at(-1) ?? id;
}

/** Keeps the id that an update has answered with, where it is another than the plan's. */
export function keepMovedId({ moved }: RunContext, { name }: Kind, call: CallRequest, id: RemoteId): void {
  const { id: planned } = call.params;
  if (typeof planned === "string" && idNow({ moved }, name, planned) !== id) addTo(moved, `${name}/${planned}`, id);
}
