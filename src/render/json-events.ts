import type { Finding } from "../messages/findings.ts";
import { noticeEvent, type Notice } from "../messages/notices.ts";
import type { EngineEvent } from "../engine/session/events.ts";
import { version } from "../engine/session/node-host.ts";
import { describeReason } from "../messages/step-reasons.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Failure } from "../model/failure.ts";
import type { CallRequest } from "../model/http-call.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { Outcome, PutBack, Report } from "../model/report.ts";
import { failureAdvice } from "./failure-text.ts";
import { unknownAddresses } from "../policy/known-steps.ts";
import { countCalls, countSteps } from "./plan-groups.ts";

/** One line of `--json` output (schemas/events.schema.json). Secrets are masked here as everywhere. */
export type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events that are printed for what they are: all but those that stand for diagnostics, and lines for a debugger. */
export type Printed = Exclude<EngineEvent, Finding | Record<"type", "attempt">>;

/** A handler for each type of event that is not a notice. */
export type Handlers<Result, Options extends readonly unknown[] = []> = {
  readonly [T in Exclude<Printed, Notice>["type"]]: (
    event: Extract<Printed, { type: T }>,
    ...options: Options
  ) => Result;
};

/** `showIgnored`: differences in spelling that were ignored get a line each. `hasTarget`: the target of a plan was printed already. */
interface EventOptions {
  readonly showIgnored: boolean;
  readonly hasTarget?: boolean;
}

/** Returns the lines of an event: those of its parts, and its sums at the end. */
export function jsonEvents(event: Printed, options: EventOptions): readonly Event[] {
  if (!Object.hasOwn(writers, event.type)) return [noticeEvent(event as Notice)];
  return writers[event.type as keyof typeof writers](event as never, options);
}

const writers: Handlers<readonly Event[], [EventOptions]> = {
  diagnostics: ({ diagnostics }) => diagnostics.map(diagnosticEvent),
  target: ({ target, variables }) => [{ type: "target", ...target, variables }],
  reading_lists: () => [],
  applying: () => [],
  plan: ({ plan }, options) => planEvents(plan, options),
  step_start: ({ step }) => [{ type: "step_start", ...stepFields(step) }],
  step_running: ({ step, milliseconds }) => [{ type: "step_running", ...stepFields(step), milliseconds }],
  step_end: ({ step, outcome, milliseconds }) => [
    { type: "step_end", ...stepFields(step), ...outcomeFields(outcome), milliseconds },
  ],
  put_backs: ({ putBacks }) => putBacks.map(putBackEvent),
  report: ({ report }) => [
    ...(report.putBacks ?? []).map(putBackEvent),
    ...(report.afterRequests ?? []).map(({ collection, failure }): Event => ({
      type: "after_request",
      collection,
      outcome: failure ? "failed" : "done",
      ...(failure && { failure: failureFields(failure) }),
    })),
    reportEvent(report),
  ],
  rehearsal: ({ rehearsal }) => [{ type: "rehearsal", held: rehearsal.findings.length === 0, ...rehearsal }],
  explanation: ({ explanation: { at: _at, steps, ...explanation }, declaration }) => [
    { type: "why", ...explanation, declared: declaration ?? null, steps: steps.map(plannedFields) },
  ],
  doctor: ({ report: { contract, findings, requests } }) => [
    ...findings.map(({ path, is, ...finding }): Event => ({
      type: "doctor_entry",
      entry: path,
      outcome: is,
      ...finding,
    })),
    { type: "doctor", contract, ...countIs(findings, ["refuted", "seen", "unseen"]), requests },
  ],
  unmanaged: ({ lists }) =>
    lists.flatMap(({ collection, resources }) =>
      resources.map(({ address, values }): Event => ({
        type: "unmanaged_resource",
        collection,
        address,
        values: values.map(({ path, before }) => ({ path, value: before })),
      })),
    ),
  drift: ({ drift: { items, tolerated, lastApply, incomplete } }) => [
    ...[...items, ...tolerated].map(({ is, changes, ...item }, index): Event => ({
      type: "drifted",
      ...item,
      drift: is,
      changes: changes.map(({ path, before, after }) => ({ path, before, after })),
      ...(index >= items.length && { tolerated: true }),
    })),
    ...incomplete.map((each): Event => ({ type: "incomplete", ...each })),
    { type: "drift", last_apply: lastApply, drifted: items.length, tolerated: tolerated.length },
  ],
  verifying: () => [],
  verification: ({ verification: { mismatches, notCompared, matches } }) => [
    ...mismatches.map(({ is, ...each }): Event => ({ type: "mismatch", ...each, mismatch: is })),
    ...notCompared.map((each): Event => ({ type: "not_compared", ...each })),
    { type: "verification", matches, ...countIs(mismatches, ["differs", "silent", "nobody"]) },
  ],
  status: ({ rows }) => rows.map((row): Event => ({ type: "status", ...row })),
  contract_checked: ({ file, summary: { kinds, ...summary } }) => [
    {
      type: "contract_checked",
      file,
      ...summary,
      kinds: kinds.map(({ updateOf, isWeak, ...kind }) => ({ ...kind, update_of: updateOf, weak_list: isWeak })),
    },
  ],
  rendered: (event) => [event],
  contract: (event) => [event],
  zone_file: (event) => [event],
  failure: ({ failure }) => [
    { type: "api_unavailable", failure: failureFields(failure), advice: failureAdvice(failure) },
  ],
};

