import { type ApiResponse, recordIn } from "../api/response.ts";
import { updateCall } from "../contract/binding.ts";
import { idOfRecord } from "../contract/decode-record.ts";
import { collectionOf } from "../kinds/derived/collection.ts";
import { whyNotRetried, writtenFields } from "../kinds/derived/repeatable.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import { isUnsettled, mayBeDone, type Failure, type Result } from "../model/failure.ts";
import type { CreateCall, UpdateCall } from "../model/http-call.ts";
import type { JsonObject } from "../model/json.ts";
import type { RemoteId, Remote } from "../model/resource.ts";
import { awaitReady, type Ready, awaitJob } from "./await-ready.ts";
import { buildBody, fillCall, fillRead, type FilledRequest } from "./build-body.ts";
import { findCreated, readFresh, findByKey } from "./find-objects.ts";
import {
  identifyCreated,
  isFree,
  keep,
  type DescribedObject,
  type SentCreation,
  differenceFrom,
  isSentMember,
} from "./object-identity.ts";
import { creationSearchTime, type RunContext, bindingOf, unknownOutcome } from "./run-context.ts";
import { writeTo } from "./shared-lists.ts";
import { offers } from "../contract/entry.ts";
import { isPlatformOwned } from "../kinds/derived/server-made.ts";
import { runUpdate } from "./run-update.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

interface CreationAttempt extends SentCreation {
  readonly request: FilledRequest;
  /** Why it must not be made twice (`whyOnce`). */
  readonly once: string | undefined;
}

const sentWithKey = "it was retried with the same idempotency key";
const withoutKey = "another attempt could create it twice, so it is not retried; the next apply looks for it first";

/**
 * Makes one object and waits until it is usable. Where no answer says whether it was made, it is read back by its natural key and never
 * sent again: a list may show it later, and not every service refuses a second object of one name. Only the connection repeats it, under
 * its idempotency key, but not what costs money: that a server honours the header for it is only assumed.
 */
export async function runCreate(context: RunContext, bound: BoundAddress, call: CreateCall): Promise<Result<Ready>> {
  const body = buildBody(context, bound, call);
  const { kind, key } = bound;
  const once = whyNotRetried(kind, call);
  const idempotencyKey = context.deps.newIdempotencyKey();
  const request = fillCall(context, kind, call);
  const creation: CreationAttempt = { ...bound, call, body, request, once };
  const sent = await writeTo(context.lists, collectionOf(kind, key).id, () =>
    context.connection.send({ ...request, body, idempotencyKey, once: once !== undefined }),
  );
  if (sent.ok) {
    const record = await recordOf(context, creation, sent.value);
    return record.ok ? finish(context, creation, record.value) : record;
  }
  const { error } = sent;
  if (isUnsettled(error)) return resolve(context, creation, error);
  return error.sort === "conflict" ? adoptExisting(context, creation, error) : sent;
}

/** After a creation that may have been carried out, or may not. */
async function resolve(context: RunContext, creation: CreationAttempt, failure: Failure): Promise<Result<Ready>> {
  const trace = await findCreated(context, creation, creationSearchTime(context));
  const looked = "a search for it";
  if (!trace.ok) return unknown(failure, `${looked} failed (${trace.error.message})`);
  if (trace.value) {
    const difference = differenceFrom(creation, trace.value);
    return difference === undefined
      ? finish(context, creation, trace.value.raw)
      : unknown(failure, `${looked} found an object that did not exist before, but ${difference}`);
  }
  if (context.connection.stop.aborted)
    return unknown(failure, `${looked} found nothing so far; the run was stopped before the search ended`);
  if (!mayBeDone(failure)) {
    return failure.sort === "conflict" ? adoptExisting(context, creation, failure) : { ok: false, error: failure };
  }
  const isRepeated = context.contract.request.idempotency && failure.attempts > 1;
  const once = creation.once ?? (isRepeated ? sentWithKey : withoutKey);
  return unknown(failure, `${looked} found nothing so far; ${once}`);
}

const unknown = (failure: Failure, found: string) =>
  unknownOutcome(failure, `${found}. Plan again to see whether it exists now, and inspect it before you apply`);

/** Waits until the object that a record is of is usable, and keeps it. */
async function finish(context: RunContext, creation: CreationAttempt, record: JsonObject): Promise<Result<Ready>> {
  const { kind, call } = creation;
  const id = idOfRecord(kind, record);
  // A run may make a hundred thousand records; one to which a request refers is looked up again.
  keep(context, creation, kind.members ? { id } : { id, raw: record });
  const ready = await awaitReady(context, creation, record, kind.readiness ? writtenFields(call) : {});
  if (!ready.ok)
    return { ok: false, error: { ...ready.error, message: `it was created (${id}), but: ${ready.error.message}` } };
  if (ready.value.raw !== record) keep(context, creation, { id, raw: ready.value.raw });
  return ready;
}

/**
 * The record in the answer, that of the object which it names, or which its job has made; else that which has appeared since, for an
 * answer that names another's object names none.
 */
