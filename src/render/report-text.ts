import { causeOf, describeFailure, traceOf } from "../api/network-failure.ts";
import { doneText } from "../engine/session/done-text.ts";
import type { Failure } from "../model/failure.ts";
import type { Step } from "../model/plan.ts";
import {
  type Mismatch,
  type Outcome,
  type PutBack,
  type Report,
  type Requests,
  type SentAfterRequest,
} from "../model/report.ts";
import { escapeControls } from "../lib/escape.ts";
import { harmless, counted } from "../lib/shorten.ts";
import { printable, type Page, paint } from "./layout.ts";
import { whatNext } from "./what-next.ts";
import { groupByCause, listSome, positionText } from "./shared-cause.ts";

export const doneWords = { create: "created", update: "updated", delete: "deleted", renew: "renewed" } as const;

const runningWords = { create: "creating", update: "updating", delete: "deleting", renew: "renewing" } as const;

/** One line while a step takes long. */
export function renderStepRunning(step: Step, milliseconds: number): string {
  return `still ${runningWords[step.action]}  ${harmless(step.address)} after ${Math.round(milliseconds / 1000)} s`;
}

export function renderStepEnd(step: Step, outcome: Outcome, milliseconds: number, page: Page): string {
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`;
  const address = harmless(step.address);
  if (outcome.is === "not_attempted") return `${paint(page, "yellow", "not attempted")}  ${address}`;
  if (outcome.is !== "done") return `${paint(page, "red", "failed")}  ${address} after ${seconds}`;
  const pending =
    outcome.external === undefined ? "" : paint(page, "yellow", ` (pending: ${printable(page, outcome.external)})`);
  const [word, there] = outcome.adopted ? ["adopted", " (it was already there)"] : [doneWords[step.action], ""];
  return `${paint(page, "green", word)}  ${address} after ${seconds}${there}${pending}`;
}

/** A step with an outcome of one sort. */
interface Ended<Is extends Outcome["is"]> {
  readonly step: Step;
  readonly outcome: Extract<Outcome, { is: Is }>;
}
type FailedStep = Ended<"failed">;

/** Returns the steps of a report that ended in one way. */
const endedAs = <Is extends Outcome["is"]>({ outcomes }: Report, is: Is) =>
  outcomes.filter((each): each is Ended<Is> => each.outcome.is === is);

/** The end of an apply: what was done, what failed and in whose words, what it blocked, and what was not attempted. */
export function renderReport(report: Report, page: Page): string {
  const yellow = (word: string, text: string) => `${paint(page, "yellow", word)}  ${text}`;
  const lines = [
    ...groupByCause(endedAs(report, "failed"), tellFailed).flatMap((group) => renderFailed(group, page)),
    ...endedAs(report, "blocked").map(({ step, outcome }) =>
      yellow("blocked", `${nameOf(step)} by ${harmless(outcome.by)}`),
    ),
    ...endedAs(report, "not_attempted").flatMap(({ step, outcome }) => [
      yellow("not attempted", nameOf(step)),
      ...indented(doneBefore(step, outcome)),
    ]),
    ...(report.putBacks ?? []).flatMap((each) => renderPutBack(each, page)),
    ...endedAs(report, "done").flatMap(({ step, outcome: { external } }) =>
      external === undefined ? [] : yellow("pending", printable(page, `${step.address}: ${external}`)),
    ),
    ...(report.afterRequests ?? []).flatMap((each) => renderAfterRequest(each, page)),
    paint(page, "bold", sumsOfReport(report)),
    renderRequests(report.requests),
    ...report.mismatches.flatMap((each) => renderMismatch(each, page)),
  ];
  return `${lines.join("\n")}\n`;
}

const indented = (lines: readonly string[]) => lines.map((line) => `    ${line}`);

/** The failure of the request that makes the API use what was written to a collection. */
export function renderAfterRequest({ collection, failure }: SentAfterRequest, page: Page): string[] {
  if (!failure) return [];
  return [
    `${paint(page, "red", "failed")}  the request that follows the changes to ${harmless(collection)}`,
    ...indented(renderFailure(failure, page)),
  ];
}

/** Returns the sums of an apply as a sentence, and what to do about the steps that are not done. */
export function sumsOfReport(report: Report): string {
  const isDone = report.outcomes.every(({ outcome }) => outcome.is === "done");
  return `${titleOfReport(report)}.${isDone ? "" : ` ${whatNext(endedAs(report, "failed"))}.`}`;
}

/** Returns the sums of an apply, without a full stop. */
export function titleOfReport(report: Report): string {
  const { outcomes, afterRequests = [], interrupted, lockLost, milliseconds } = report;
  const sums = `${doneText(report)} in ${(milliseconds / 1000).toFixed(1)} s`;
  const isDone = outcomes.every(({ outcome }) => outcome.is === "done");
  const unused = afterRequests.filter(({ failure }) => failure !== undefined).length;
  const of = (is: Outcome["is"]) => endedAs(report, is).length;
  const others = `${of("failed")} failed, ${of("blocked")} blocked, ${of("not_attempted")} not attempted`;
  const rest = unused === 0 ? "" : `; ${counted(unused, "request")} after the changes failed`;
  const stopped = lockLost === undefined ? "Interrupted" : "Stopped, because the lock was lost";
  const ended = isDone && unused === 0 ? "Applied" : "Applied in part";
  return `${interrupted ? stopped : ended}: ${sums}${isDone ? rest : `; ${others}`}`;
}

export function renderRequests({ writes, repeated, reads, polls }: Requests): string {
  const repeats = repeated === 0 ? "" : `, ${repeated} repeated`;
  const waits = polls === 0 ? "" : `, ${counted(polls, "poll")}`;
  return `${counted(writes, "write")}${repeats}; ${counted(reads, "read")}${waits}.`;
}

/** Renders a finding of the check that an apply makes of itself. */
export function renderMismatch({ address, planned, sent }: Mismatch, page: Page): string[] {
  const what =
    address === undefined
      ? "Hostform sent requests that belong to no step"
      : `${address} sent requests that are not in the plan`;
  return [
    paint(page, "red", harmless(`A bug in Hostform, please report it: ${what}.`)),
    `    planned: ${listed(planned)}`,
    `    sent:    ${listed(sent)}`,
  ];
}

const listed = (writes: readonly string[]) => (writes.length === 0 ? "nothing" : harmless(writes.join(", ")));

/** The end of an object that was deleted to make room for another, in a line; and the request to be sent by hand if it is not there. */
export function renderPutBack({ address, by, method, path, outcome }: PutBack, page: Page): string[] {
  const what = harmless(`${address}, which was deleted for ${by.replace(/^\w+ (?=\w+\/)/u, "")}`);
  if (outcome.is === "put_back") return [`${paint(page, "yellow", "put back")}  ${what}`];
  const byHand = `${method} ${path} ${JSON.stringify(outcome.record)}`;
  const next = outcome.later
    ? `The next apply checks again, and puts it back unless another resource is in its place. To create it by hand: ${byHand}`
    : `Create it by hand: ${byHand}`;
  return [
    `${paint(page, "red", "not put back")}  ${what}`,
    ...indented([...renderFailure(outcome.failure, page), escapeControls(next)]),
  ];
}

const nameOf = ({ address, at }: Step) => `${harmless(address)}${positionText(at)}`;

const tellFailed = ({ step, outcome }: FailedStep): string[] => [
  causeOf(outcome.failure),
  ...fieldsOf(outcome.failure),
  ...doneBefore(step, outcome),
];

const doneBefore = (step: Step, { callsDone = 0 }: { readonly callsDone?: number }): string[] =>
  callsDone > 0 ? [`${callsDone} of ${step.calls.length} calls of this step were done before`] : [];

function renderFailed(group: readonly [FailedStep, ...FailedStep[]], page: Page): string[] {
  const [first] = group;
  const isOne = group.length === 1;
  const head = isOne ? nameOf(first.step) : `each of these ${group.length}, for one cause:`;
  const body = isOne
    ? describeFailed(first.step, first.outcome, page)
    : [...renderTogether(group, first, page), ...doneBefore(first.step, first.outcome)];
  return [`${paint(page, "red", "failed")}  ${head}`, ...indented(body)];
}

/** Says why a step failed, and which of its calls were done before. */
export const describeFailed = (step: Step, outcome: FailedStep["outcome"], page: Page): string[] => [
  ...renderFailure(outcome.failure, page),
  ...doneBefore(step, outcome),
];

/** The cause once, and what each step asked. */
function renderTogether(group: readonly FailedStep[], { outcome: { failure } }: FailedStep, page: Page): string[] {
  const steps = listSome(group, (each) => {
    const { method, path } = each.outcome.failure;
    const trace = traceOf(each.outcome.failure);
    return `${nameOf(each.step)}: ${harmless(`${method} ${path}${trace === "" ? "" : ` (${trace})`}`)}`;
  });
  return [
    ...[causeOf(failure), ...fieldsOf(failure)].map((text) => printable(page, text)),
    ...steps.map((line) => `  ${line}`),
  ];
}

const fieldsOf = ({ fields }: Failure) =>
  fields === undefined || JSON.stringify(fields) === "{}" ? [] : [JSON.stringify(fields)];

/** Renders the request that failed, and its answer, in the API's own words. */
export const renderFailure = (failure: Failure, page: Page): string[] =>
  [describeFailure(failure), ...fieldsOf(failure)].map((text) => printable(page, text));
