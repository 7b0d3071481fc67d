import { actions } from "../actions/index.ts";
import type { Call } from "../actions/call.ts";
import { makeContext } from "../actions/context.ts";
import type { Fields } from "../fields.ts";
import type { Context } from "../kinds/kind.ts";
import { invalid } from "../refusal.ts";
import type { LogEntry } from "../store/operations.ts";
import type { Objects } from "../store/objects.ts";
import type { Admission } from "./authorize.ts";
import type { Answer } from "./answer.ts";
import type { RequestContext } from "./request-context.ts";
import { replayOrRun } from "./idempotency.ts";
import { loggedPath } from "./operation-log.ts";
import { parseBody } from "./read-body.ts";
import type { Service } from "./service.ts";

/** An authorized request with its body. */
export interface Request extends Admission {
  readonly arrival: RequestContext;
  readonly body: Buffer;
}

/** Carries a request out and logs it, unless a fault answers instead. Throws an `HttpError`, which the caller logs. */
export function perform(service: Service, request: Request): Answer {
  const { arrival, operation } = request;
  const instead = arrival.effect.instead?.(arrival.id);
  if (instead !== undefined) return logged(service, arrival, instead);
  return operation.method === "GET" ? read(service, request) : write(service, request);
}

function read(service: Service, request: Request): Answer {
  const { arrival } = request;
  const stale = service.lag.objects();
  if (stale !== undefined) arrival.fault ??= "stale_reads_ms";
  return logged(service, arrival, act(request, makeCall(service, request, stale ?? service.store.objects)));
}

function write(service: Service, request: Request): Answer {
  const { arrival, key, body } = request;
  const call = makeCall(service, request, service.store.objects);
  return commitWrite(service, arrival, { keyId: key.id, body, header: "idempotency-key" }, () => act(request, call));
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

function act({ operation: { id } }: Request, call: Call): Answer {
  const action = actions[id];
  if (action === undefined) throw new Error(`The document has the operation ${id}, which no action answers.`);
  return action(call);
}

function makeCall(service: Service, { arrival, operation, params, body }: Request, objects: Objects): Call {
  const { request, url, path } = arrival;
  const { validators, perPageMax, spelling } = service;
  const query: Fields = url === path ? {} : Object.fromEntries(new URLSearchParams(url.slice(path.length)));
  const errors = validators.query(operation, query);
  if (Object.keys(errors).length > 0) throw invalid(errors);
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
  const { store, asyncMs, namePrefix, random } = service;
  const context = makeContext({ store: { ...store, objects }, asyncMs, namePrefix, random, now: started });
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
