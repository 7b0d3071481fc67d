import { setImmediate as nextTurn } from "node:timers/promises";
import type { Pool } from "undici";
import type { Attempt, Pause, Wait } from "../model/attempt.ts";
import type { ApiRules } from "../model/contract.ts";
import { type Failure, isUnsettled, mayBeDone, type Result } from "../model/failure.ts";
import type { Json } from "../model/json.ts";
import { type ApiResponse, readAnswer } from "./response.ts";
import { makeRequestQueue, type RequestQueue } from "./request-queue.ts";
import type { SharedPace } from "./shared-pace.ts";
import { orElse } from "../lib/or-undefined.ts";
import { openPool } from "./open-pool.ts";
import { networkFailure } from "./network-failure.ts";
import { localPath } from "./next-page.ts";
import {
  pauseForAll,
  type Quota,
  readQuota,
  trackThrottling,
  decideRetry,
  mayRepeat,
  type RetryDeps,
} from "./retry.ts";
import { headerIn, type HeaderValues, requestHeaders, sendRequest } from "./send-request.ts";

/** A request whose parameters are filled in. `path` begins with `/`, without query. */
export interface ApiRequest extends HeaderValues {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Json;
  /** True if the operation must never run twice. Such a request is not retried if it may have been processed, even if it has an idempotency key. */
  readonly once?: boolean;
  /** The rules for its answer, where its kind has its own. Default: the connection's. */
  readonly rules?: ApiRules;
  /** Called when the request is sent for the first time: until then it waits for its turn. */
  readonly onSent?: (() => void) | undefined;
  /** True for what goes on with a list: it is sent before what begins another, so that lists are whole one after the other, and read meanwhile. */
  readonly goesOn?: boolean;
  /** True for what completes an exchange that was begun: it is sent, and waits, also after the run was stopped. */
  readonly finish?: boolean;
}

