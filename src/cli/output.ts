import type { Diagnostic } from "../model/diagnostic.ts";
import type { Failure } from "../model/failure.ts";
import type { Plan, Step } from "../model/plan.ts";
import type { Rehearsal } from "../model/rehearsal.ts";
import type { Outcome, PutBack, Report } from "../model/report.ts";
import { renderDiagnostics } from "../render/diagnostics.ts";
import {
  diagnosticEvent,
  statusEvent,
  planEvents,
  putBackEvent,
  rehearsalEvent,
  reportEvent,
  stepEndEvent,
  stepRunningEvent,
  stepStartEvent,
  versionEvent,
  whyEvent,
} from "../render/events.ts";
import { renderPlan } from "../render/plan-text.ts";
import { renderRehearsal } from "../render/rehearsal-text.ts";
import { renderFailure, renderPutBack, renderReport, renderStepEnd, renderStepRunning } from "../render/report-text.ts";
import { escapeControls } from "../render/escape.ts";
import { renderStatus } from "../render/status-text.ts";
import { renderWhy } from "../render/why-text.ts";
import type { Declaration, Explanation } from "../model/explanation.ts";
import type { StatusRow } from "../model/status-row.ts";
import type { Io } from "../engine/io.ts";
import { version } from "../engine/version.ts";

/** What a command says, for a person (text) or for a script (`--json`: one event a line). */
export interface Output {
  readonly diagnostics: (diagnostics: readonly Diagnostic[]) => void;
  readonly plan: (plan: Plan) => void;
  readonly stepStart: (step: Step) => void;
  /** A step that takes long is still running. */
  readonly stepRunning: (step: Step, milliseconds: number) => void;
  readonly stepEnd: (step: Step, outcome: Outcome, milliseconds: number) => void;
  /** The ends of objects that an earlier apply has deleted to make room for others. */
  readonly putBacks: (putBacks: readonly PutBack[]) => void;
  readonly report: (report: Report) => void;
  readonly rehearsal: (rehearsal: Rehearsal) => void;
  readonly why: (explanation: Explanation, declaration: Declaration | undefined) => void;
  readonly status: (rows: readonly StatusRow[]) => void;
  /** The API could not be used at all. */
  readonly failure: (failure: Failure) => void;
  /** Something that a person wants to read and a script can match by its type. */
  readonly say: (type: string, text: string, fields?: Readonly<Record<string, unknown>>) => void;
}

export interface OutputOptions {
  readonly json: boolean;
  /** Differences in spelling that were ignored are listed, not only counted. */
  readonly showIgnored?: boolean | undefined;
  /** More than the first 100 diagnostics are printed. As JSON all of them always are. */
  readonly allDiagnostics?: boolean | undefined;
}

export function makeOutput(io: Io, options: OutputOptions): Output {
  return options.json ? jsonOutput(io, options) : textOutput(io, options);
}

function textOutput(
  { write, writeError, color, now }: Io,
  { showIgnored = false, allDiagnostics: all }: OutputOptions,
): Output {
  return {
    diagnostics: (diagnostics) => diagnostics.length > 0 && writeError(renderDiagnostics(diagnostics, { color, all })),
    plan: (plan) => write(renderPlan(plan, { color, showIgnored, now: now() })),
    stepStart: () => undefined,
    stepRunning: (step, milliseconds) => write(`${renderStepRunning(step, milliseconds)}\n`),
    stepEnd: (step, outcome, milliseconds) => write(`${renderStepEnd(step, outcome, milliseconds, { color })}\n`),
    putBacks: (all) => write(all.map((each) => `${renderPutBack(each, { color }).join("\n")}\n`).join("")),
    report: (report) => write(`\n${renderReport(report, { color })}`),
    rehearsal: (rehearsal) => write(renderRehearsal(rehearsal, { color })),
    why: (explanation, declaration) => write(renderWhy(explanation, declaration, { color })),
    status: (rows) => write(renderStatus(rows, { color })),
    failure: (failure) =>
      writeError(
        `The hosting API cannot be used:\n  ${renderFailure(failure).join("\n  ")}\n  ${escapeControls(advice(failure))}\n`,
      ),
    say: (_type, text) => write(`${text.split("\n").map(escapeControls).join("\n")}\n`),
  };
}

function jsonOutput({ writeEvent: emit }: Io, { showIgnored = false }: OutputOptions): Output {
  emit(versionEvent(version()));
  return {
    diagnostics: (diagnostics) => {
      for (const each of diagnostics) emit(diagnosticEvent(each));
    },
    plan: (plan) => planEvents(plan, { showIgnored }).forEach(emit),
    stepStart: (step) => emit(stepStartEvent(step)),
    stepRunning: (step, milliseconds) => emit(stepRunningEvent(step, milliseconds)),
    stepEnd: (step, outcome, milliseconds) => emit(stepEndEvent(step, outcome, milliseconds)),
    putBacks: (all) => all.map(putBackEvent).forEach(emit),
    report: (report) => [...(report.putBacks ?? []).map(putBackEvent), reportEvent(report)].forEach(emit),
    rehearsal: (rehearsal) => emit(rehearsalEvent(rehearsal)),
    why: (explanation, declaration) => emit(whyEvent(explanation, declaration)),
    status: (rows) => rows.map(statusEvent).forEach(emit),
    failure: (failure) =>
      emit({ type: "api_unavailable", failure: { ...failure, cause: undefined }, advice: advice(failure) }),
    say: (type, text, fields = {}) => emit({ type, message: text, ...fields }),
  };
}

const advices: Partial<Readonly<Record<Failure["sort"], string>>> = {
  untrusted:
    "Pass the authority that signed the server's certificate with --ca-file; verification cannot be switched off.",
  unauthorized: "Check HOSTFORM_API_KEY or --key-file: the server does not know this key.",
  not_found:
    "Nothing of the API is at that address. Check --base-url: the contract adds its own base path, so leave that out.",
  unreachable: "Check --base-url and the network.",
};

const advice = ({ sort }: Failure): string =>
  advices[sort] ?? "Try again; if it stays, the request id helps the vendor to find it.";
