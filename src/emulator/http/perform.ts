import { createHmac } from "node:crypto";
import { actions } from "../actions/index.ts";
import type { Call } from "../actions/call.ts";
import { makeContext } from "../actions/context.ts";
import type { FaultRequest } from "../faults/faults.ts";
import type { Fields } from "../fields.ts";
import type { Context } from "../kinds/kind.ts";
import { refuseInvalid, malformed, HttpError } from "../refusal.ts";
import type { LogEntry } from "../store/operations.ts";
import type { Objects } from "../store/objects.ts";
import type { Store } from "../store/store.ts";
import type { Admission } from "./authorize.ts";
import type { Answer } from "./answer.ts";
import type { RequestContext, Service } from "./service.ts";
import { loggedPath } from "./operation-log.ts";
import { parseBody } from "./read-body.ts";

/** An authorized request with its body. */
export interface Request extends Admission {
  readonly arrival: RequestContext;
  readonly body: Buffer;
}

/** Lets a fault strike a request. Returns the answer that it gives instead of the request's own, if it gives one. */
export function strike(service: Service, arrival: RequestContext, request: FaultRequest): Answer | undefined {
  const fault = service.faults.strike(request);
  if (fault !== undefined) [arrival.fault, arrival.effect] = [fault.name, fault.effect];
  return arrival.effect.instead?.(arrival.id);
}

/** Carries a request out and logs it. Throws an `HttpError`, which the caller logs. */
export function perform(service: Service, request: Request): Answer {
  const { arrival, key, body } = request;
  if (arrival.method !== "GET") {
    const call = makeCall(service, request, service.store.objects);
    return commitWrite(service, arrival, { keyId: key.id, body, header: "idempotency-key" }, () => act(call));
  }
  const stale = service.lag.objects();
  if (stale !== undefined) arrival.fault ??= "stale_reads_ms";
  return logged(service, arrival, act(makeCall(service, request, stale ?? service.store.objects)));
}

/** Carries a write out, in one transaction with its entry in the log. `header`: that of its idempotency key, if there is one. */
export function commitWrite(
  service: Service,
  arrival: RequestContext,
  { keyId, body, header }: { readonly keyId: string; readonly body: Buffer; readonly header: string | undefined },
  run: () => Answer,
): Answer {
  const { store, log, lag } = service;
  const mayRepeat = arrival.method === "POST" && header !== undefined;
  const commit = (): Answer =>
    store.transaction(() => {
      const answer = mayRepeat ? replayOrRun(store, arrival, keyId, { body, header }, run) : run();
      const committed = answer.headers["Idempotent-Replayed"] === undefined;
      log.append({ ...logEntryOf(service, arrival, answer), committed });
      return answer;
    });
  const { hideMs } = arrival.effect;
  return hideMs === undefined ? commit() : lag.hide(hideMs, commit);
}

function act(call: Call): Answer {
  const { id } = call.operation;
  const action = actions[id];
  if (action === undefined) throw new Error(`The document has the operation ${id}, which no action answers.`);
  return action(call);
}

function makeCall(service: Service, { arrival, operation, params, body }: Request, objects: Objects): Call {
  const { request, url, path } = arrival;
  const { validators, perPageMax, spelling } = service;
  const query: Fields = url === path ? {} : Object.fromEntries(new URLSearchParams(url.slice(path.length)));
  refuseInvalid(validators.query(operation, query));
  const header = (name: string): string | undefined => request.headers[name]?.toString();
  return {
    operation,
    params,
    query,
    validators,
    perPageMax,
    spelling,
    header,
    body: operation.bodySchema === undefined ? {} : parseBody(body, header("content-type"), operation.bodyRequired),
    context: contextOf(service, arrival, params["id"], objects),
  };
}

/** Makes the context that a request works with; a fault may change it. */
export function contextOf(
  service: Service,
  { started, effect }: RequestContext,
  id: string | undefined,
  objects: Objects,
): Context {
  const context = makeContext({ ...service, store: { ...service.store, objects }, now: started });
  return effect.context?.(context, id) ?? context;
}

/** Logs a request that wrote nothing, without a transaction of its own, and returns its answer. */
export function logged(service: Service, arrival: RequestContext, answer: Answer): Answer {
  service.log.later(logEntryOf(service, arrival, answer));
  return answer;
}

/** Returns the entry of a request in the log. */
const logEntryOf = (
  { now }: Service,
  { id, started, method, url, key, fault }: RequestContext,
  { status }: Answer,
): LogEntry => ({
  time: started,
  key_id: key?.id ?? null,
  method,
  path: loggedPath(url),
  status,
  request_id: id,
  duration_ms: now() - started,
  committed: false,
  fault: fault ?? null,
});

/**
 * Gives the first answer again to a request whose `Idempotency-Key` this API key has used within a day. Only successes
 * are kept: a refusal changed nothing, so that the same request may be tried again once its cause is mended.
 */
export function replayOrRun(
  { replays, salt }: Store,
  arrival: RequestContext,
  keyId: string,
  { body, header }: { readonly body: Buffer; readonly header: string },
  act: () => Answer,
): Answer {
  const { request, method, path, started } = arrival;
  const idempotencyKey = request.headers[header];
  if (idempotencyKey === undefined) return act();
  if (typeof idempotencyKey !== "string" || !/^[\x21-\x7e]{1,255}$/.test(idempotencyKey)) {
    throw malformed("Idempotency-Key must be 1 to 255 visible ASCII characters.");
  }
  const requestHash = createHmac("sha256", salt).update(`${method} ${path}\n`).update(body).digest("hex");
  const replay = replays.find(keyId, idempotencyKey, started);
  if (replay === undefined) {
    const answer = act();
    replays.keep(keyId, idempotencyKey, requestHash, JSON.stringify(answer), started);
    return answer;
  }
  if (replay.requestHash !== requestHash) {
    throw new HttpError(
      409,
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request: take a new one.",
    );
  }
  const answer = JSON.parse(replay.answer) as Answer;
  return { ...answer, headers: { ...answer.headers, "Idempotent-Replayed": "true" } };
}
