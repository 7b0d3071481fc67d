import { HttpError } from "../refusal.ts";
import { isDiskFull } from "../store/database.ts";
import type { Answer } from "./answer.ts";

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
