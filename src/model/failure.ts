import type { Json } from "./json.ts";

/** Why a request to the API did not give what was asked for. Secrets never stand in it. */
export interface Failure {
  readonly sort:
    | "unreachable"
    | "untrusted"
    | "unauthorized"
    | "forbidden"
    | "not_found"
    | "conflict"
    | "stale"
    | "invalid"
    | "rate_limited"
    | "server_error"
    | "malformed"
    | "unknown_outcome"
    | "not_ready"
    | "unexpected";
  readonly method: string;
  /** Path and query, without the origin. */
  readonly path: string;
  readonly status?: number;
  /** The API's own code and words. */
  readonly code?: string;
  readonly message: string;
  readonly fields?: Json;
  readonly requestId?: string;
  readonly attempts: number;
  /** What the server asked to wait, as it said it. */
  readonly retryAfter?: string;
  readonly cause?: unknown;
}

export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };
