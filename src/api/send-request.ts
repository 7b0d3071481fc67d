import type { Dispatcher, Pool } from "undici";
import { type AnswerText, collectText, type Header } from "./read-text.ts";
import type { ApiRules, AuthRules } from "../model/contract.ts";

/** By their names in lower case. */
export type Headers = Readonly<Record<string, string | string[] | undefined>>;

interface Head {
  readonly status: number;
  readonly headers: Headers;
}

interface Progress {
  /** Called when the request begins to be written to a connection. */
  readonly onStart: () => void;
  readonly onHead: (head: Head) => void;
}

/**
 * Sends a request and reads its answer to the end, or as far as answers are read. Rejects with undici's error, with what `onHead` throws,
 * or after `timeout` milliseconds with a TimeoutError. undici's own functions for that make a stream of each answer, which was a tenth
 * of the CPU time of an apply.
 */
export function sendRequest(
  pool: Pool,
  request: Dispatcher.DispatchOptions,
  timeout: number,
  { onStart, onHead }: Progress,
): Promise<Head & { readonly body: AnswerText }> {
  return new Promise((resolve, reject) => {
    let head: Head = { status: 0, headers: {} };
    let text = collectText(undefined);
    let running: Dispatcher.DispatchController | undefined;
    let late: Error | undefined;
    const timer = setTimeout(() => {
      late = new DOMException("The operation was aborted due to timeout", "TimeoutError");
      running?.abort(late);
    }, timeout);
    timer.unref();
    const finish = () => {
      clearTimeout(timer);
      resolve({ ...head, body: text.end() });
    };
    pool.dispatch(request, {
      onRequestStart: (controller) => {
        running = controller;
        onStart();
        // It has waited for its connection for that long.
        if (late) controller.abort(late);
      },
      onResponseStart: (_controller, status, headers) => {
        // Before the answer, servers may say that they are at work.
        if (status < 200) return;
        head = { status, headers };
        const { "content-length": length } = headers;
        text = collectText(typeof length === "string" ? length : undefined);
        onHead(head);
      },
      onResponseData: (controller, chunk) => {
        if (text.add(chunk)) return;
        finish();
        controller.abort(new Error("The answer is too large"));
      },
      onResponseEnd: finish,
      onResponseError: (_controller, error) => {
        clearTimeout(timer);
        reject(error);
      },
    });
  });
}

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
