import type { IncomingMessage } from "node:http";
import { makeId } from "../actions/context.ts";
import { malformed } from "../refusal.ts";
import { answerContract } from "../contract/door.ts";
import { handleAdminRequest, isSwitch, switchRoot } from "../switches/index.ts";
import { authorizeRequest } from "./authorize.ts";
import { answerError, type Answer } from "./answer.ts";
import type { RequestContext, Service } from "./service.ts";
import { logged, perform, strike } from "./perform.ts";
import type { Allowance } from "./rate-limiter.ts";
import { readRequestBody } from "./read-body.ts";

/** Answers a request, with the headers that every answer has. Never throws: an unexpected error is a 500. */
export async function answerRequest(service: Service, request: IncomingMessage): Promise<Answer> {
  const { method = "GET", url = "/" } = request;
  const arrival: RequestContext = {
    request,
    method,
    url,
    path: url.split("?", 1)[0] ?? "",
    key: undefined,
    fault: undefined,
    effect: {},
    id: makeId("req", service.random),
    started: service.now(),
    allowance: service.limiter.uncharged,
  };
  const answer = await answerAt(service, arrival);
  if (answer.delivery?.end === "exit") {
    service.log.flush();
    service.exit?.();
  }
  return withCommonHeaders(answer, arrival.id, arrival.allowance);
}

/** A contract's API takes the place of the service's own, which then stands below `/_emulator`. */
function answerAt(service: Service, arrival: RequestContext): Promise<Answer> {
  const own = `${switchRoot}v2026/`;
  if (service.door !== undefined && arrival.path.startsWith(own)) {
    const [url, path] = [arrival.url, arrival.path].map((text) => text.slice(switchRoot.length - 1));
    return answerOperation(service, { ...arrival, url: url ?? "", path: path ?? "" });
  }
  if (isSwitch(arrival.path)) return handleAdminRequest(service, arrival);
  return service.door === undefined
    ? answerOperation(service, arrival)
    : answerContract(service, service.door, arrival);
}

/** The answer to bytes that are not an HTTP request, or to one that breaks off. Nothing is logged, because nothing is known of it. */
export function badRequestResponse(service: Service): Answer {
  const id = makeId("req", service.random);
  const answer = answerError(malformed("This is not an HTTP request, or not a whole one."), id);
  return withCommonHeaders(answer, id, service.limiter.uncharged);
}

async function answerOperation(service: Service, arrival: RequestContext): Promise<Answer> {
  const answer = await reallyAnswer(service, arrival);
  return arrival.effect.answer?.(answer, arrival.id) ?? answer;
}

/** The answer that is logged; a fault may change it on its way. */
async function reallyAnswer(service: Service, arrival: RequestContext): Promise<Answer> {
  try {
    const { operation, params, key } = authorizeRequest(service, arrival);
    const body = operation.bodySchema === undefined ? Buffer.alloc(0) : await readRequestBody(arrival.request);
    const instead = strike(service, arrival, { operation, path: arrival.path, keyId: key.id });
    if (instead !== undefined) return logged(service, arrival, instead);
    return perform(service, { operation, params, key, arrival, body });
  } catch (error) {
    return logged(service, arrival, answerError(error, arrival.id));
  }
}

function withCommonHeaders(answer: Answer, id: string, { limit, remaining, reset }: Allowance): Answer {
  const headers: Record<string, string> = {
    "X-Request-Id": id,
    "X-RateLimit-Limit": String(limit),
    "X-RateLimit-Remaining": String(remaining),
    "X-RateLimit-Reset": String(reset),
    ...answer.headers,
  };
  if (answer.body !== undefined) headers["Content-Type"] = "application/json";
  const changes = answer.delivery?.headers;
  return { ...answer, headers: changes === undefined ? headers : layOver(headers, changes) };
}

/** Headers over others, whatever their case; null leaves one out. */
function layOver(
  below: Readonly<Record<string, string>>,
  above: Readonly<Record<string, string | null>>,
): Record<string, string> {
  const covered = new Set(Object.keys(above).map((name) => name.toLowerCase()));
  const all = [...Object.entries(below).filter(([name]) => !covered.has(name.toLowerCase())), ...Object.entries(above)];
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== null));
}
