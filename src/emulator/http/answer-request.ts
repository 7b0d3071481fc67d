import type { IncomingMessage } from "node:http";
import { actions } from "../actions/index.ts";
import type { Call } from "../actions/call.ts";
import { makeContext, makeId } from "../actions/context.ts";
import type { Fields } from "../fields.ts";
import { invalid, malformed } from "../refusal.ts";
import type { Entry } from "../store/operations.ts";
import { answerSwitch, isSwitch } from "../switches/index.ts";
import { admit, type Admission } from "./admit.ts";
import type { Answer } from "./answer.ts";
import { answerError } from "./answer-error.ts";
import type { Arrival } from "./arrival.ts";
import { once } from "./once.ts";
import { loggedPath } from "./operation-log.ts";
import type { Allowance } from "./rate-limiter.ts";
import { parseBody, readBody } from "./read-body.ts";
import type { Service } from "./service.ts";

/** Bytes. */
const bodyLimit = 1024 * 1024;

/** Answers a request, with the headers that every answer has. Never throws: an unexpected error is a 500. */
export async function answerRequest(service: Service, request: IncomingMessage): Promise<Answer> {
  const { method = "GET", url = "/" } = request;
  const arrival: Arrival = {
    request,
    method,
    url,
    path: url.split("?", 1)[0] ?? "",
    key: undefined,
    id: makeId("req", service.random),
    started: service.now(),
    allowance: service.limiter.uncharged,
  };
  const answer = isSwitch(arrival.path)
    ? await answerSwitch(service, arrival)
    : await answerOperation(service, arrival);
  return withCommonHeaders(answer, arrival.id, arrival.allowance);
}

/** The answer to what is no HTTP request, or breaks off in the middle of one. Nothing is logged: nothing is known of it. */
export function answerGarbage(service: Service): Answer {
  const id = makeId("req", service.random);
  const answer = answerError(malformed("This is not an HTTP request, or not a whole one."), id);
  return withCommonHeaders(answer, id, service.limiter.uncharged);
}

async function answerOperation(service: Service, arrival: Arrival): Promise<Answer> {
  try {
    const admission = admit(service, arrival);
    const hasBody = admission.operation.bodySchema !== undefined;
    const body = hasBody ? await readBody(arrival.request, bodyLimit) : Buffer.alloc(0);
    return perform(service, arrival, admission, body);
  } catch (error) {
    const answer = answerError(error, arrival.id);
    service.log.later(entryOf(service, arrival, answer));
    return answer;
  }
}

/** Acts and logs: a write in one transaction with its entry in the log. */
function perform(service: Service, arrival: Arrival, admission: Admission, body: Buffer): Answer {
  const { operation, key } = admission;
  const call = makeCall(service, arrival, admission, body);
  const action = actions[operation.id];
  if (action === undefined) throw new Error(`The document has the operation ${operation.id}, which no action answers.`);
  if (operation.method === "GET") {
    const answer = action(call);
    service.log.later(entryOf(service, arrival, answer));
    return answer;
  }
  const act = (): Answer => action(call);
  return service.store.transaction(() => {
    const answer = operation.method === "POST" ? once(service.store, arrival, key.id, body, act) : act();
    service.log.append(entryOf(service, arrival, answer));
    return answer;
  });
}

function makeCall(
  service: Service,
  { request, url, started }: Arrival,
  { operation, params }: Admission,
  body: Buffer,
): Call {
  const { store, asyncMs, namePrefix, validators, perPageMax, random } = service;
  const query: Fields = Object.fromEntries(new URLSearchParams(url.slice(url.split("?", 1)[0]?.length)));
  const errors = validators.query(operation, query);
  if (Object.keys(errors).length > 0) throw invalid(errors);
  const header = (name: string): string | undefined => request.headers[name]?.toString();
  return {
    operation,
    params,
    query,
    validators,
    perPageMax,
    spelling: service.spelling,
    header,
    body: operation.bodySchema === undefined ? {} : parseBody(body, header("content-type"), operation.bodyRequired),
    context: makeContext({ store, asyncMs, namePrefix, random, now: started }),
  };
}

const entryOf = ({ now }: Service, { id, started, method, url, key }: Arrival, { status }: Answer): Entry => ({
  time: started,
  key_id: key?.id ?? null,
  method,
  path: loggedPath(url),
  status,
  request_id: id,
  duration_ms: now() - started,
});

function withCommonHeaders(answer: Answer, id: string, { limit, remaining, reset }: Allowance): Answer {
  const headers = {
    ...answer.headers,
    ...(answer.body === undefined ? {} : { "Content-Type": "application/json" }),
    "X-Request-Id": id,
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(reset),
  };
  return { ...answer, headers };
}
