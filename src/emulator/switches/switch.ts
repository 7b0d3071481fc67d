import type { Fields } from "../fields.ts";
import type { Answer } from "../http/answer.ts";
import type { Service } from "../http/service.ts";

/** One of the service's own switches. */
export interface AdminEndpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Throws an `HttpError` for what is wrong with the body or the query. */
  readonly run: (service: Service, body: Fields, query: URLSearchParams) => Answer;
}

export const answerData = (status: number, data: unknown, message: string): Answer => ({
  status,
  headers: {},
  body: JSON.stringify({ data, message }),
});
