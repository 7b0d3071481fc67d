import { isDeepStrictEqual } from "node:util";
import type { BoundAddress } from "../contract/bound-kind.ts";
import type { Kind } from "../kinds/kind.ts";
import { isStaleWrite, isUnsettled, type Result } from "../model/failure.ts";
import type { DeleteCall } from "../model/http-call.ts";
import type { Remote } from "../model/resource.ts";
import { buildDeleteBody, fillCall, idIn } from "./build-body.ts";
import { type Ready, awaitJob, done } from "./await-ready.ts";
import { findAdded, findByKey } from "./find-objects.ts";
import { forgetId } from "./object-identity.ts";
import { failedCall, type RunContext } from "./run-context.ts";

/**
 * Deletes one object with If-Match, unless somebody has added something to it: many servers delete that along. After a 412 it is read
 * again: where what can be written of it is still as planned (a zone counts its records' changes, a plan's own too), it is deleted as it is
 * now; else the step fails as stale. Where no answer came at all it is read again too: what is not there is deleted.
 */
export async function runDelete(context: RunContext, bound: BoundAddress, call: DeleteCall): Promise<Result<Ready>> {
  const result = await deleteAsPlanned(context, bound, call);
  const id = idIn(context, bound.kind, call);
  if (result.ok && id !== undefined) forgetId(context, bound, id);
  return result;
}

async function deleteAsPlanned(context: RunContext, bound: BoundAddress, call: DeleteCall): Promise<Result<Ready>> {
  const added = await findAdded(context, bound);
  if (!added.ok) return added;
  if (added.value !== undefined)
    return failedCall(call, "stale", `${added.value} was added to it since it was planned; plan again`);
  const first = await sendDelete(context, bound, call, call.etag);
  if (first.ok || (!isStaleWrite(first.error) && !isUnsettled(first.error))) return first;
  const found = await findByKey(context, bound);
  if (!found.ok) return isStaleWrite(first.error) ? found : first;
  const isIts = ({ id }: Remote) => call.params["id"] === undefined || call.params["id"] === id;
  const now = found.value.find(isIts);
  if (!now) return done;
  if (!isStaleWrite(first.error)) return first;
  const planned = context.live.resources.get(bound.address)?.remotes.find(isIts);
  const moved = planned && firstMoved(bound.kind, planned, now);
  if (planned && moved === undefined) return sendDelete(context, bound, call, now.etag);
  const field = moved === undefined ? "" : `: ${moved} has changed since the plan was made`;
  return { ok: false, error: { ...first.error, message: `it was changed by someone else${field}; plan again` } };
}

async function sendDelete(
  context: RunContext,
  bound: BoundAddress,
  call: DeleteCall,
  etag: string | undefined,
): Promise<Result<Ready>> {
  const request = fillCall(context, bound.kind, call);
  const body = buildDeleteBody(context, bound, call);
  const sent = await context.connection.send({ ...request, etag, ...(body && { body }) });
  // An object that is gone already fulfils the deletion.
  if (!sent.ok) return sent.error.sort === "not_found" ? done : sent;
  const job = await awaitJob(context, request.rules, sent.value);
  return job.ok ? done : job;
}

function firstMoved({ fields }: Kind, planned: Remote, now: Remote): string | undefined {
  return Object.keys(fields).find(
    (name) => fields[name]?.access === "mutable" && !isDeepStrictEqual(planned.fields[name], now.fields[name]),
  );
}
