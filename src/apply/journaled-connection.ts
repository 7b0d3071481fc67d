import { hash } from "node:crypto";
import { type ApiResponse, recordIn } from "../api/response.ts";
import type { ApiRequest } from "../api/connection.ts";
import { bindAddress, type BoundAddress } from "../contract/bound-kind.ts";
import { whyNotRetried } from "../kinds/derived/repeatable.ts";
import type { Kind } from "../kinds/kind.ts";
import { getOrMake } from "../lib/collect.ts";
import { isUnsettled, type Result } from "../model/failure.ts";
import type { BodyValue } from "../model/http-call.ts";
import type { Json } from "../model/json.ts";
import { isObject, omitPointer } from "../model/json-pointer.ts";
import { idNow } from "./build-body.ts";
import { isAccepted } from "./await-ready.ts";
import { failedCall, type CallPlace, type RunContext } from "./run-context.ts";
import { identifyCreated, isFree } from "./object-identity.ts";
import type { CountedConnection } from "./write-ledger.ts";
import type { WriteOutcome, Write, Journal } from "../model/journal.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

/** A request for the call of a step. */
type StepRequest = Omit<CallPlace, "index"> & { readonly bound: BoundAddress; readonly request: ApiRequest };

type WriteContext = Pick<RunContext, "live" | "contract" | "moved" | "made" | "owners" | "isSecret">;

/**
 * A connection that sends nothing before the journal has it. What the journal cannot take is not sent: `unrecorded`. A creation that an
 * earlier apply had in flight goes with the key of then, so that a server which knows it does not do it twice.
 */
export function journaled(
  connection: CountedConnection,
  journal: Journal,
  { step, call }: Omit<CallPlace, "index">,
  context: WriteContext,
): CountedConnection {
  const bound = bindAddress(context.contract, step.address);
  // A write that is sent twice under one key is so under the earlier apply's key, too.
  const keys = new Map<string, string>();
  const send = async (request: ApiRequest): Promise<Result<ApiResponse>> => {
    const place = { step, call, bound, request };
    const write = describeWrite(place, context);
    const { idempotencyKey: own } = request;
    const key = own === undefined ? undefined : getOrMake(keys, own, () => journal.keyOf(write) ?? own);
    const intended = await journal.intend({ ...write, ...(key !== undefined && { key }) });
    if (!intended.ok) {
      const message = `the request was not sent, because the journal cannot be written: ${intended.error}`;
      return failedCall(request, "unrecorded", message);
    }
    const result = await connection.send({ ...request, ...(key !== undefined && { idempotencyKey: key }) });
    journal.ended(intended.value, outcomeOf(place, result, context));
    return result.ok && key !== own ? { ok: true, value: { ...result.value, hasEarlierKey: true } } : result;
  };
  return { ...connection, send };
}

function outcomeOf(place: StepRequest, result: Result<ApiResponse>, context: WriteContext): WriteOutcome {
  const { bound, call, request } = place;
  if (result.ok) {
    const { status } = result.value;
    const { rules = context.contract, body } = request;
    // Accepted is not done: the object is looked for, and the end of the call decides. A new expiry counts only when it is read.
    if (isAccepted(rules, result.value) || call.operation === "renew") return { is: "unknown", status };
    if (call.operation !== "create") return { is: "done", status };
    const creation = { ...bound, call, body: isObject(body) ? body : {} };
    const described = identifyCreated(context, creation, recordIn(rules, result.value.body));
    if (described.is === "created") return { is: "done", status, id: described.id };
    const isNew = described.is !== "none" && isFree(context, bound, described.id);
    return { is: "unknown", status, ...(isNew && { id: described.id }) };
  }
  const { sort, status } = result.error;
  return { is: isUnsettled(result.error) ? "unknown" : "failed", sort, ...(status !== undefined && { status }) };
}

/** Describes a write in the words of the plan. */
function describeWrite(
  { step, call, bound: { kind }, request: { method, path, body } }: StepRequest,
  context: WriteContext,
): Write {
  const { address, id } = step;
  const operation = call.operation === "set" ? step.action : call.operation;
  const remotes = context.live.resources.get(address)?.remotes ?? [];
  const once = whyNotRetried(kind, call) === undefined ? {} : { once: true as const };
  const base = { step: id, address, operation, method, path, ...once };
  switch (call.operation) {
    case "create": {
      const identity = kind.members && call.values.find(({ field }) => field === kind.members?.identity);
      if (identity && "value" in identity)
        return { ...base, identity: identity.value, ...hashed(kind, call.values, body) };
      // Another value is another object where the API gives none a name.
      const name = call.values.find(({ field }) => field === kind.entry.named_by);
      const isOpen = name && "value" in name && !context.isSecret(address, name.field, name.value);
      const known = { ...base, ids: remotes.map((remote) => remote.id), ...(isOpen && { identity: name.value }) };
      // With a secret for identity, another body could have the same hash.
      return { ...known, ...(!identity && hashed(kind, call.values, body)) };
    }
    case "renew":
      return { ...base, before: { field: call.expiry.field, value: call.expiry.before } };
    case "update": {
      const writeOnly = call.values.map(({ field }) => field).filter((field) => isWriteOnly(kind, field));
      const last = kind.rotation?.last;
      const before = last === undefined ? undefined : { field: last, value: remotes[0]?.fields[last] ?? null };
      return writeOnly.length === 0 ? base : { ...base, write_only: writeOnly, ...(before && { before }) };
    }
    case "set":
      return { ...base, set: true };
    case "delete": {
      const ownId = call.params["id"];
      return typeof ownId === "string" ? { ...base, ids: [idNow(context, kind.name, ownId)] } : base;
    }
  }
}

function hashed(kind: Kind, values: readonly BodyValue[], body: Json | undefined): { readonly body?: string } {
  if (!isObject(body)) return {};
  const isSecret = (value: BodyValue) => "parts" in value || "secret" in value || isWriteOnly(kind, value.field);
  const open = values.filter(isSecret).reduce((rest, { pointer }) => omitPointer(rest, pointer), body);
  return { body: hash("sha256", JSON.stringify(open), "hex") };
}