export const versionEvent = (): Event => ({ type: "version", format: 1, hostform: version() });

export const diagnosticEvent = (diagnostic: Diagnostic): Event => ({ type: "diagnostic", ...diagnostic });

/** Counts things by what they are: a number for each of the words, in their order. */
const countIs = <Is extends string>(all: readonly { readonly is: Is }[], words: readonly Is[]) =>
  Object.fromEntries(words.map((word) => [word, all.filter(({ is }) => is === word).length]));

/** The target unless it was printed already, a line per step and refusal, and the sums at the end; differences in spelling only where they are asked for. */
export function planEvents(plan: Plan, { showIgnored, hasTarget = false }: EventOptions): Event[] {
  const { size: unknown } = unknownAddresses(plan);
  return [
    ...(hasTarget ? [] : [{ type: "target", ...plan.target, variables: plan.variables }]),
    ...plan.steps.map((step): Event => ({ type: "planned", ...plannedFields(step) })),
    ...plan.refusals.map(({ from: _from, ...refusal }): Event => ({ type: "refused", ...refusal })),
    ...plan.incomplete.map((each): Event => ({ type: "incomplete", ...each })),
    ...plan.unmanaged.map((each): Event => ({ type: "unmanaged", ...each })),
    ...(plan.leftOut.length > 0 ? [{ type: "left_out", addresses: plan.leftOut }] : []),
    ...(showIgnored ? plan.ignoredSpellings : []).map((each): Event => ({ type: "ignored_spelling", ...each })),
    {
      type: "plan",
      ...countSteps(plan),
      ...(unknown > 0 && { unknown }),
      refused: plan.refusals.length,
      unchanged: plan.unchanged,
      ...(plan.afterRequests && { after_due: plan.afterRequests.filter(({ due }) => due).length }),
      ...(plan.adopts && { adopts: plan.adopts.length }),
      ...(plan.unset && { unset: plan.unset }),
      unmanaged: plan.unmanaged.reduce((sum, { addresses }) => sum + addresses.length, 0),
      calls: countCalls(plan),
      reads: plan.reads,
      hash: plan.hash,
      ignored_spellings: plan.ignoredSpellings.length,
    },
  ];
}

/** The end of one object that was deleted to make room for another. */
const putBackEvent = ({ outcome, ...putBack }: PutBack): Event => ({
  type: "put_back",
  ...putBack,
  ...outcome,
  is: undefined,
  outcome: outcome.is,
  ...(outcome.is === "failed" && { failure: failureFields(outcome.failure) }),
});

function reportEvent({ outcomes, putBacks = [], afterRequests = [], lockLost, ...report }: Report): Event {
  const ends = outcomes.map(({ outcome }) => outcome);
  const returned = putBacks.filter(({ outcome }) => outcome.is === "put_back").length;
  const unused = afterRequests.filter(({ failure }) => failure !== undefined).length;
  return {
    type: "report",
    ...countIs(ends, ["done", "failed", "blocked", "not_attempted"]),
    ...(putBacks.length > 0 && { put_back: returned, not_put_back: putBacks.length - returned }),
    ...(afterRequests.length > 0 && { after_failed: unused }),
    interrupted: report.interrupted,
    ...(lockLost !== undefined && { lockLost }),
    requests: report.requests,
    mismatches: report.mismatches,
    milliseconds: report.milliseconds,
  };
}

const plannedFields = (step: Step) => ({
  ...stepFields(step),
  changes: step.changes,
  after: step.after,
  gaps: step.gaps,
  detaches: step.detaches,
  takesAlong: step.takesAlong,
  on_refusal: step.on_refusal?.map((each) =>
    each.is === "lost" ? each : { ...each, calls: each.calls.map(callFields) },
  ),
  calls: step.calls.map(callFields),
});
const stepFields = ({ address, action, replaces, purchase, reason, origin, at }: Step) => ({
  address,
  action,
  replaces,
  purchase,
  reason: reason.is,
  reason_text: describeReason({ action, replaces, reason }),
  origin,
  at,
});
const callFields = ({ method, path, params }: CallRequest) => ({ method, path, params });

function outcomeFields(outcome: Outcome): Record<string, unknown> {
  if (outcome.is === "not_attempted") return { outcome: outcome.is, calls_done: outcome.callsDone };
  if (outcome.is !== "failed") return { outcome: outcome.is, ...outcome, is: undefined };
  return { outcome: "failed", failure: failureFields(outcome.failure), calls_done: outcome.callsDone };
}

/** The cause is for a debugger; it may hold anything. */
const failureFields = (failure: Failure) => ({ ...failure, cause: undefined });
