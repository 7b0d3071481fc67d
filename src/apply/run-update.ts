import { isDeepStrictEqual } from "node:util";
import { collectionAt } from "../kinds/derived/collection.ts";
import { normalValue } from "../kinds/derived/normal-value.ts";
import { recordIn } from "../api/response.ts";
import type { BoundAddress } from "../contract/bound-kind.ts";
import { readField } from "../contract/spelling/read-field.ts";
import { etagOf, idOfRecord } from "../contract/decode-record.ts";
import { isStaleWrite, isUnsettled, type Result } from "../model/failure.ts";
import type { BodyValue, UpdateCall } from "../model/http-call.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";
import { awaitReady, type Ready, awaitJob } from "./await-ready.ts";
import { buildBareBody, buildUpdateBody, fillCall, idIn, keepMovedId, objectsWritten } from "./build-body.ts";
import { listUnder, readFresh, readNow, readRecord } from "./find-objects.ts";
import { isUpdated, keep } from "./object-identity.ts";
import { checksETag, failedCall, type RunContext } from "./run-context.ts";
import { writeTo } from "./shared-lists.ts";
import { isWriteOnly } from "../kinds/derived/field-access.ts";

interface Current {
  readonly record: JsonObject;
  readonly etag: string | undefined;
}

/**
 * Writes one object whole, or the objects in it that hold a value, with If-Match; where the API has no ETags, it is read just before, if it
 * can be read alone, or if this run has changed it already. After a 412, or where no answer came at all, it is read again: where it already
 * holds what was to be written it is done (a repeated request meets its own first try). Ours are laid over the new record and sent, after a
 * 412 once more, if the managed values are still the plan's *before*, or ours but for a secret, which is never returned; else the step fails
 * as stale.
 */
export async function runUpdate(context: RunContext, bound: BoundAddress, call: UpdateCall): Promise<Result<Ready>> {
  const updated = await updateAsPlanned(context, bound, call);
  if (!updated.ok) return updated;
  // References to read-only fields, and later steps, need what the update has brought.
  const { kind } = bound;
  const { raw } = updated.value;
  const id = idOfRecord(kind, raw);
  if (id === "") return updated;
  keepMovedId(context, kind, call, id);
  if (!kind.members) keep(context, bound, { id, raw });
  return updated;
}

async function updateAsPlanned(context: RunContext, bound: BoundAddress, call: UpdateCall): Promise<Result<Ready>> {
  const sendsMore = !call.partial || objectsWritten(bound, call).length > 0;
  // Other objects would be read with the whole list, each of them.
  const isCheap = call.read !== undefined || bound.kind.entry.operations.list.single === true;
  const mayBeOld = !checksETag(context, call) && (isCheap || context.made.has(bound.address));
  const isRead = sendsMore && (call.base === null || mayBeOld);
  const planned: Result<Current> = isRead
    ? await readCurrent(context, bound, call)
    : { ok: true, value: { record: call.base ?? context.made.get(bound.address)?.raw ?? {}, etag: call.etag } };
  if (!planned.ok) return planned;
  const early = isRead && call.base ? firstMoved(context, bound, call, planned.value.record) : undefined;
  if (early !== undefined) return failedCall(call, "stale", early);
  const first = await sendUpdate(context, bound, call, planned.value);
  if (first.ok || (!isStaleWrite(first.error) && !isUnsettled(first.error))) return first;
  const current = await readCurrent(context, bound, call);
  if (!current.ok) return isStaleWrite(first.error) ? current : first;
  if (holdsWhatIsWritten(context, bound, call, current.value.record) && !sendsSecret(bound, call))
    return { ok: true, value: { raw: current.value.record } };
  if (!isStaleWrite(first.error)) return first;
  const message = firstMoved(context, bound, call, current.value.record);
  return message === undefined
    ? sendUpdate(context, bound, call, current.value)
    : { ok: false, error: { ...first.error, message } };
}

