import type { Address } from "./address.ts";
import type { Json } from "./json.ts";
import { writeState } from "./write-state.ts";

/** The sort of an API's refusal, known by a status, or by a code of its own where the contract gives its meaning. */
export type RefusalSort =
  | "unauthorized"
  | "forbidden"
  | "not_found"
  | "conflict"
  | "stale"
  | "invalid"
  | "rate_limited"
  | "server_error";

/** Why a request to the API did not give what was asked for. Secrets never stand in it. */
export interface Failure {
  readonly sort:
    | RefusalSort
    | "unreachable"
    | "untrusted"
    | "malformed"
    | "unknown_outcome"
    | "not_ready"
    | "unrecorded"
    /** The run was stopped while it waited: it was not sent. */
    | "interrupted"
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
  /** The wait that the server asked for, as it said it. */
  readonly retryAfter?: string;
  /** Waiting does not help: a name that does not resolve, a port that does not speak TLS. */
  readonly lasting?: true;
  /** An attempt before this one may have been carried out. */
  readonly earlierMayBeDone?: true;
  /** The server has accepted it, and says since that it was not done and will not be. */
  readonly givenUp?: true;
  /** The address that the server gives the object that it made, where that is not the one asked for. */
  readonly otherName?: Address;
  /** The way in which the refused key was sent, where a contract that is not built in says so. */
  readonly keySent?: string;
  readonly cause?: unknown;
}

export type Result<T, E = Failure> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E };

/** Whether every further request to this API fails the same way. */
export const isHopeless = ({ sort }: Pick<Failure, "sort">): boolean =>
  sort === "unreachable" || sort === "untrusted" || sort === "unauthorized" || sort === "unrecorded";

/** Whether a read may be refused because of the key: not every API answers 401. */
export const mayRefuseKey = ({ sort, status }: Failure): boolean =>
  sort === "unauthorized" || sort === "forbidden" || (sort === "invalid" && status === 400);

/** Returns the failure of a read that gave no usable answer, or not the awaited one. */
export const failedRead = (sort: Failure["sort"], path: string, message: string): { ok: false; error: Failure } => ({
  ok: false,
  error: { sort, method: "GET", path, message, attempts: 1 },
});

/** Whether the server may have done what was asked, or may do it yet: it answered nothing, nothing legible, or what proves nothing. */
export function mayBeDone({ sort, status }: Failure): boolean {
  if (sort === "malformed") return status !== undefined && writeState(status) !== "not_done";
  return sort === "unknown_outcome" || sort === "server_error";
}

/** Whether a write was refused because its object is another than the planned one. A read that is refused so says nothing of the write. */
export const isStaleWrite = ({ sort, method }: Failure): boolean => sort === "stale" && method !== "GET";

/** Whether it may be done by this attempt, or by an earlier one. */
export const isUnsettled = (failure: Failure): boolean => mayBeDone(failure) || failure.earlierMayBeDone === true;
