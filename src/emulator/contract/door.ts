import { orUndefined } from "../../lib/or-undefined.ts";
import type { Operation } from "../document/router.ts";
import { answerError, type Answer } from "../http/answer.ts";
import { apiKeyOf, chargeRate, methodNotAllowed } from "../http/authorize.ts";
import { commitWrite, logged, strike } from "../http/perform.ts";
import { parseJson, readRequestBody } from "../http/read-body.ts";
import type { RequestContext, Service } from "../http/service.ts";
import { allows, type ApiKey } from "../store/keys.ts";
import { forbidden, notFound } from "../refusal.ts";
import type { Objects } from "../store/objects.ts";
import { isFields, type Fields } from "../fields.ts";
import type { AnswerEntry, Contract } from "./contract.ts";
import { answerJob, chooseRoutes, openVisit, answerRouted, type RoutedRequest } from "./perform.ts";
import { isSome, matchRoutes, matchText, representedBy, type Door, type MatchedRoute, type Some } from "./routes.ts";
import { answerOf } from "./visit.ts";
import { textOf } from "./account.ts";
import { putAt } from "./json.ts";

/** Answers a request of the contract's API; errors are in its form. */
export async function answerContract(service: Service, door: Door, arrival: RequestContext): Promise<Answer> {
  const reply: { rules: AnswerEntry } = { rules: door.contract.answer };
  const answer = await reallyAnswer(service, door, arrival, reply).catch((error: unknown) =>
    logged(service, arrival, answerError(error, arrival.id)),
  );
  const encoded = encodeSuccess(reply.rules, encodeError(reply.rules, answer));
  const after = arrival.effect.answer?.(encoded, arrival.id) ?? encoded;
  const whole = after === encoded ? encoded : encodeError(reply.rules, after);
  return { ...whole, headers: { ...whole.headers, ...commonHeaders(door.contract, arrival.id, arrival.allowance) } };
}

async function reallyAnswer(
  service: Service,
  door: Door,
  arrival: RequestContext,
  reply: { rules: AnswerEntry },
): Promise<Answer> {
  const { contract } = door;
  const key = authenticate(service, contract, arrival);
  chargeRate(service, arrival, key);
  const { base_path: base } = contract;
  const path = arrival.path.slice(base.length);
  if (!arrival.path.startsWith(base)) throw notFound(`path ${arrival.path}`);
  const job = jobIn(contract, path);
  if (job !== undefined && arrival.method === "GET")
    return logged(service, arrival, answerJob(openVisit(service, door, arrival, service.store.objects), job));
  const query = new URLSearchParams(arrival.url.slice(arrival.path.length));
  const here = matchRoutes(door.routes, path, query);
  const possible = here.filter(({ route }) => route.method === arrival.method);
  if (here.length === 0) throw notFound(`path ${arrival.path}`);
  if (!isSome(possible))
    throw methodNotAllowed(arrival, [...new Set(here.map(({ route }) => route.method))].join(", "));
  const bytes = arrival.method === "GET" ? Buffer.alloc(0) : await readRequestBody(arrival.request);
  const body = bytes.length === 0 ? undefined : parseJson(bytes);
  const matched = chooseRoutes(openVisit(service, door, arrival, service.store.objects), possible, body);
  const [{ route }] = matched;
  reply.rules = answerOf(door, route.kind, route.operation);
  const asked = { path: arrival.path, query, perPageMax: service.perPageMax };
  const { precondition } = contract.request;
  const ifMatch = precondition && arrival.request.headers[precondition.header.toLowerCase()]?.toString();
  return admit(service, door, arrival, key, bytes, { matched, body, asked, ifMatch });
}

/** Checks permissions, lets a fault strike, and acts: a write in one transaction with its entry in the log. */
function admit(
  service: Service,
  door: Door,
  arrival: RequestContext,
  key: ApiKey,
  bytes: Buffer,
  asking: RoutedRequest,
): Answer {
  const operation = operationFor(service, asking.matched);
  if (!allows(key.permissions, operation.group, arrival.method))
    throw forbidden(`This key has no permission for the group ${operation.group}.`);
  const instead = strike(service, arrival, { operation, path: operation.path, keyId: key.id });
  if (instead !== undefined) return logged(service, arrival, instead);
  const act = (objects: Objects): Answer =>
    answerRouted(openVisit(service, door, arrival, objects), asking, arrival.id);
  if (arrival.method === "GET") return logged(service, arrival, act(service.lag.objects() ?? service.store.objects));
  const header = door.contract.request.idempotency?.header.toLowerCase();
  return commitWrite(service, arrival, { keyId: key.id, body: bytes, header }, () => act(service.store.objects));
}