async function sendUpdate(
  context: RunContext,
  bound: BoundAddress,
  call: UpdateCall,
  { record, etag }: Current,
): Promise<Result<Ready>> {
  const request = fillCall(context, bound.kind, call);
  const body = call.bare
    ? buildBareBody(context, call, call.around?.constants)
    : buildUpdateBody(context, bound, call, record);
  const sent = await writeTo(context.lists, collectionAt(bound.address), () =>
    context.connection.send({ ...request, ...(body && { body }), etag }),
  );
  if (!sent.ok) return sent;
  const job = await awaitJob(context, request.rules, sent.value);
  if (!job.ok) return job;
  const answered = recordIn(request.rules, sent.value.body);
  const isWhole = answered && showsFields(bound, call, answered);
  if (job.value?.isOnly !== true && isWhole && isUpdated(context, bound, idIn(context, bound.kind, call), answered))
    return awaitReady(context, bound, answered, {});
  const current = await readCurrent(context, bound, call);
  if (current.ok) return awaitReady(context, bound, current.value.record, {});
  const renamed = current.error.sort === "not_found" ? await findWritten(context, bound, call) : undefined;
  return renamed ? awaitReady(context, bound, renamed, {}) : current;
}

/** Whether an answer holds the fields that were written: some APIs answer with an id, a message or nothing. */
function showsFields(bound: BoundAddress, call: UpdateCall, record: JsonObject): boolean {
  const readable = call.values.filter(({ field }) => !isWriteOnly(bound.kind, field));
  const isShown = readable.length > 0 && readable.every(({ field }) => readField(bound, field, record) !== undefined);
  return !call.partial || isShown;
}

/** An object that an update has given another id, without a word of it. */
async function findWritten(
  context: RunContext,
  bound: BoundAddress,
  call: UpdateCall,
): Promise<JsonObject | undefined> {
  const listed = await listUnder(context, bound);
  const all = listed.ok ? listed.value : [];
  return all.find(({ raw }) => holdsWhatIsWritten(context, bound, call, raw))?.raw;
}

async function readCurrent(context: RunContext, bound: BoundAddress, call: UpdateCall): Promise<Result<Current>> {
  const { kind, address } = bound;
  const { read } = call;
  const asked = { request: read && fillCall(context, kind, read), id: idIn(context, kind, read ?? call) };
  // An object that came along with a parent of this run is as new as one that the run has made itself.
  const wasThere = !context.made.has(address) && context.live.resources.has(address);
  const now = await readNow(context, bound, asked, wasThere ? readRecord : readFresh);
  if (!now.ok) return now;
  if (!now.value) return failedCall(call, "not_found", "it is not in its list any more; plan again");
  const pointer = kind.entry.etag;
  const etag = pointer === undefined ? undefined : getPointer(now.value, pointer);
  return { ok: true, value: { record: now.value, etag: etagOf(etag) } };
}

/** Whether a record has every value that is written; of secrets, which are never returned, that is unknown. */
function holdsWhatIsWritten(context: RunContext, bound: BoundAddress, call: UpdateCall, record: JsonObject): boolean {
  const isHeld = heldTest(context, bound, call, record);
  return call.values.every((value) => isWriteOnly(bound.kind, value.field) || isHeld(value));
}

/** Returns a test whether a record has a value as it is written. */
function heldTest(context: RunContext, bound: BoundAddress, call: UpdateCall, record: JsonObject) {
  const body = buildUpdateBody(context, bound, call, record);
  return ({ pointer, field }: BodyValue) =>
    same(bound, field, readField(bound, field, record), readField(bound, field, body, pointer));
}

const sendsSecret = (bound: BoundAddress, { values }: UpdateCall) =>
  values.some(({ field }) => isWriteOnly(bound.kind, field));

/** Says which managed value somebody else has changed since the plan was made; undefined if each is as it was, or as it is written. */
function firstMoved(context: RunContext, bound: BoundAddress, call: UpdateCall, record: JsonObject) {
  const held = new Set(call.values.filter(heldTest(context, bound, call, record)).map(({ field }) => field));
  for (const { field, pointer, value } of call.before) {
    const now = readField(bound, field, record, pointer);
    if (held.has(field) || same(bound, field, now, value)) continue;
    const isSecret = call.values.some((each) => each.field === field && !("value" in each));
    if (isSecret) return `it was changed by someone else: ${field} has changed since the plan was made; plan again`;
    return `it was changed by someone else: ${field} was ${JSON.stringify(value)} when planned and is ${JSON.stringify(now ?? null)} now; plan again`;
  }
  return undefined;
}

function same({ kind, key }: BoundAddress, field: string, a: Json | undefined, b: Json | undefined): boolean {
  const normal = (value: Json | undefined) => (value === undefined ? undefined : normalValue(kind, field, value, key));
  return isDeepStrictEqual(normal(a), normal(b));
}
