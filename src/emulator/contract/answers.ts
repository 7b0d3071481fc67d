import { isFields, type Fields } from "../fields.ts";
import type { Answer } from "../http/answer.ts";
import { textOf } from "./account.ts";
import type { AnswerEntry, Contract } from "./contract.ts";
import { putAt } from "./json.ts";

/** Puts an error of the service's own form into that of the contract; other answers stay. */
export function encodeError(rules: AnswerEntry, answer: Answer): Answer {
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
  try {
    const value: unknown = JSON.parse(body ?? "");
    return isFields(value) && "request_id" in value ? value : undefined;
  } catch {
    return undefined;
  }
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
export function encodeSuccess({ failed_when: failed }: AnswerEntry, answer: Answer): Answer {
  if (failed === undefined || answer.body === undefined || answer.status >= 300) return answer;
  const [value] = failed.equals;
  const other = typeof value === "boolean" ? !value : value === null || value === undefined ? "ok" : undefined;
  if (other === undefined) return answer;
  return { ...answer, body: JSON.stringify(putAt(JSON.parse(answer.body), failed.pointer, other)) };
}

/** Returns the headers that every answer of the contract's API has. */
export function commonHeaders(
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
