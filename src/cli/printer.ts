import type { Emit, EngineEvent } from "../engine/session/events.ts";
import { version } from "../engine/session/version.ts";
import { renderDiagnostics, renderNotice } from "../render/diagnostics.ts";
import { harmless } from "../lib/shorten.ts";
import {
  afterRequestEvent,
  contractCheckedEvent,
  diagnosticEvent,
  doctorEvents,
  driftEvents,
  planEvents,
  putBackEvent,
  rehearsalEvent,
  reportEvent,
  statusEvent,
  stepEndEvent,
  stepRunningEvent,
  stepStartEvent,
  targetEvent,
  unmanagedEvents,
  verificationEvents,
  versionEvent,
  whyEvent,
  type Event,
} from "../render/json-events.ts";
import { renderDrift } from "../render/drift-text.ts";
import { renderVerification, renderVerifying } from "../render/verify-text.ts";
import { renderContract, renderSummary, renderDoctor } from "../render/doctor-text.ts";
import type { Finding } from "../messages/findings.ts";
import { noticeEvent, type Notice } from "../messages/notices.ts";
import { layOutLines, type Page } from "../render/layout.ts";
import { renderPlan, renderTarget } from "../render/plan-text.ts";
import { renderApplying, renderReading } from "../render/progress-text.ts";
import { renderRehearsal } from "../render/rehearsal-text.ts";
import { renderFailure, renderPutBack, renderReport, renderStepEnd, renderStepRunning } from "../render/report-text.ts";
import { renderStatus } from "../render/status-text.ts";
import { renderAttempt } from "../render/transport-text.ts";
import { renderUnmanagedLists } from "../render/unmanaged-text.ts";
import { renderWhy } from "../render/why-text.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Target } from "../model/plan.ts";
import type { Failure } from "../model/failure.ts";
import { commandCompleter, type FindingOptions } from "./complete-commands.ts";
import type { Io } from "./io.ts";

/** A manifest that was not named with `-f`. */
export interface FoundManifest {
  readonly path: string;
  /** `folder`: it stands in the working folder. */
  readonly by: "HOSTFORM_FILE" | "folder";
  /** Whether it is named on standard error, because standard output is for data. */
  readonly beside: boolean;
}

export interface PrinterOptions extends FindingOptions {
  readonly json: boolean;
  /** Differences in spelling that were ignored are listed, not only counted. */
  readonly showIgnored?: boolean | undefined;
  /** The resources that the manifest does not name are listed after the plan, so the plan itself says nothing of them. */
  readonly showUnmanaged?: boolean | undefined;
  /** Each step of a long plan is printed. */
  readonly full?: boolean | undefined;
  /** More than the first 100 diagnostics are printed. As JSON all of them always are. */
  readonly allDiagnostics?: boolean | undefined;
  /** The manifest, where it is named before all else. */
  readonly found?: FoundManifest | undefined;
}

/** Returns a printer of events: as text for a person, or with `--json` as one event a line for a script. */
export function printer(io: Io, options: PrinterOptions): Emit {
  const { print, printDiagnostics } = options.json ? jsonPrinter(io, options) : textPrinter(io, options);
  const complete = commandCompleter(options);
  return (given) => {
    const event = complete(given);
    if (event.type === "diagnostics") printDiagnostics(event.diagnostics);
    // Standard output of a script stays free of what is for a debugger.
    else if (event.type === "attempt") io.writeError(`${renderAttempt(event.attempt, io.now(), io.mask)}\n`);
    else print(event as Printed);
  };
}

interface Printing {
  readonly print: (event: Printed) => void;
  readonly printDiagnostics: (diagnostics: readonly Diagnostic[]) => void;
}

type Printed = Exclude<EngineEvent, Finding | { type: "attempt" | "diagnostics" }>;

/** A handler for each type of event that is not a notice. */
type Handlers<Result> = { readonly [T in Exclude<Printed, Notice>["type"]]: (event: PrintedOf<T>) => Result };
type PrintedOf<T extends Printed["type"]> = Extract<Printed, { type: T }>;

function handlerOf<Result>(handlers: Handlers<Result>, { type }: Printed): ((event: Printed) => Result) | undefined {
  return Object.hasOwn(handlers, type) ? (handlers as Record<string, (event: Printed) => Result>)[type] : undefined;
}

const foundText = ({ path, by }: FoundManifest): string =>
  `Manifest: ${harmless(path)} (${by === "folder" ? "in the working folder" : by})`;

