import type { ApiRules } from "../model/contract.ts";
import type { Failure, Result } from "../model/failure.ts";
import type { Json } from "../model/json.ts";
import { getPointer } from "../model/json-pointer.ts";

/** An answer with a status of success. `body` is null where there is none. */
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly location: string | undefined;
  readonly requestId: string | undefined;
  /** How often it was asked until this answer came. */
  readonly attempts: number;
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly attempts: number;
}
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Larger answers are refused: 64 MiB holds a hundred full pages. */
const maxBytes = 64 * 1024 * 1024;

const sorts: Readonly<Record<number, Failure["sort"]>> = {
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  412: "stale",
  400: "invalid",
  413: "invalid",
  415: "invalid",
  422: "invalid",
};

/** Reads an answer as the contract has it: JSON in UTF-8, bounded, errors by status. */
export async function readAnswer(
  rules: ApiRules,
  asked: Asked,
  status: number,
  headers: Headers,
  stream: AsyncIterable<Uint8Array>,
): Promise<Result<Answer>> {
  const header = (name: string | undefined) => (name === undefined ? undefined : single(headers[name.toLowerCase()]));
  const requestId = header(rules.answer.request_id?.header);
  const base = { ...asked, status, ...(requestId !== undefined && { requestId }) };
  const text = await readText(stream);
  if (text === undefined)
    return { ok: false, error: { ...base, sort: "malformed", message: `the answer is larger than ${maxBytes} bytes` } };
  const body = parse(text);
  if (status >= 200 && status < 300) {
    if (body === undefined)
      return { ok: false, error: { ...base, sort: "malformed", message: "the answer is not JSON" } };
    const failure = failureInside(rules, body);
    if (failure !== undefined) return { ok: false, error: { ...base, sort: "malformed", ...failure } };
    const location = header(rules.answer.job?.location);
    return { ok: true, value: { status, body, location, requestId, attempts: asked.attempts } };
  }
  const limit = rules.answer.rate_limit;
  const limited = limit.statuses.includes(status);
  const retryAfter = limited || status === 503 ? (header(limit.retry_after) ?? header(limit.reset)) : undefined;
  const sort = limited ? "rate_limited" : (sorts[status] ?? (status >= 500 ? "server_error" : "malformed"));
  return {
    ok: false,
    error: { ...base, sort, ...describe(rules, body ?? null, status), ...(retryAfter !== undefined && { retryAfter }) },
  };
}

/** Some servers answer 200 with an error in the body: a code where errors have one, and no record. */
function failureInside(rules: ApiRules, body: Json): Pick<Failure, "message" | "code"> | undefined {
  const code = rules.answer.error.code === undefined ? undefined : getPointer(body, rules.answer.error.code);
  const record = getPointer(body, rules.answer.record);
  if (typeof code !== "string" || (record !== undefined && record !== null)) return undefined;
  const words = getPointer(body, rules.answer.error.message);
  return {
    code,
    message: typeof words === "string" ? words : "the answer is an error, though its status is one of success",
  };
}

function describe(rules: ApiRules, body: Json, status: number): Pick<Failure, "message" | "code" | "fields"> {
  const { message, code, fields } = rules.answer.error;
  const words = getPointer(body, message);
  const stable = code === undefined ? undefined : getPointer(body, code);
  const invalid = fields === undefined ? undefined : getPointer(body, fields);
  const redirect = status >= 300 && status < 400 ? "the server redirects, which is not followed" : undefined;
  return {
    message: typeof words === "string" ? words : (redirect ?? `status ${status} without an explanation`),
    ...(typeof stable === "string" && { code: stable }),
    ...(invalid !== undefined && invalid !== null && { fields: invalid }),
  };
}

const single = (value: string | string[] | undefined) => (Array.isArray(value) ? value[0] : value);

async function readText(stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parse(text: string): Json | undefined {
  if (text === "") return null;
  try {
    // JSON.parse defines a key `__proto__` as plain data; nothing here assigns keys from an answer.
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
