import { advice } from "../messages/advice.ts";
import { halfCharacter, holdsHalfCharacter, isDeeper } from "../lib/parse-json.ts";
import { holds } from "../model/condition.ts";
import type { ApiRules } from "../model/contract.ts";
import type { Failure, RefusalSort, Result } from "../model/failure.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { getPointer, isObject } from "../model/json-pointer.ts";
import { writeState } from "../model/write-state.ts";
import { findNextPage, type NextPage } from "./next-page.ts";
import { type AnswerText, describePage, type Header } from "./read-text.ts";
import { orUndefined } from "../lib/or-undefined.ts";

/** An answer with a status of success. `body` is null where there is none. */
export interface ApiResponse {
  readonly status: number;
  readonly body: Json;
  readonly location: string | undefined;
  /** The count in the header that the contract names for it. */
  readonly total?: string;
  /** The page that comes next, where the contract says that an answer tells it. */
  readonly next?: NextPage;
  readonly requestId: string | undefined;
  /** The number of attempts until this answer came. */
  readonly attempts: number;
  /** Its request went under the Idempotency-Key of an earlier apply, so that it may be the answer of then. */
  readonly hasEarlierKey?: boolean;
}

/** The request that an answer comes from; links are resolved with it. */
type LocatedRequest = Pick<Failure, "method" | "path" | "attempts"> & { readonly baseUrl?: URL };
type Refused = Pick<Failure, "sort" | "message" | "code" | "fields" | "retryAfter">;

