import { describeFailure } from "../api/describe-failure.ts";
import type { Failure } from "../model/failure.ts";
import type { Step } from "../model/plan.ts";
import type { Mismatch, Outcome, Report, Requests } from "../model/report.ts";
import { escapeControls } from "./escape.ts";
import { painter, type Paint } from "./paint.ts";

const doneWords = { create: "created", update: "updated", delete: "deleted", renew: "renewed" } as const;

const runningWords = { create: "creating", update: "updating", delete: "deleting", renew: "renewing" } as const;

/** One line while a step takes long. */
export function renderStepRunning(step: Step, milliseconds: number): string {
  return `still ${runningWords[step.action]}  ${escapeControls(step.address)} after ${Math.round(milliseconds / 1000)} s`;
}

/** One line when a step has ended. */
export function renderStepEnd(
  step: Step,
  outcome: Outcome,
  milliseconds: number,
  { color }: { readonly color: boolean },
): string {
  const paint = painter(color);
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`;
  const address = escapeControls(step.address);
  if (outcome.is !== "done") return `${paint("red", "failed")}  ${address} after ${seconds}`;
  const pending =
    outcome.external === undefined ? "" : paint("yellow", ` (pending: ${escapeControls(outcome.external)})`);
  return `${paint("green", doneWords[step.action])}  ${address} after ${seconds}${pending}`;
}

/** The end of an apply: what was done, what failed and in whose words, what it blocked, and what was not attempted. */
export function renderReport(report: Report, { color }: { readonly color: boolean }): string {
  const paint = painter(color);
  const of = (is: Outcome["is"]) => report.outcomes.filter(({ outcome }) => outcome.is === is);
  const done = of("done");
  const count = (action: Step["action"]) => done.filter(({ step }) => step.action === action).length;
  const lines = [
    ...report.outcomes.flatMap(({ step, outcome }) =>
      outcome.is === "failed" ? renderFailed(step, outcome, paint) : [],
    ),
    ...report.outcomes.flatMap(({ step, outcome }) =>
      outcome.is === "blocked"
        ? [`${paint("yellow", "blocked")}  ${escapeControls(step.address)} by ${escapeControls(outcome.by)}`]
        : [],
    ),
    ...of("not_attempted").map(({ step }) => `${paint("yellow", "not attempted")}  ${escapeControls(step.address)}`),
    ...done.flatMap(({ step, outcome }) =>
      outcome.is === "done" && outcome.external !== undefined
        ? [`${paint("yellow", "pending")}  ${escapeControls(`${step.address}: ${outcome.external}`)}`]
        : [],
    ),
  ];
  const whole = done.length === report.outcomes.length;
  const sums = `${count("create")} added, ${count("update") + count("renew")} changed, ${count("delete")} destroyed in ${(report.milliseconds / 1000).toFixed(1)} s`;
  const rest = whole
    ? ""
    : `; ${of("failed").length} failed, ${of("blocked").length} blocked, ${of("not_attempted").length} not attempted. Run again to do the rest`;
  const title = report.interrupted ? "Interrupted" : whole ? "Applied" : "Applied in part";
  const bugs = report.mismatches.flatMap((each) => renderMismatch(each, paint));
  const last = [paint("bold", `${title}: ${sums}${rest}.`), renderRequests(report.requests), ...bugs];
  return `${[...lines, ...last].join("\n")}\n`;
}

function renderRequests({ writes, repeated, reads, polls }: Requests): string {
  const repeats = repeated === 0 ? "" : `, ${repeated} repeated`;
  const waits = polls === 0 ? "" : `, ${counted(polls, "poll")}`;
  return `${counted(writes, "write")}${repeats}; ${counted(reads, "read")}${waits}.`;
}

const counted = (count: number, word: string) => `${count} ${word}${count === 1 ? "" : "s"}`;

/** What the check that an apply makes of itself has found. */
function renderMismatch({ address, planned, sent }: Mismatch, paint: Paint): string[] {
  const what = address === undefined ? "writes of no step were sent" : `${address} sent other writes than the plan has`;
  return [
    paint("red", escapeControls(`A bug in Hostform, please report it: ${what}.`)),
    `    planned: ${listed(planned)}`,
    `    sent:    ${listed(sent)}`,
  ];
}

const listed = (writes: readonly string[]) => (writes.length === 0 ? "nothing" : escapeControls(writes.join(", ")));

function renderFailed(step: Step, { failure, callsDone }: Extract<Outcome, { is: "failed" }>, paint: Paint): string[] {
  const origin = step.at ? ` (${step.at.file}:${step.at.line})` : "";
  const before = callsDone > 0 ? [`    ${callsDone} of ${step.calls.length} calls of this step were done before`] : [];
  return [
    `${paint("red", "failed")}  ${escapeControls(step.address + origin)}`,
    ...renderFailure(failure).map((line) => `    ${line}`),
    ...before,
  ];
}

/** What was asked, what came back, in the API's own words. */
export function renderFailure(failure: Failure): string[] {
  const fields =
    failure.fields === undefined || JSON.stringify(failure.fields) === "{}" ? [] : [JSON.stringify(failure.fields)];
  return [describeFailure(failure), ...fields].map(escapeControls);
}
