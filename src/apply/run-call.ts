import type { Answer } from "../api/answer.ts";
import { locate } from "../kinds/derived/locate.ts";
import { fillRequest } from "../api/fill-request.ts";
import { decodeRecord, readRequest } from "../contract/binding.ts";
import { type Address } from "../model/address.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { CreateCall, HttpCall } from "../model/http-call.ts";
import type { JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import type { Fields, RemoteId } from "../model/resource.ts";
import { adoptExisting } from "./adopt-existing.ts";
import { awaitReady, readRecord, type Ready } from "./await-ready.ts";
import { buildBody } from "./build-body.ts";
import { followJob, idMadeBy, isAccepted } from "./follow-job.ts";
import { idOf, type RunContext } from "./run-context.ts";
import { runDelete } from "./run-delete.ts";
import { runRenew } from "./run-renew.ts";
import { runUpdate } from "./run-update.ts";

/** Makes one call of a plan and waits until its object is usable. */
export function runCall(context: RunContext, address: Address, call: HttpCall): Promise<Result<Ready>> {
  switch (call.operation) {
    case "create":
      return runCreate(context, address, call);
    case "update":
      return remember(context, address, runUpdate(context, address, call));
    case "delete":
      return runDelete(context, address, call);
    case "renew":
      return runRenew(context, address, call);
  }
}

/** Keeps what an update answered, so that references to read-only fields see what it has brought. */
async function remember(
  context: RunContext,
  address: Address,
  updating: Promise<Result<Ready>>,
): Promise<Result<Ready>> {
  const updated = await updating;
  const { kind } = locate(address);
  if (!updated.ok || kind.members) return updated;
  const { raw } = updated.value;
  const { id } = decodeRecord(context.contract, kind, raw, {}, () => undefined).remote;
  context.made.set(address, { id, raw });
  return updated;
}

async function runCreate(context: RunContext, address: Address, call: CreateCall): Promise<Result<Ready>> {
  const request = fillRequest(call, (parent) => idOf(context, parent));
  const body = buildBody(context, address, call);
  const sent = await context.connection.send({ ...request, body, idempotencyKey: context.deps.newIdempotencyKey() });
  if (!sent.ok) return sent.error.sort === "conflict" ? adoptExisting(context, address, call, body, sent.error) : sent;
  const record = await recordOf(context, address, request, sent.value);
  if (!record.ok) return record;
  const { id } = decodeRecord(context.contract, locate(address).kind, record.value, {}, () => undefined).remote;
  if (id === "") return { ok: false, error: malformed(request, sent.value, "the new object came without an id") };
  context.made.set(address, { id, raw: record.value });
  const ready = await awaitReady(context, address, record.value, writtenFields(call));
  if (!ready.ok)
    return { ok: false, error: { ...ready.error, message: `it was created (${id}), but: ${ready.error.message}` } };
  context.made.set(address, { id, raw: ready.value.raw });
  return ready;
}

/** The record in the answer, or that of the object which the answer's job has made. */
async function recordOf(
  context: RunContext,
  address: Address,
  request: Asked,
  answer: Answer,
): Promise<Result<JsonObject>> {
  const pointer = context.contract.answer.record;
  const rules = isAccepted(context, answer);
  if (rules) {
    const job = await followJob(context, rules, request, answer);
    if (!job.ok) return job;
    const id = idMadeBy(rules, job.value, request);
    return id.ok ? readMade(context, address, id.value) : id;
  }
  const record = getPointer(answer.body, pointer);
  return isObject(record)
    ? { ok: true, value: record }
    : { ok: false, error: malformed(request, answer, `no record at ${pointer} of the answer`) };
}

async function readMade(context: RunContext, address: Address, id: RemoteId): Promise<Result<JsonObject>> {
  const { kind } = locate(address);
  const parentId = (parent: Address) => idOf(context, parent);
  const request = readRequest(context.contract, kind, locate(address).key, id, parentId);
  if (request) return readRecord(context, fillRequest(request, parentId));
  throw new Error(`The contract ${context.contract.name} has jobs for ${kind.name} but no read`);
}

const writtenFields = ({ values }: CreateCall): Fields =>
  Object.fromEntries(values.flatMap((value) => ("value" in value ? [[value.field, value.value]] : [])));

interface Asked {
  readonly method: string;
  readonly path: string;
}

const malformed = ({ method, path }: Asked, { status, requestId }: Answer, message: string): Failure => ({
  sort: "malformed",
  method,
  path,
  status,
  message,
  attempts: 1,
  ...(requestId !== undefined && { requestId }),
});
