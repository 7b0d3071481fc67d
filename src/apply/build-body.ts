import { isDeepStrictEqual } from "node:util";
import { addressOfParent } from "../kinds/derived/parents.ts";
import { locate } from "../kinds/derived/locate.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { withActualReferences } from "../kinds/derived/references.ts";
import { hasEncoding, readField, fieldScopeAt } from "../contract/spelling/read-field.ts";
import { spellBody } from "../contract/spelling/spell-body.ts";
import type { Parent } from "../kinds/kind.ts";
import { kindOf, type Address } from "../model/address.ts";
import { constantsOf } from "../contract/request.ts";
import type { OperationContract } from "../model/contract.ts";
import type { BodyValue, CallRequest, CreateCall, DeleteCall, RenewCall, UpdateCall } from "../model/http-call.ts";
import { jsonText, type Json, type JsonObject } from "../model/json.ts";
import { layAt, omitPointer, setPointer } from "../model/json-pointer.ts";
import type { TemplatePart } from "../model/resource.ts";
import { openSecret } from "../model/secret.ts";
import { idNow } from "./fill-call.ts";
import { remoteIdOf, type RunContext } from "./run-context.ts";

/** The body of a creation or a renewal: the contract's base with every value laid over it. */
export function buildBody(context: RunContext, address: Address, call: CreateCall | RenewCall): JsonObject {
  return withParams(context, call, layOverRecord(context, address, call.base, call.values));
}

/** The body of a deletion; undefined where it has none. */
export function buildDeleteBody(context: RunContext, address: Address, call: DeleteCall): JsonObject | undefined {
  const { base, values } = call;
  if (!base && !values && !call.inBody) return undefined;
  return withParams(context, call, layOverRecord(context, address, base ?? {}, values ?? []));
}

/** The body of an update that holds no values; undefined where it has none. */
export function buildBareBody(context: RunContext, call: UpdateCall): JsonObject | undefined {
  const { constants } = call.around ?? { constants: {} };
  return call.inBody || Object.keys(constants).length > 0 ? withParams(context, call, constants) : undefined;
}

/** The body of a request that writes no object; undefined where it has none. */
export function buildRequestBody(
  context: RunContext,
  call: CallRequest,
  operation: OperationContract,
): JsonObject | undefined {
  const constants = constantsOf(operation);
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
  address: Address,
  call: Pick<UpdateCall, "omit" | "values" | "partial" | "around" | "inBody">,
  record: JsonObject,
): JsonObject {
  const { at, constants } = call.around ?? { at: "", constants: {} };
  const writable = call.omit.reduce((body, pointer) => omitPointer(body, pointer), record);
  const base = call.partial ? constants : layAt(constants, at, writable);
  return withParams(context, call, layOverRecord(context, address, base, call.values, record));
}

/** @param record the object as it is: a value that shares its place with another needs both. */
export function layOverRecord(
  context: RunContext,
  address: Address,
  base: JsonObject,
  values: readonly BodyValue[],
  record: JsonObject = base,
): JsonObject {
  const fieldScope = fieldScopeAt(context.contract, address);
  const resolved = values.map((each) => ({ ...pickPlace(each), value: resolveValue(context, address, each) }));
  if (!fieldScope) throw new Error(`The contract ${context.contract.name} has nothing like ${address}`);
  return spellBody(fieldScope, base, resolved, record);
}

const pickPlace = ({ pointer, field }: BodyValue) => ({ pointer, field });

export function resolveValue(context: RunContext, address: Address, value: BodyValue): Json {
  if ("value" in value) {
    const known = withIdNow(context, address, value);
    const { kind, key } = locate(address);
    const named = { field: value.field, value: known, key };
    const actual = withActualReferences(kind, named, (parent, part) => nameMade(context, parent, part));
    const entry = context.contract.kinds[kind.name]?.fields[value.field];
    const isAsWritten =
      value.sent !== undefined && isDeepStrictEqual(actual, value.value) && !(entry && hasEncoding(entry));
    return isAsWritten ? value.sent : actual;
  }
  if ("idOf" in value) return remoteIdOf(context, value.idOf);
  if ("secret" in value) return openSecret(value.secret);
  const { kind, key } = locate(address);
  const text = value.parts
    .map((part) => (typeof part === "string" ? part : jsonText(resolvePart(context, part))))
    .join("");
  return normalValue(kind, value.field, text, key);
}

/** A literal id, where the server has given another one meanwhile. */
function withIdNow(
  context: RunContext,
  address: Address,
  { field, value }: { readonly field: string; readonly value: Json },
) {
  const kind = context.contract.kinds[kindOf(address)]?.fields[field]?.id_of;
  return kind !== undefined && typeof value === "string" ? idNow(context, kind, value) : value;
}

/** Returns the name that the server has given to something that this run has made. */
function nameMade({ made, contract }: RunContext, parent: Parent, part: string): string | undefined {
  const address = addressOfParent(parent);
  const raw = made.get(address)?.raw;
  const fieldScope = fieldScopeAt(contract, address);
  const actual = raw && fieldScope && readField(fieldScope, part, raw);
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
  readonly address: Address;

  constructor(address: Address, field: string) {
    super(`${address} has no ${field} yet`);
    this.name = "MissingReference";
    this.address = address;
  }
}

function resolveReference(
  { made, live, contract }: RunContext,
  { ref, field }: { readonly ref: Address; readonly field: string },
): Json {
  const raw = made.get(ref)?.raw ?? live.resources.get(ref)?.remotes[0]?.raw;
  const fieldScope = fieldScopeAt(contract, ref);
  const value = raw && fieldScope && readField(fieldScope, field, raw);
  if (value === undefined || value === null) throw new MissingReference(ref, field);
  // As the plan will compare it, however the server spells it.
  const { kind, key } = locate(ref);
  return normalValue(kind, field, value, key);
}
