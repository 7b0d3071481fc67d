import type { ApiRules, AuthRules } from "../model/contract.ts";
import type { Header } from "./read-text.ts";
import type { Headers } from "./send-request.ts";

/** The parts of a request that are sent as headers. */
export interface HeaderValues {
  readonly etag?: string | undefined;
  /** Makes a POST safe to repeat, where the contract has a header for it. */
  readonly idempotencyKey?: string;
}

/** Returns a function that reads a header by its name, in upper or lower case. */
export const headerIn =
  (headers: Headers): Header =>
  (name = "") => {
    const value = headers[name.toLowerCase()];
    // Links may come in several headers; of others the first counts.
    return Array.isArray(value) ? (name.toLowerCase() === "link" ? value.join(", ") : value[0]) : value;
  };

function keyHeaders(auth: AuthRules, key: string): Record<string, string> {
  if (auth.headers === undefined) return { [auth.header]: `${auth.scheme ?? ""} ${key}`.trim() };
  const colon = key.indexOf(":");
  const [first, second] = auth.headers;
  return { [first]: key.slice(0, Math.max(colon, 0)), [second]: key.slice(colon + 1) };
}

/** Returns the headers of a request. The key is in one of them, or in two. */
export function requestHeaders(key: string, rules: ApiRules, request: HeaderValues): Record<string, string> {
  const { auth, headers, precondition, idempotency } = rules.request;
  return {
    ...headers,
    ...keyHeaders(auth, key),
    ...(precondition && request.etag !== undefined && { [precondition.header]: request.etag }),
    ...(idempotency && request.idempotencyKey !== undefined && { [idempotency.header]: request.idempotencyKey }),
  };
}