export interface ConnectionOptions {
  /** Origin, and a path if there is one; https only. */
  readonly baseUrl: URL;
  readonly key: string;
  /** PEM of the certificate authority to trust beside nothing else; undefined: the system's. */
  readonly ca: string | undefined;
  readonly rules: ApiRules;
  /** Connections, and so requests under way, at most; fewer while the server cannot keep up. */
  readonly parallelism: number;
  /** Milliseconds that one attempt may take. */
  readonly attemptTimeout: number;
  readonly deps: RetryDeps;
  /** Aborted once the run is to end: from then on no write goes out, and nothing waits. Default: never. */
  readonly stop?: AbortSignal;
  /** Whether it knows GET only, and throws an Error where anything else is to be sent. Default: false. */
  readonly readsOnly?: boolean | undefined;
  /** Asked before each attempt at a write: whether it may be started. Default: always. */
  readonly mayWrite?: (() => boolean) | undefined;
  /** The pace that others who send to this origin share. Default: this connection's own alone. */
  readonly pace?: SharedPace | undefined;
  /** Takes secrets out of what the server says, where only a part of it is reported. */
  readonly mask?: ((text: string) => string) | undefined;
  readonly onWait?: ((wait: Wait) => void) | undefined;
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** The half of a connection that cannot write: all that planning gets. */
export interface Reader {
  readonly get: (
    request: Omit<ApiRequest, "method" | "body" | "idempotencyKey" | "etag" | "once">,
  ) => Promise<Result<ApiResponse>>;
  /** The most objects that one page has held, by the path of the list without its parameters. Without it, nothing is known of pages. */
  readonly fullest?: Map<string, number>;
}

export interface Connection extends Reader {
  readonly send: (request: ApiRequest) => Promise<Result<ApiResponse>>;
  /** The path below the base URL that a `Location` names; undefined where it leads to another origin, where the key must not go. */
  readonly localPath: (location: string) => string | undefined;
  readonly stop: AbortSignal;
  readonly close: () => Promise<void>;
}

/**
 * A connection to one origin. The key goes to that origin only, redirects are not followed, verification cannot be switched off.
 * Failed attempts are repeated where that is safe (`retry.ts`), no faster than the server allows (`request-queue.ts`); what is left is a Failure.
 */
export function connect(options: ConnectionOptions): Connection {
  const { baseUrl, ca, parallelism, attemptTimeout, deps, readsOnly = false } = options;
  const { stop = new AbortController().signal } = options;
  const pool = openPool(baseUrl.origin, parallelism, attemptTimeout, ca);
  const line: Line = {
    ...options,
    stop,
    pool,
    prefix: baseUrl.pathname.replace(/\/$/u, ""),
    queue: makeRequestQueue(parallelism, deps, stop),
    throttling: trackThrottling(),
  };
  return {
    send: readsOnly ? refuseToSend : (request) => sendWithRetries(line, request),
    get: (request) => sendWithRetries(line, { ...request, method: "GET" }),
    fullest: new Map(),
    localPath: (location) => localPath(baseUrl, location),
    stop,
    close: () => pool.destroy(),
  };
}

const refuseToSend: Connection["send"] = async ({ method, path }) => {
  throw new Error(`${method} ${path} is not sent: this process only reads`);
};

interface Line extends ConnectionOptions {
  readonly stop: AbortSignal;
  readonly pool: Pool;
  /** The path of the base URL, without a slash at its end. */
  readonly prefix: string;
  readonly queue: RequestQueue;
  readonly throttling: ReturnType<typeof trackThrottling>;
}

/** A pace that fails holds nothing up. */
const unpaced = () => undefined;

async function sendWithRetries(line: Line, request: ApiRequest): Promise<Result<ApiResponse>> {
  const { queue, deps, mayWrite = () => true } = line;
  const { method, finish = false, rules = line.rules } = request;
  const asked = { method, path: pathOf(request) };
  const isWrite = method !== "GET";
  const stop = finish ? never : line.stop;
  let started: number | undefined;
  let last: Failure | undefined;
  let earlierMayBeDone = false;
  for (let attempts = 1; ; attempts += 1) {
    const isWanted = last === undefined || !stop.aborted;
    const ticket = isWanted
      ? await queue.enter({ write: isWrite, again: attempts > 1 || request.goesOn === true, finish })
      : undefined;
    if (ticket) await orElse(() => line.pace?.take(stop), unpaced);
    const isHeldBack = ticket !== undefined && isWrite && (stop.aborted || !mayWrite());
    if (isHeldBack) queue.leave(ticket, { refused: false });
    if (!ticket || isHeldBack) return { ok: false, error: stoppedBefore(asked, last) };
    const began = deps.now();
    if (started === undefined) request.onSent?.();
    started ??= began;
    const { result, quota } = await sendOnce(line, request, { ...asked, attempts });
    reportAttempt(line, { ...asked, attempt: attempts, milliseconds: deps.now() - began }, result);
    const since = line.throttling(result, began);
    const tried = { attempts, elapsed: deps.now() - Math.min(started, since ?? started) };
    const wait = result.ok ? undefined : decideRetry(result.error, tried, mayRepeat(request, rules), deps);
    const pause = pauseForAll(result, wait, quota, deps.now());
    reportWait(line, asked, pause);
    const shown = { refused: !result.ok && result.error.sort === "rate_limited", remaining: quota.remaining };
    queue.leave(ticket, { ...shown, pause: pause?.milliseconds });
    const after = pause?.milliseconds ?? quota.reset;
    if (result.ok || result.error.status !== undefined)
      void orElse(() => line.pace?.learned({ ...shown, after }), unpaced);
    // The next request goes out before this answer is dealt with, since the server would wait for it meanwhile.
    if (result.ok) {
      await nextTurn();
      return result;
    }
    last = earlierMayBeDone ? { ...result.error, earlierMayBeDone } : result.error;
    if (wait === undefined) return { ok: false, error: last };
    earlierMayBeDone ||= mayBeDone(last);
    if (pause === undefined) await deps.sleep(wait, stop);
  }
}

const never = new AbortController().signal;

/** Milliseconds. Shorter pauses are not reported. */
const shortestReported = 2_000;

function reportWait({ queue, stop, onWait }: Line, asked: Asked, pause: Pause | undefined): void {
  if (!pause || pause.milliseconds < shortestReported || queue.isPaused() || stop.aborted) return;
  onWait?.({ ...pause, ...asked });
}

/** A request as it is reported: `path` has its query. */
type Asked = Pick<Failure, "method" | "path">;

/** An attempt as it was made, without what came of it. */
type Made = Pick<Attempt, "method" | "path" | "attempt" | "milliseconds">;

function reportAttempt({ onAttempt }: Line, made: Made, result: Result<ApiResponse>): void {
  const { status, requestId } = result.ok ? result.value : result.error;
  const outcome = status ?? (result.ok ? "" : result.error.sort);
  // The words of a refusal's body are reported where the request failed, not at every attempt.
  const why = result.ok || result.error.cause === undefined ? {} : { why: result.error.message };
  onAttempt?.({ ...made, outcome, ...why, requestId });
}

/** Returns the path of a request with its query. */
export function pathOf({ path, query = {} }: Pick<ApiRequest, "path" | "query">): string {
  // Most writes have none, and to build one takes longer than the rest of a line of text.
  return Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query).toString()}`;
}

async function sendOnce(
  line: Line,
  request: ApiRequest,
  asked: Asked & Pick<Failure, "attempts">,
): Promise<{ readonly result: Result<ApiResponse>; readonly quota: Quota }> {
  const { pool, baseUrl, prefix, attemptTimeout, mask = (text) => text } = line;
  const { rules = line.rules } = request;
  let begun: Pick<Failure, "status" | "requestId"> | undefined;
  let isSent = false;
  try {
    const sent = {
      method: asked.method,
      path: prefix + asked.path,
      headers: requestHeaders(line.key, rules, request),
      body: request.body === undefined ? null : JSON.stringify(request.body),
    };
    const { status, headers, body } = await sendRequest(pool, sent, attemptTimeout, {
      onStart: () => (isSent = true),
      onHead: (head) => {
        begun = { status: head.status, requestId: headerIn(head.headers)(rules.answer.request_id?.header) };
      },
    });
    const header = headerIn(headers);
    const result = readAnswer(rules, { ...asked, baseUrl }, { status, header, body }, mask);
    return { result, quota: readQuota(rules, header, line.deps.now()) };
  } catch (error) {
    const failure: Failure = networkFailure(error, { ...asked, ...begun, isSent }, baseUrl.host, attemptTimeout);
    return { result: { ok: false, error: failure }, quota: {} };
  }
}

/**
 * The outcome of a request that waited when the run was stopped: of a write its last answer, which tells whether it may be done; else
 * that it was not sent. `path` has its query.
 */
export function stoppedBefore(asked: Asked, last: Failure | undefined): Failure {
  if (!last || asked.method === "GET") {
    const message = "the run was stopped before it was sent";
    return { ...asked, sort: "interrupted", message, attempts: last?.attempts ?? 0 };
  }
  const state = isUnsettled(last) ? "" : "it was not done, and ";
  const words = last.message.replace(/\.$/u, "");
  return { ...last, message: `${words}; ${state}the run was stopped before it was sent again` };
}

/** Wraps a reader so that pending reads end as soon as the run is stopped. For reads that only decide what to send next. */
export function untilStopped({ get, stop }: Pick<Connection, "get" | "stop">): Reader {
  const stopped = new Promise<undefined>((resolve) => {
    stop.addEventListener("abort", () => resolve(undefined), { once: true });
  });
  return {
    get: async (request) => {
      const answer = stop.aborted ? undefined : await Promise.race([get(request), stopped]);
      return answer ?? { ok: false, error: stoppedBefore({ method: "GET", path: request.path }, undefined) };
    },
  };
}