/** Returns the operation of the service's own API that a request stands for: permissions and faults refer to it. */
function operationFor({ router }: Service, [{ route }]: Some<MatchedRoute>): Operation {
  const id = representedBy(route);
  const operation = router.operations.find((each) => each.id === id);
  if (operation === undefined) throw notFound("such operation");
  return operation;
}

function jobIn({ answer: { job } }: Contract, path: string): string | undefined {
  const params: Record<string, string> = {};
  return job !== undefined && matchText(job.path ?? "/jobs/{job}", path, params) ? params["job"] : undefined;
}

/** Returns the key of a request: a header, or two that hold it together. Throws 401. */
function authenticate(service: Service, { request: { auth } }: Contract, arrival: RequestContext): ApiKey {
  const valueOf = (name: string): string => arrival.request.headers[name.toLowerCase()]?.toString() ?? "";
  if (auth.headers !== undefined) {
    const [first, second] = auth.headers.map(valueOf);
    return apiKeyOf(service, arrival, [`${first}:${second}`, second ?? ""], auth.headers.join(" and "));
  }
  const { header, scheme = "" } = auth;
  const text = valueOf(header).trim();
  const secret = scheme === "" ? text : text.startsWith(`${scheme} `) ? text.slice(scheme.length + 1).trim() : "";
  return apiKeyOf(service, arrival, [secret], `${header}: ${scheme === "" ? "" : `${scheme} `}<API_KEY>`);
}

/** Puts an error of the service's own form into that of the contract; other answers stay. */
function encodeError(rules: AnswerEntry, answer: Answer): Answer {
  if (answer.status < 400 && answer.status !== 200) return answer;
  const error = parsed(answer.body);
  if (error === undefined || typeof error["message"] !== "string" || error["code"] === undefined) return answer;
  const { error: places, failed_when: failed, rate_limit: limit } = rules;
  let body: unknown = putAt({}, places.message, error["message"]);
  if (failed !== undefined) body = putAt(body, failed.pointer, failed.equals[0]);
  if (places.code !== undefined)
    body = putAt(body, places.code, codeOf(places.codes ?? {}, answer.status, textOf(error["code"])));
  if (places.fields !== undefined && isFields(error["errors"]) && Object.keys(error["errors"]).length > 0)
    body = putAt(body, places.fields, error["errors"]);
  const { "Retry-After": wait, ...headers } = answer.headers;
  const renamed =
    wait === undefined || limit.retry_after === undefined ? headers : { ...headers, [limit.retry_after]: wait };
  const status = answer.status === 429 ? (limit.statuses[0] ?? 429) : answer.status;
  return { ...answer, status, headers: renamed, body: JSON.stringify(body) };
}

function parsed(body: string | undefined): Fields | undefined {
  const value: unknown = orUndefined(() => JSON.parse(body ?? ""));
  return isFields(value) && "request_id" in value ? value : undefined;
}

const meanings: Readonly<Record<number, string>> = {
  400: "invalid",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  412: "stale",
  422: "invalid",
  429: "rate_limited",
};

/** Returns the contract's first code with the meaning of an error, or the service's own. */
function codeOf(codes: Readonly<Record<string, string>>, status: number, own: string): string | number {
  const meaning = meanings[status] ?? (status >= 500 ? "server_error" : "");
  const code = Object.entries(codes).find(([, sort]) => sort === meaning)?.[0] ?? own;
  return /^\d{1,15}$/.test(code) ? Number(code) : code;
}

/** Puts what tells a success from a failure into the body of a success. */
function encodeSuccess({ failed_when: failed }: AnswerEntry, answer: Answer): Answer {
  if (failed === undefined || answer.body === undefined || answer.status >= 300) return answer;
  const [value] = failed.equals;
  const other = typeof value === "boolean" ? !value : value === null || value === undefined ? "ok" : undefined;
  if (other === undefined) return answer;
  return { ...answer, body: JSON.stringify(putAt(JSON.parse(answer.body), failed.pointer, other)) };
}

/** Returns the headers that every answer of the contract's API has. */
function commonHeaders(
  { answer: { rate_limit: limit, request_id: id } }: Contract,
  requestId: string,
  { remaining, reset }: { readonly remaining: number; readonly reset: number },
): Record<string, string> {
  return {
    ...(id !== undefined && { [id.header]: requestId }),
    ...(limit.remaining !== undefined && { [limit.remaining]: String(remaining) }),
    ...(limit.reset !== undefined && { [limit.reset]: String(reset) }),
  };
}
