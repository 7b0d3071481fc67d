import type { Failure } from "../model/failure.ts";

/** A failure in one line: what was asked, what came back, and in brackets what tells it from others. Not escaped. */
export function describeFailure(failure: Failure): string {
  const trace = traceOf(failure);
  return `${failure.method} ${failure.path}: ${causeOf(failure)}${trace === "" ? "" : ` (${trace})`}`;
}

/** Returns the outcome in the API's own words: status, code, message. */
export function causeOf({ status, sort, code, message }: Failure): string {
  const outcome = status === undefined ? sort.replaceAll("_", " ") : String(status);
  return `${outcome}${code === undefined ? "" : ` ${code}`}: ${message.replace(/\.$/u, "")}`;
}

/** Returns the number of attempts, and the id by which the vendor finds the request; empty for one attempt without an id. */
export function traceOf({ attempts, requestId }: Failure): string {
  return [
    ...(attempts > 1 ? [`${attempts} attempts`] : []),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ].join(", ");
}
