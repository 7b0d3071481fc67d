import { STATUS_CODES } from "node:http";
import { answerJson, answerError, type Answer, type Delivery } from "../http/answer.ts";
import type { Operation } from "../document/router.ts";
import type { Context } from "../kinds/kind.ts";
import type { Fields } from "../fields.ts";
import { HttpError } from "../refusal.ts";
import { clampTtl, deleteSiblings, lastOfPageAgain, newIdOnUpdate, shortTotal, skipOne } from "./contexts.ts";
import type { Fault, FaultName, When } from "./rule.ts";

/** The effect of a fault on a request. An empty effect changes nothing. */
export interface Effect {
  /** Tells whether the fault can happen to an operation; default: to every operation. */
  readonly appliesTo?: (operation: Operation) => boolean;
  /** Returns the answer that is sent instead of carrying the request out. */
  readonly instead?: (requestId: string) => Answer;
  /** Changes the context that the request works with; `id` is the identifier in its path. */
  readonly context?: (context: Context, id: string | undefined) => Context;
  /** The time for which reads return the state from before the write, in ms. */
  readonly hideMs?: number;
  /** Changes the answer after the commit, also the answer of an error. */
  readonly answer?: (answer: Answer, requestId: string) => Answer;
}

const isList = ({ id }: Operation): boolean => id.startsWith("list");
/** A DELETE answers 204, without a body. */
const hasBody = ({ method }: Operation): boolean => method !== "DELETE";

/** The updates of objects that others refer to by their identifiers, or that have none, are left out. */
const mayChangeId = /^update(?!(?:Service|Domain|DnsZone|Dnssec|MailSettings|Database)$)/u;

export const effects: Readonly<Record<FaultName, (fault: Fault) => Effect>> = {
  status: (fault) =>
    fault.committed ? { answer: (_, id) => errorAnswer(fault, id) } : { instead: (id) => errorAnswer(fault, id) },
  error_in_200: (fault) => ({ instead: (id) => errorAnswer({ ...fault, status: 200 }, id) }),
  html_page: ({ html_page = 200 }) => ({ instead: () => htmlPage(html_page) }),
  delay_ms: ({ delay_ms = 0 }) => ({ answer: delivered({ delayMs: delay_ms }) }),
  reset: ({ reset }) => ended("reset", reset),
  hang: ({ hang }) => ended("hang", hang),
  exit: ({ exit }) => ended("exit", exit),
  truncate: ({ truncate = 0 }) => ({ appliesTo: hasBody, answer: delivered({ end: "truncate", bytes: truncate }) }),
  malformed_json: () => ({ appliesTo: hasBody, answer: (answer) => ({ ...answer, body: answer.body?.slice(0, -1) }) }),
  content_type: ({ content_type = "" }) => ({
    appliesTo: hasBody,
    answer: delivered({ headers: { "Content-Type": content_type } }),
  }),
  one_in_array: () => ({ appliesTo: (operation) => hasBody(operation) && !isList(operation), answer: oneInArray }),
  accepted_without_object: ({ accepted_without_object = 202 }) => ({
    appliesTo: ({ id }) => id.startsWith("create"),
    answer: (answer) =>
      isSuccess(answer) ? answerJson(accepted_without_object, { data: null, message: "Accepted." }) : answer,
  }),
  duplicate_page: () => ({ appliesTo: isList, context: lastOfPageAgain }),
  shift_page: () => ({ appliesTo: isList, context: skipOne }),
  short_total: ({ short_total = 1 }) => ({ appliesTo: isList, context: shortTotal(short_total) }),
  stale_reads_ms: ({ stale_reads_ms = 0 }) => ({ appliesTo: ({ method }) => method !== "GET", hideMs: stale_reads_ms }),
  new_id_on_update: () => ({ appliesTo: ({ id }) => mayChangeId.test(id), context: newIdOnUpdate }),
  clamp_ttl: ({ clamp_ttl = 0 }) => ({
    appliesTo: ({ id }) => id === "createDnsRecord" || id === "updateDnsRecord",
    context: (context) => clampTtl(context, clamp_ttl),
  }),
  delete_siblings: () => ({ appliesTo: ({ id }) => id === "deleteDnsRecord", context: deleteSiblings }),
};

export const isFaultName = (name: string): name is FaultName => Object.hasOwn(effects, name);

export function faultNameOf(fault: Fault): FaultName {
  const name = Object.keys(fault).find(isFaultName);
  if (name === undefined) throw new Error("A fault without a name has passed its check.");
  return name;
}

const delivered =
  (delivery: Delivery) =>
  (answer: Answer): Answer => ({ ...answer, delivery });

/** The status 0 says in the log that no answer was made. */
function ended(end: "reset" | "hang" | "exit", when: When | undefined): Effect {
  return when === "before"
    ? { instead: () => ({ status: 0, headers: {}, body: undefined, delivery: { end } }) }
    : { answer: delivered({ end }) };
}

/** An error as a fault tells it, by default with the words of its status. */
function errorAnswer(fault: Fault, requestId: string): Answer {
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
const htmlPage = (status: number): Answer => ({
  status,
  headers: {},
  body: "<!doctype html>\n<html><head><title>Maintenance</title></head><body><h1>We will be back soon.</h1></body></html>\n",
  delivery: { headers: { "Content-Type": "text/html; charset=utf-8" } },
});

/** A success whose object is put into a list. */
function oneInArray(answer: Answer): Answer {
  if (!isSuccess(answer) || answer.body === undefined) return answer;
  const { data, ...rest } = JSON.parse(answer.body) as Fields;
  return { ...answer, body: JSON.stringify({ data: [data], ...rest }) };
}

const isSuccess = ({ status }: Answer): boolean => status >= 200 && status < 300;
