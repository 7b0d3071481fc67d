import { hash } from "node:crypto";
import { HttpError } from "../refusal.ts";
import { isDiskFull } from "../store/database.ts";

/** The response, but for the headers that every answer has. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text; undefined where there is no body. */
  readonly body: string | undefined;
  /** The delivery of the answer, if a fault changes it. */
  readonly delivery?: Delivery;
}

/** The faults of an answer on its way. */
export interface Delivery {
  /** ms. */
  readonly delayMs?: number;
  /** Laid over all others, whatever their case; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Nothing is sent (`exit`: the process dies first), or only so many `bytes` of the body. */
  readonly end?: "reset" | "hang" | "exit" | "truncate";
  readonly bytes?: number;
}

export const answerJson = (status: number, value: unknown): Answer => ({
  status,
  headers: {},
  body: JSON.stringify(value),
});

export const noContent: Answer = { status: 204, headers: {}, body: undefined };

/** A strong entity tag of a text: the same text has the same one. */
export const makeEtag = (text: string): string => `"${hash("sha1", text, "base64url")}"`;

/** A record as it is sent: with the etag of what is stored as its last field. Both are JSON texts. */
export function renderRecord(stored: string, sent = stored): { readonly text: string; readonly etag: string } {
  const etag = makeEtag(stored);
  return { text: `${sent.slice(0, -1)},"etag":${JSON.stringify(etag)}}`, etag };
}

/** `{data, message}`; `data` is JSON text. */
export const envelope = (data: string, message: string): string =>
  `{"data":${data},"message":${JSON.stringify(message)}}`;

/** The answer to an error. An error that is not an `HttpError` is a bug of this service: 500, with its text and no stack. */
export function answerError(error: unknown, requestId: string): Answer {
  const { status, code, message, errors, headers } = error instanceof HttpError ? error : unexpected(error);
  return { status, headers, body: JSON.stringify({ message, code, errors, request_id: requestId }) };
}

function unexpected(error: unknown): HttpError {
  if (isDiskFull(error)) return new HttpError(507, "insufficient_storage", "Nothing was changed: the disk is full.");
  const reason = error instanceof Error ? error.message : String(error);
  return new HttpError(500, "internal_error", `The embedded service failed, which is a bug in it: ${reason}`);
}