async function recordOf(
  context: RunContext,
  creation: CreationAttempt,
  answer: ApiResponse,
): Promise<Result<JsonObject>> {
  const { rules } = creation.request;
  const job = await awaitJob(context, rules, answer);
  if (!job.ok) return job;
  const record = job.value?.isOnly === true ? undefined : recordIn(rules, answer.body);
  const described = identifyCreated(context, creation, record);
  // An object of an earlier apply may be deleted again.
  if (described.is === "created" && answer.hasEarlierKey !== true) return { ok: true, value: described.record };
  const id = described.is === "unnamed" ? described.id : job.value?.made;
  const made = id === undefined ? undefined : await readMade(context, creation, id);
  if (made?.ok === true && identifyCreated(context, creation, made.value).is === "created") return made;
  if (made?.ok === false && made.error.sort !== "not_found") return made;
  return appeared(context, creation, answer, described);
}

/**
 * The server has accepted the request and named no object that is known to be there: it is looked for until it has appeared.
 * @param described the object in its answer, if any: without a name, with another than the one asked for, or made for an earlier apply.
 */
async function appeared(
  context: RunContext,
  creation: CreationAttempt,
  answer: ApiResponse,
  described: DescribedObject,
): Promise<Result<JsonObject>> {
  const { status, requestId, attempts } = answer;
  const isNamed = described.is === "created" || described.is === "renamed";
  const searchTime = isNamed ? creationSearchTime(context) : context.waitTimeout;
  const trace = await findCreated(context, creation, searchTime, described.is === "none" ? undefined : described.id);
  if (!trace.ok) return trace;
  if (trace.value) return { ok: true, value: trace.value.raw };
  const when = context.connection.stop.aborted ? "before the run was stopped" : `within ${searchTime / 1000} s`;
  const named = isNamed ? namedIn(described) : "did not identify an object";
  const message = `the server accepted it and ${named}; no object has appeared at this address ${when}`;
  const { method, path } = creation.request;
  const error = { sort: "not_ready", method, path, status, requestId, message, attempts } as const;
  return { ok: false, error: { ...error, ...(described.is === "renamed" && { otherName: described.name }) } };
}

const namedIn = (described: Extract<DescribedObject, { is: "created" | "renamed" }>): string =>
  described.is === "created"
    ? `answered as to an earlier apply, whose object (${described.id}) may have been deleted since, so apply again to create it under another key`
    : `calls the object ${described.name} (${described.id}), so declare it by that name to adopt it, or describe the server's names in a contract file (name_prefix)`;

/** Undefined where the API cannot read one object alone, or the id is another's. */
async function readMade(
  context: RunContext,
  bound: BoundAddress,
  id: RemoteId,
): Promise<Result<JsonObject> | undefined> {
  const request = isFree(context, bound, id) ? fillRead(context, bound, id) : undefined;
  return request && readFresh(context, request);
}

/**
 * After a creation met a 409: what exists is taken for ours where it is the same, field by field, and holds no secret of ours.
 * An object that the platform made along with its parent (a primary FTP account) is updated. Anything else fails with both sides shown.
 */
async function adoptExisting(context: RunContext, sent: SentCreation, conflict: Failure): Promise<Result<Ready>> {
  const { kind } = sent;
  const found = await findByKey(context, sent);
  if (!found.ok) return found;
  const there = found.value.find((each) => isSentMember(sent, each) && isFree(context, sent, each.id));
  if (!there) return { ok: false, error: conflict };
  keep(context, sent, { id: there.id, raw: there.raw });
  if (!kind.members && isPlatformOwned(kind, there) && offers(context.contract, kind, "update"))
    return asAdopted(await runUpdate(context, sent, takeOver(context, sent, there)));
  const secret = sent.call.values.find(({ field }) => isWriteOnly(kind, field))?.field;
  const difference =
    differenceFrom(sent, there) ??
    (secret === undefined ? undefined : `it is unknown whether its ${secret} is the declared one`);
  if (difference === undefined) return asAdopted({ ok: true, value: { raw: there.raw } });
  return {
    ok: false,
    error: {
      ...conflict,
      message: `${conflict.message} Someone else created it meanwhile, and ${difference}; plan again`,
    },
  };
}

const asAdopted = (result: Result<Ready>): Result<Ready> =>
  result.ok ? { ok: true, value: { ...result.value, adopted: true } } : result;

function takeOver(context: RunContext, { address, kind, key, call }: SentCreation, there: Remote): UpdateCall {
  const { fields } = kind.entry;
  const update = updateCall(bindingOf(context), { address, kind, key, remote: there }, { fields: {} });
  const writable = call.values.filter(({ field }) =>
    ["mutable", "write_only"].includes(kind.fields[field]?.access ?? ""),
  );
  return {
    ...update,
    values: writable.map((value) => ({ ...value, pointer: fields[value.field]?.at ?? value.pointer })),
  };
}
