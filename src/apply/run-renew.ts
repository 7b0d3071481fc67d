import type { BoundAddress } from "../contract/bound-kind.ts";
import { failedRead, mayBeDone, type Result } from "../model/failure.ts";
import type { RenewCall } from "../model/http-call.ts";
import { jsonText, type JsonObject } from "../model/json.ts";
import { readField } from "../contract/spelling/read-field.ts";
import { type Ready, awaitJob } from "./await-ready.ts";
import { buildBody, fillCall, fillRead } from "./build-body.ts";
import { readNow } from "./find-objects.ts";
import { pollUntil, maxReadLag, type RunContext, unknownOutcome } from "./run-context.ts";

/**
 * Prolongs one object, once: the request carries no idempotency key and is not repeated after it was sent, since each costs money.
 * It is done when the new expiry is read, as the next plan will read it, whatever the answer was; where it does not show, that is said.
 */
export async function runRenew(context: RunContext, bound: BoundAddress, call: RenewCall): Promise<Result<Ready>> {
  const request = fillCall(context, bound.kind, call);
  const sent = await context.connection.send({ ...request, body: buildBody(context, bound, call), once: true });
  if (!sent.ok && !mayBeDone(sent.error)) return sent;
  const job = sent.ok ? await awaitJob(context, request.rules, sent.value) : undefined;
  if (job && !job.ok) return job;
  const searchTime = sent.ok ? context.waitTimeout : maxReadLag;
  const renewed = await pollUntil(context, searchTime, async (looking) => {
    const request = fillRead(looking, bound);
    const read = await readNow(looking, bound, { request, id: request?.id });
    if (!read.ok) return read;
    if (!read.value) return failedRead("not_found", bound.address, "no list has it");
    return { ok: true, value: isLater(bound, call, read.value) ? read.value : undefined };
  });
  if (renewed.ok && renewed.value !== undefined) return { ok: true, value: { raw: renewed.value } };
  const found = renewed.ok
    ? `${call.expiry.field} is unchanged, so it is not renewed yet`
    : `it could not be read (${renewed.error.message})`;
  const { method, path } = request;
  const { status, requestId, attempts } = sent.ok ? sent.value : sent.error;
  const sort = "unknown_outcome" as const;
  const accepted = { sort, method, path, status, requestId, attempts, message: "the server accepted it" };
  return unknownOutcome(sent.ok ? accepted : sent.error, `${found}; check it before you apply again`);
}

function isLater(bound: BoundAddress, { expiry }: RenewCall, record: JsonObject): boolean {
  const now = readField(bound, expiry.field, record);
  return Date.parse(jsonText(now)) > Date.parse(jsonText(expiry.before));
}
