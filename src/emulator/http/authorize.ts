import { allows, type ApiKey } from "../store/keys.ts";
import { forbidden, notFound, HttpError } from "../refusal.ts";
import type { RequestContext, Service } from "./service.ts";

/** An authorized request: its operation, the parameters of its path, and its key. */
export type Admission = ReturnType<typeof authorizeRequest>;

/** Authenticates, rate-limits, routes and authorizes a request, and records its API key and quota in `arrival`. Throws 401, 429, 404, 405 or 403. */
export function authorizeRequest(service: Service, arrival: RequestContext) {
  const key = authenticate(service, arrival);
  chargeRate(service, arrival, key);
  const { path, method } = arrival;
  const match = service.router.match(path);
  if (match === undefined) throw notFound(`path ${path}`);
  const operation = match.operations.get(method);
  if (operation === undefined) throw methodNotAllowed(arrival, match.allow);
  if (!allows(key.permissions, operation.group, method)) {
    const need = method === "GET" ? "read" : "write";
    throw forbidden(`This key has no ${need} permission for the group ${operation.group}.`);
  }
  return { operation, params: match.params, key };
}

export function methodNotAllowed({ path, method }: RequestContext, allow: string): HttpError {
  const message = `${path} does not allow ${method}; allowed methods: ${allow}.`;
  return new HttpError(405, "method_not_allowed", message, { headers: { Allow: allow } });
}

/** The key of a request. Throws 401. */
export function authenticate(service: Service, arrival: RequestContext): ApiKey {
  const header = arrival.request.headers.authorization;
  const secret = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
  const reason = header === undefined ? "there is no Authorization header" : "its key is not one of this service";
  return apiKeyOf(service, arrival, secret === undefined ? [] : [secret], `Authorization: Bearer <API_KEY>; ${reason}`);
}

/** Returns the key that one of these secrets is. Throws 401, which says what to send. */
export function apiKeyOf(
  { store }: Service,
  arrival: RequestContext,
  secrets: readonly string[],
  expected: string,
): ApiKey {
  arrival.key = secrets.map((secret) => store.keys.find(secret)).find((key) => key !== undefined);
  if (arrival.key !== undefined) return arrival.key;
  throw new HttpError(401, "invalid_key", `Send ${expected}.`, { headers: { "WWW-Authenticate": "Bearer" } });
}

/** Charges a request to its key. Throws 429. */
export function chargeRate({ limiter }: Service, arrival: RequestContext, key: ApiKey): void {
  arrival.allowance = limiter.count(key.id, arrival.started);
  const { exceeded, limit, reset } = arrival.allowance;
  if (!exceeded) return;
  throw new HttpError(429, "rate_limited", `More than ${limit} requests in a minute. Try again in ${reset} s.`, {
    headers: { "Retry-After": String(reset) },
  });
}
