import type { EventType } from "../messages/event-types.ts";
import type { UnmanagedList } from "../engine/session/events.ts";
import { describeReason } from "../messages/step-reasons.ts";
import type { ContractSummary, ProbeFinding, ProbeReport } from "../model/contract-summary.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Drift } from "../model/drift.ts";
import type { Declaration, Explanation } from "../model/explanation.ts";
import type { CallRequest } from "../model/http-call.ts";
import type { Plan, Step, Target } from "../model/plan.ts";
import type { Rehearsal, Outcome, PutBack, Report, SentAfterRequest } from "../model/report.ts";
import type { Mismatch, Verification } from "../model/verification.ts";
import { countCalls, countSteps, unknownAddresses } from "./plan-counts.ts";

/** One line of `--json` output (schemas/events.schema.json). Secrets are masked here as everywhere. */
export type Event = { readonly type: EventType } & Readonly<Record<string, unknown>>;

export const versionEvent = (hostform: string): Event => ({ type: "version", format: 1, hostform });

export const diagnosticEvent = (diagnostic: Diagnostic): Event => ({ type: "diagnostic", ...diagnostic });

/** A line for each live resource that a manifest does not name: `hostform plan --show-unmanaged`. */
export const unmanagedEvents = (lists: readonly UnmanagedList[]): Event[] =>
  lists.flatMap(({ collection, resources }) =>
    resources.map(({ address, values }): Event => ({
      type: "unmanaged_resource",
      collection,
      address,
      values: values.map(({ path, before }) => ({ path, value: before })),
    })),
  );

/** A line for each resource that has drifted, and the sums at the end: `hostform drift`. */
export const driftEvents = ({ items, tolerated, lastApply, incomplete }: Drift): Event[] => [
  ...[...items, ...tolerated].map(({ is, changes, ...item }, index): Event => ({
    type: "drifted",
    ...item,
    drift: is,
    changes: changes.map(({ path, before, after }) => ({ path, before, after })),
    ...(index >= items.length && { tolerated: true }),
  })),
  ...incomplete.map((each): Event => ({ type: "incomplete", ...each })),
  { type: "drift", last_apply: lastApply, drifted: items.length, tolerated: tolerated.length },
];

/** A line for each difference and for each thing that DNS does not show, and the sums at the end: `hostform verify`. */
export function verificationEvents({ mismatches, notCompared, matches }: Verification): Event[] {
  const count = (is: Mismatch["is"]) => mismatches.filter((each) => each.is === is).length;
  return [
    ...mismatches.map(({ is, ...each }): Event => ({ type: "mismatch", ...each, mismatch: is })),
    ...notCompared.map((each): Event => ({ type: "not_compared", ...each })),
    { type: "verification", matches, differs: count("differs"), silent: count("silent"), nobody: count("nobody") },
  ];
}

export const statusEvent = (row: object): Event => ({ type: "status", ...row });

/** The offer of a contract without mistakes: `hostform contract check`. */
export const contractCheckedEvent = (file: string, { kinds, ...summary }: ContractSummary): Event => ({
  type: "contract_checked",
  file,
  ...summary,
  kinds: kinds.map(({ updateOf, isWeak, ...kind }) => ({ ...kind, update_of: updateOf, weak_list: isWeak })),
});

/** A line for each entry of a contract, and the sums at the end: `hostform doctor`. */
export function doctorEvents({ contract, findings, requests }: ProbeReport): Event[] {
  const count = (is: ProbeFinding["is"]) => findings.filter((each) => each.is === is).length;
  return [
    ...findings.map(({ path, is, ...finding }): Event => ({
      type: "doctor_entry",
      entry: path,
      outcome: is,
      ...finding,
    })),
    {
      type: "doctor",
      contract,
      refuted: count("refuted"),
      seen: count("seen"),
      unseen: count("unseen"),
      requests,
    },
  ];
}

export const targetEvent = (target: Target, variables: Plan["variables"]): Event => ({
  type: "target",
  ...target,
  ...(variables && { variables }),
});

/** The target unless it was printed already, a line per step and refusal, and the sums at the end; differences in spelling only where they are asked for. */
export function planEvents(
  plan: Plan,
  { showIgnored, hasTarget = false }: { readonly showIgnored: boolean; readonly hasTarget?: boolean },
): Event[] {
  const { size: unknown } = unknownAddresses(plan);
  return [
    ...(hasTarget ? [] : [targetEvent(plan.target, plan.variables)]),
    ...plan.steps.map((step): Event => ({ type: "planned", ...plannedFields(step) })),
    ...plan.refusals.map(({ from: _from, ...refusal }): Event => ({ type: "refused", ...refusal })),
    ...plan.incomplete.map((each): Event => ({ type: "incomplete", ...each })),
    ...plan.unmanaged.map((each): Event => ({ type: "unmanaged", ...each })),
    ...(plan.leftOut.length > 0 ? [{ type: "left_out" as const, addresses: plan.leftOut }] : []),
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

export const stepStartEvent = (step: Step): Event => ({ type: "step_start", ...stepFields(step) });

export const stepRunningEvent = (step: Step, milliseconds: number): Event => ({
  type: "step_running",
  ...stepFields(step),
  milliseconds,
});

export const stepEndEvent = (step: Step, outcome: Outcome, milliseconds: number): Event => ({
  type: "step_end",
  ...stepFields(step),
  ...outcomeFields(outcome),
  milliseconds,
});

/** The end of one object that was deleted to make room for another. */
export const putBackEvent = ({ outcome, ...putBack }: PutBack): Event => ({
  type: "put_back",
  ...putBack,
  ...outcome,
  is: undefined,
  outcome: outcome.is,
  ...(outcome.is === "failed" && { failure: { ...outcome.failure, cause: undefined } }),
});

/** The end of the request that makes the API use what was written to a collection. */
export const afterRequestEvent = ({ collection, failure }: SentAfterRequest): Event => ({
  type: "after_request",
  collection,
  outcome: failure ? "failed" : "done",
  ...(failure && { failure: { ...failure, cause: undefined } }),
});

export function reportEvent({
  outcomes,
  putBacks = [],
  afterRequests = [],
  interrupted,
  lockLost,
  requests,
  mismatches,
  milliseconds,
}: Report): Event {
  const count = (is: Outcome["is"]) => outcomes.filter(({ outcome }) => outcome.is === is).length;
  return {
    type: "report",
    done: count("done"),
    failed: count("failed"),
    blocked: count("blocked"),
    not_attempted: count("not_attempted"),
    ...(putBacks.length > 0 && {
      put_back: putBacks.filter(({ outcome }) => outcome.is === "put_back").length,
      not_put_back: putBacks.filter(({ outcome }) => outcome.is === "failed").length,
    }),
    ...(afterRequests.length > 0 && {
      after_failed: afterRequests.filter(({ failure }) => failure !== undefined).length,
    }),
    interrupted,
    ...(lockLost !== undefined && { lockLost }),
    requests,
    mismatches,
    milliseconds,
  };
}

export const rehearsalEvent = (rehearsal: Rehearsal): Event => ({
  type: "rehearsal",
  held: rehearsal.findings.length === 0,
  ...rehearsal,
});

/** Why one resource is planned as it is: `hostform why`. */
export const whyEvent = (
  { at: _at, steps, ...explanation }: Explanation,
  declaration: Declaration | undefined,
): Event => ({ type: "why", ...explanation, declared: declaration ?? null, steps: steps.map(plannedFields) });

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
  // The cause is for a debugger; it may hold anything.
  return { outcome: "failed", failure: { ...outcome.failure, cause: undefined }, calls_done: outcome.callsDone };
}