const sorts: Readonly<Record<number, RefusalSort>> = {
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

export interface RawAnswer {
  readonly status: number;
  readonly header: Header;
  readonly body: AnswerText;
}

/**
 * Reads an answer by the rules of the contract: JSON in UTF-8, bounded, errors by status and code.
 * @param mask takes secrets out of what is not shown whole.
 */
export function readAnswer(
  rules: ApiRules,
  { baseUrl, ...asked }: LocatedRequest,
  { status, header, body: read }: RawAnswer,
  mask: (text: string) => string,
): Result<ApiResponse> {
  const requestId = header(rules.answer.request_id?.header);
  const base = { ...asked, status, requestId };
  const fail = (error: Refused): Result<ApiResponse> => ({ ok: false, error: { ...base, ...error } });
  if ("tooLarge" in read) return fail({ sort: "malformed", message: read.tooLarge });
  const body = parse(read.text);
  const problem = problemOf(read.text, body, mask);
  if (status < 200 || status > 299) return fail(refusal(rules, status, header, problem ?? body ?? null));
  if (body === undefined || problem !== undefined) return fail({ sort: "malformed", message: problem ?? "" });
  const broken = brokenAnswer(status, read.isUtf8);
  if (broken !== undefined) return fail({ sort: "malformed", message: broken });
  const inside = refusalInside(rules, status, body);
  if (inside) return fail(inside);
  const location = header(rules.answer.job?.location);
  const total = header(rules.paging.total_header);
  const next = baseUrl && findNextPage(rules, { body, header }, { baseUrl, from: asked.path });
  return { ok: true, value: { status, body, location, requestId, attempts: asked.attempts, total, next } };
}

/** Returns why an answer of success must not be believed: a name that is garbled, or a part of a list, would be taken for the truth. */
function brokenAnswer(status: number, isUtf8: boolean): string | undefined {
  if (status === 206) return "the server sent only a part of the answer (status 206)";
  if (writeState(status) !== "done") return `status ${status} does not say that all was done`;
  return isUtf8 ? undefined : "the answer is not UTF-8: its texts cannot be read";
}

/**
 * Some servers answer 200 with an error in the body. It is one where the contract says so; where it says nothing of that, a code where
 * errors have one, and neither a record nor a list.
 */
function refusalInside(rules: ApiRules, status: number, body: Json): Refused | undefined {
  const { error, failed_when: condition } = rules.answer;
  const code = codeIn(rules, body);
  const words = getPointer(body, error.message);
  const message = typeof words === "string" ? words : "the answer is an error, though its status is one of success";
  if (condition) {
    // An answer without a body, such as 204, says nothing of a failure.
    if (body === null || !holds(condition, body)) return undefined;
    return { sort: sortOf(rules, code) ?? "invalid", message, code };
  }
  if (code === undefined || holdsObjects(rules, body)) return undefined;
  // Servers with numeric codes repeat the status, or write 0, in an answer of success.
  if ([0, status].includes(getPointer(body, error.code ?? "") as number) && sortOf(rules, code) === undefined)
    return undefined;
  // The meaning of the code is not known, so something may have been done.
  return { sort: sortOf(rules, code) ?? "server_error", code, message };
}

const holdsObjects = ({ answer }: ApiRules, body: Json): boolean =>
  [answer.record, answer.list].some((pointer) => (getPointer(body, pointer) ?? null) !== null);

/** @param body what came; a text where that was no JSON. */
function refusal(rules: ApiRules, status: number, header: Header, body: Json): Refused {
  const { error, rate_limit: limit } = rules.answer;
  const code = codeIn(rules, body);
  const byStatus = limit.statuses.includes(status) ? "rate_limited" : sorts[status];
  const sort = sortOf(rules, code) ?? byStatus ?? (provesNothing(status) ? "server_error" : "malformed");
  const retryAfter = sort === "rate_limited" || status === 503 ? askedWait(limit, sort, header) : undefined;
  const words = getPointer(body, error.message);
  const message = typeof words === "string" ? words : wordsFor(status, header, body);
  const fields = error.fields === undefined ? undefined : (getPointer(body, error.fields) ?? undefined);
  return { sort, message, code, fields, retryAfter };
}

/** Whether the same request may have another answer, and it is not known whether it was done. A redirect stays as it is. */
const provesNothing = (status: number) => status >= 400 && writeState(status) === "unknown";

/** The reset of a limit that is not used up asks for nothing: many servers tell it in every answer. */
function askedWait(limit: ApiRules["answer"]["rate_limit"], sort: RefusalSort | "malformed", header: Header) {
  const remaining = header(limit.remaining);
  const isUsedUp = remaining === undefined ? sort === "rate_limited" : remaining.trim() === "0";
  return header(limit.retry_after) ?? (isUsedUp ? header(limit.reset) : undefined);
}

function sortOf({ answer }: ApiRules, code: string | undefined): RefusalSort | undefined {
  const { codes = {} } = answer.error;
  return code !== undefined && Object.hasOwn(codes, code) ? codes[code] : undefined;
}

/** Returns the code of an error as a text, which a number is compared and shown as. */
function codeIn({ answer }: ApiRules, body: Json): string | undefined {
  const code = answer.error.code === undefined ? undefined : getPointer(body, answer.error.code);
  return typeof code === "string" || typeof code === "number" ? String(code) : undefined;
}

function wordsFor(status: number, header: Header, body: Json): string {
  if (status >= 300 && status < 400) {
    const to = header("location");
    return `the server redirects${to === undefined ? "" : ` to ${to}`}, which is not followed: the key goes to the base URL only; ${advice.useThatBaseUrl}`;
  }
  return typeof body === "string" && body !== "" ? body : `status ${status} without an explanation`;
}

/** Far more than any record has, and far less than what would overflow the stack of those who walk it. */
const deepest = 100;

function problemOf(text: string, body: Json | undefined, mask: (text: string) => string): string | undefined {
  if (body === undefined) return describePage(mask(text));
  if (isDeeper(text, deepest)) return `the answer is nested more than ${deepest} levels deep`;
  return holdsHalfCharacter(text, body) ? `the answer is not to be read: ${halfCharacter}` : undefined;
}

function parse(text: string): Json | undefined {
  if (text === "") return null;
  return orUndefined(() => {
    // JSON.parse defines a key `__proto__` as plain data; nothing here assigns keys from an answer.
    const body = JSON.parse(text) as Json;
    return /\d{16}/u.test(text) ? (JSON.parse(withWholeNumbers(text)) as Json) : body;
  });
}

/**
 * Returns JSON with each whole number that JavaScript cannot hold as a text: it would be rounded, and an id that ends in another digit is
 * that of another object.
 */
const withWholeNumbers = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/gsu, (token) =>
    /^-?\d{16,}$/u.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
  );

/** The one record of an answer; some servers put it into a list of one. */
export function recordIn({ answer }: ApiRules, body: Json): JsonObject | undefined {
  const found = getPointer(body, answer.record);
  const only = Array.isArray(found) && found.length === 1 ? found[0] : found;
  return isObject(only) ? only : undefined;
}

/** Says that an answer of success holds no record. */
export const noRecord = ({ answer }: ApiRules): string =>
  answer.record === "" ? "the answer is not a record" : `no record at ${answer.record} of the answer`;
