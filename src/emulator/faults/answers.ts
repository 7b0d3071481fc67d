import { STATUS_CODES } from "node:http";
import type { Fields } from "../fields.ts";
import type { Answer } from "../http/answer.ts";
import { answerError } from "../http/answer-error.ts";
import { HttpError } from "../refusal.ts";
import type { Fault } from "./rule.ts";

/** An error as a fault tells it, by default with the words of its status. */
export function errorAnswer(fault: Fault, requestId: string): Answer {
  const { status = 500, retry_after, headers, body } = fault;
  const words = STATUS_CODES[status] ?? `Status ${status}`;
  const { code = words.toLowerCase().replaceAll(/\W+/g, "_"), message = `${words}.` } = fault;
  const error = answerError(new HttpError(status, code, message), requestId);
  const empty = status === 204 || status === 304;
  return {
    ...error,
    body: empty ? undefined : (body ?? error.body),
    delivery: {
      headers: { ...(retry_after === undefined ? {} : { "Retry-After": String(retry_after) }), ...headers },
    },
  };
}

/** Returns the page that stands before a service under maintenance. */
export const htmlPage = (status: number): Answer => ({
  status,
  headers: {},
  body: "<!doctype html>\n<html><head><title>Maintenance</title></head><body><h1>We will be back soon.</h1></body></html>\n",
  delivery: { headers: { "Content-Type": "text/html; charset=utf-8" } },
});

/** A success whose object is put into a list. */
export function oneInArray(answer: Answer): Answer {
  if (!isSuccess(answer) || answer.body === undefined) return answer;
  const { data, ...rest } = JSON.parse(answer.body) as Fields;
  return { ...answer, body: JSON.stringify({ data: [data], ...rest }) };
}

/** A success that tells nothing of what it made. */
export function acceptedAnswer(answer: Answer, status: number): Answer {
  return isSuccess(answer) ? { status, headers: {}, body: '{"data":null,"message":"Accepted."}' } : answer;
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;
