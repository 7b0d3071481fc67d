import { Pool } from "undici";
import type { ApiRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { JsonObject } from "../model/json.ts";
import { readAnswer, type Answer } from "./answer.ts";
import { decideRetry, type RetryDeps } from "./retry.ts";

/** A request whose parameters are filled in. `path` begins with `/`, without query. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly etag?: string | undefined;
  /** Makes a POST safe to repeat, where the contract has a header for it. */
  readonly idempotencyKey?: string;
}

export interface ConnectionOptions {
  /** Origin, and a path if there is one; https only. */
  readonly baseUrl: URL;
  readonly key: string;
  /** PEM of the certificate authority to trust beside nothing else; undefined: the system's. */
  readonly ca: string | undefined;
  readonly rules: ApiRules;
  /** Connections, and so requests under way, at most. */
  readonly parallelism: number;
  /** Milliseconds that one attempt may take. */
  readonly attemptTimeout: number;
  readonly deps: RetryDeps;
}

/** The half of a connection that cannot write: all that planning gets. */
export interface Reader {
  readonly get: (request: Omit<ApiRequest, "method" | "body" | "idempotencyKey" | "etag">) => Promise<Result<Answer>>;
}

export interface Connection extends Reader {
  readonly send: (request: ApiRequest) => Promise<Result<Answer>>;
  /** The path below the base URL that a `Location` names; undefined where it leads to another origin, where the key must not go. */
  readonly localPath: (location: string) => string | undefined;
  readonly close: () => Promise<void>;
}

/**
 * A connection to one origin. The key goes to that origin only, redirects are not followed, verification cannot be switched off.
 * Failed attempts are repeated where that is safe (`retry.ts`); what is left is a Failure.
 */
export function connect(options: ConnectionOptions): Connection {
  const { baseUrl, ca, parallelism, attemptTimeout } = options;
  const pool = new Pool(baseUrl.origin, {
    connections: parallelism,
    pipelining: 1,
    headersTimeout: attemptTimeout,
    bodyTimeout: attemptTimeout,
    connect: { timeout: Math.min(attemptTimeout, 10_000), ...(ca !== undefined && { ca }) },
  });
  const send = (request: ApiRequest) => sendWithRetries(pool, options, request);
  return {
    send,
    get: (request) => send({ ...request, method: "GET" }),
    localPath: (location) => localPath(baseUrl, location),
    close: () => pool.destroy(),
  };
}

function localPath(baseUrl: URL, location: string): string | undefined {
  const url = URL.canParse(location, baseUrl.href) ? new URL(location, baseUrl) : undefined;
  const prefix = baseUrl.pathname.replace(/\/$/u, "");
  if (url?.origin !== baseUrl.origin || !url.pathname.startsWith(`${prefix}/`)) return undefined;
  return url.pathname.slice(prefix.length) + url.search;
}

async function sendWithRetries(pool: Pool, options: ConnectionOptions, request: ApiRequest): Promise<Result<Answer>> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await sendOnce(pool, options, request, attempt);
    if (result.ok) return result;
    const wait = decideRetry(result.error, attempt, request, options.rules, options.deps);
    if (wait === undefined) return result;
    await options.deps.sleep(wait);
  }
}

async function sendOnce(
  pool: Pool,
  options: ConnectionOptions,
  request: ApiRequest,
  attempts: number,
): Promise<Result<Answer>> {
  const query = new URLSearchParams(request.query).toString();
  const path = request.path + (query === "" ? "" : `?${query}`);
  const prefix = options.baseUrl.pathname.replace(/\/$/u, "");
  try {
    const { statusCode, headers, body } = await pool.request({
      method: request.method,
      path: prefix + path,
      headers: requestHeaders(options, request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
      signal: AbortSignal.timeout(options.attemptTimeout),
    });
    return await readAnswer(options.rules, { method: request.method, path, attempts }, statusCode, headers, body);
  } catch (error) {
    return { ok: false, error: networkFailure(error, request.method, path, attempts) };
  }
}

function requestHeaders({ rules, key }: ConnectionOptions, request: ApiRequest): Record<string, string> {
  const { auth, headers, precondition, idempotency } = rules.request;
  return {
    ...headers,
    [auth.header]: `${auth.scheme} ${key}`.trim(),
    ...(precondition && request.etag !== undefined && { [precondition.header]: request.etag }),
    ...(idempotency && request.idempotencyKey !== undefined && { [idempotency.header]: request.idempotencyKey }),
  };
}

const neverSent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO/u;

function networkFailure(error: unknown, method: string, path: string, attempts: number): Failure {
  const { code: given = "", message = "" } = (error ?? {}) as { code?: string | number; message?: string };
  const code = String(given);
  const base = { method, path, attempts, cause: error, ...(code !== "" && { code }) };
  if (untrusted.test(code)) {
    return { ...base, sort: "untrusted", message: `the server's certificate is not accepted: ${message}` };
  }
  const reached = !neverSent.has(code);
  if (reached && method !== "GET")
    return { ...base, sort: "unknown_outcome", message: `no answer came back: ${message}` };
  return { ...base, sort: "unreachable", message: message || code };
}
