import type { Answer, Delivery } from "../http/answer.ts";
import { acceptedAnswer, errorAnswer, htmlPage, oneInArray } from "./answers.ts";
import { clampTtl, deleteSiblings, lastOfPageAgain, newIdOnUpdate, shortTotal, skipOne } from "./contexts.ts";
import { hasBody, isCreateOperation, isList, isWrite, type Effect } from "./effect.ts";
import type { Fault, FaultName, When } from "./rule.ts";

/** Nothing refers to these by their identifier, so that it may change. */
const referredToByNone = new Set([
  "updateDnsRecord",
  "updateMailbox",
  "updateMailAlias",
  "updateFtpAccount",
  "updateDatabaseUser",
  "updateCron",
]);

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
    appliesTo: isCreateOperation,
    answer: (answer) => acceptedAnswer(answer, accepted_without_object),
  }),
  duplicate_page: () => ({ appliesTo: isList, context: lastOfPageAgain }),
  shift_page: () => ({ appliesTo: isList, context: skipOne }),
  short_total: ({ short_total = 1 }) => ({ appliesTo: isList, context: (context) => shortTotal(context, short_total) }),
  stale_reads_ms: ({ stale_reads_ms = 0 }) => ({ appliesTo: isWrite, hideMs: stale_reads_ms }),
  new_id_on_update: () => ({ appliesTo: ({ id }) => referredToByNone.has(id), context: newIdOnUpdate }),
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