function textPrinter(io: Io, options: PrinterOptions): Printing {
  const { showIgnored = false, showUnmanaged = false, full = false, allDiagnostics: all, found } = options;
  const { write, writeError, showStatus, columnsToErase, color, width, errorWidth, mask, now } = io;
  /** The target that was printed, and that the next plan leaves out. */
  const heads = new Set<Target>();
  const sheet = { color, width, mask };
  const handlers: Handlers<void> = {
    target: ({ target }) => {
      heads.add(target);
      write(renderTarget(target, sheet));
    },
    reading_lists: (progress) => showStatus(renderReading(progress)),
    applying: (progress) => showStatus(renderApplying(progress)),
    plan: ({ plan, rest = false }) => {
      const hasTarget = heads.delete(plan.target);
      write(renderPlan(plan, { ...sheet, showIgnored, showUnmanaged, full, now: now(), rest, hasTarget }));
    },
    step_start: () => undefined,
    step_running: ({ step, milliseconds }) => write(`${renderStepRunning(step, milliseconds)}\n`),
    step_end: ({ step, outcome, milliseconds }) => write(`${renderStepEnd(step, outcome, milliseconds, sheet)}\n`),
    put_backs: ({ putBacks }) => write(putBacks.map((each) => `${renderPutBack(each, sheet).join("\n")}\n`).join("")),
    report: ({ report }) => write(`\n${renderReport(report, sheet)}`),
    rehearsal: ({ rehearsal }) => write(renderRehearsal(rehearsal, sheet)),
    explanation: (event) => write(renderWhy(event, sheet)),
    doctor: ({ report }) => write(renderDoctor(report, sheet)),
    unmanaged: (event) => write(`\n${renderUnmanagedLists(event, sheet)}`),
    drift: ({ drift }) => write(`\n${renderDrift(drift, sheet)}`),
    verifying: ({ waiting }) => showStatus(renderVerifying(waiting, sheet)),
    verification: ({ verification }) => write(renderVerification(verification, sheet)),
    status: ({ rows }) => write(renderStatus(rows, sheet)),
    contract_checked: ({ file, summary }) => write(renderSummary(file, summary, { color })),
    rendered: ({ manifest }) => write(manifest),
    contract: ({ contract }) => write(renderContract(contract)),
    zone_file: ({ text }) => write(text),
    failure: ({ failure }) => writeError(failureText(failure, sheet)),
  };
  if (found) (found.beside ? writeError : write)(`${foundText(found)}\n`);
  const printNotice = (notice: Printed) => {
    // A terminal has the line of progress instead.
    if (notice.type !== "reading" || columnsToErase?.() === undefined)
      write(layOutLines(renderNotice(notice as Notice, mask), width));
  };
  return {
    print: (event) => (handlerOf(handlers, event) ?? printNotice)(event),
    printDiagnostics: (diagnostics) => {
      if (diagnostics.length > 0) writeError(renderDiagnostics(diagnostics, { color, all, width: errorWidth, mask }));
    },
  };
}

function jsonPrinter({ writeEvent }: Io, { showIgnored = false, found }: PrinterOptions): Printing {
  const heads = new Set<Target>();
  writeEvent(versionEvent(version()));
  if (found) writeEvent({ type: "manifest_found", message: foundText(found), path: found.path, by: found.by });
  const handlers: Handlers<readonly Event[]> = {
    target: ({ target, variables }) => {
      heads.add(target);
      return [targetEvent(target, variables)];
    },
    reading_lists: () => [],
    applying: () => [],
    plan: ({ plan }) => planEvents(plan, { showIgnored, hasTarget: heads.delete(plan.target) }),
    step_start: ({ step }) => [stepStartEvent(step)],
    step_running: ({ step, milliseconds }) => [stepRunningEvent(step, milliseconds)],
    step_end: ({ step, outcome, milliseconds }) => [stepEndEvent(step, outcome, milliseconds)],
    put_backs: ({ putBacks }) => putBacks.map(putBackEvent),
    report: ({ report }) => [
      ...(report.putBacks ?? []).map(putBackEvent),
      ...(report.afterRequests ?? []).map(afterRequestEvent),
      reportEvent(report),
    ],
    rehearsal: ({ rehearsal }) => [rehearsalEvent(rehearsal)],
    explanation: ({ explanation, declaration }) => [whyEvent(explanation, declaration)],
    doctor: ({ report }) => doctorEvents(report),
    unmanaged: ({ lists }) => unmanagedEvents(lists),
    drift: ({ drift }) => driftEvents(drift),
    verifying: () => [],
    verification: ({ verification }) => verificationEvents(verification),
    status: ({ rows }) => rows.map(statusEvent),
    contract_checked: ({ file, summary }) => [contractCheckedEvent(file, summary)],
    rendered: ({ manifest }) => [{ type: "rendered", manifest }],
    contract: ({ contract }) => [{ type: "contract", contract }],
    zone_file: (event) => [event],
    failure: ({ failure }) => [
      { type: "api_unavailable", failure: { ...failure, cause: undefined }, advice: advice(failure) },
    ],
  };
  return {
    print: (event) => (handlerOf(handlers, event) ?? noticeEvents)(event).forEach(writeEvent),
    printDiagnostics: (diagnostics) => diagnostics.map(diagnosticEvent).forEach(writeEvent),
  };
}

const noticeEvents = (notice: Printed) => [noticeEvent(notice as Notice)];

/** Returns the diagnostic of an API that cannot be used. */
export const failureDiagnostic = (failure: Failure): Diagnostic => ({
  severity: "error",
  code: "api_unavailable",
  summary: `The hosting API cannot be used: ${renderFailure(failure, { color: false, width: Infinity, mask: (text) => text }).join("; ")}`,
  hint: advice(failure),
});

const failureText = (failure: Failure, sheet: Page): string =>
  `The hosting API cannot be used:\n  ${renderFailure(failure, sheet).join("\n  ")}\n  ${harmless(advice(failure))}\n`;

const refusedKey = (sent: string) =>
  `Check HOSTFORM_API_KEY, HOSTFORM_KEY_FILE or --key-file: the server does not know this key, or not as it was sent: ${sent}. request.auth of the contract says how.`;

const advices: Partial<Readonly<Record<Failure["sort"], string>>> = {
  untrusted:
    "Pass the authority that signed the server's certificate with --ca-file; verification cannot be switched off.",
  unauthorized: "Check HOSTFORM_API_KEY, HOSTFORM_KEY_FILE or --key-file: the server does not know this key.",
  not_found:
    "The API does not answer at that address. Check the base URL: the contract adds its own base path, so leave that out.",
  unreachable: "Check the base URL and the network.",
};

const advice = (failure: Failure): string =>
  `${failure.code === "ECONNREFUSED" ? "Is the server running? " : ""}${adviceFor(failure)}`;

const adviceFor = ({ sort, keySent }: Failure): string =>
  (keySent === undefined ? undefined : refusedKey(keySent)) ??
  advices[sort] ??
  "Try again; if the failure remains, give the request id to the vendor.";
