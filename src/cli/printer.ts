import type { Emit } from "../engine/session/events.ts";
import { renderDiagnostics, renderNotice } from "../render/diagnostics.ts";
import { harmless } from "../lib/shorten.ts";
import { renderUnusable } from "../render/failure-text.ts";
import { jsonEvents, versionEvent, type Handlers, type Printed } from "../render/json-events.ts";
import { renderDrift } from "../render/drift-text.ts";
import { renderVerification, renderVerifying } from "../render/verify-text.ts";
import { renderContract, renderSummary, renderDoctor } from "../render/doctor-text.ts";
import type { Notice } from "../messages/notices.ts";
import { layOutLines } from "../render/layout.ts";
import { renderPlan, renderTarget } from "../render/plan-text.ts";
import { renderAttempt, renderApplying, renderReading } from "../render/progress-text.ts";
import { renderRehearsal } from "../render/rehearsal-text.ts";
import { renderPutBack, renderReport, renderStepEnd, renderStepRunning } from "../render/report-text.ts";
import { renderStatus } from "../render/status-text.ts";
import { renderUnmanagedLists } from "../render/unmanaged-text.ts";
import { renderWhy } from "../render/why-text.ts";
import type { Target } from "../model/plan.ts";
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
  const print = options.json ? jsonPrinter(io, options) : textPrinter(io, options);
  const complete = commandCompleter(options);
  /** The targets that were printed: the next plan leaves its own out. */
  const targets = new Set<Target>();
  return (given) => {
    const event = complete(given);
    // Standard output of a script stays free of what is for a debugger.
    if (event.type === "attempt") return io.writeError(`${renderAttempt(event.attempt, io.now(), io.mask)}\n`);
    if (event.type === "target") targets.add(event.target);
    print(event as Printed, event.type === "plan" && targets.delete(event.plan.target));
  };
}

type Print = (event: Printed, hasTarget: boolean) => void;

const foundText = ({ path, by }: FoundManifest): string =>
  `Manifest: ${harmless(path)} (${by === "folder" ? "in the working folder" : by})`;

function textPrinter(io: Io, options: PrinterOptions): Print {
  const { showIgnored = false, showUnmanaged = false, full = false, allDiagnostics: all, found } = options;
  const { write, writeError, showStatus, columnsToErase, color, width, errorWidth, mask, now } = io;
  const sheet = { color, width, mask };
  const errorSheet = { ...sheet, width: errorWidth ?? Infinity };
  const handlers: Handlers<void, [hasTarget: boolean]> = {
    diagnostics: ({ diagnostics }) => {
      if (diagnostics.length > 0) writeError(renderDiagnostics(diagnostics, errorSheet, all));
    },
    target: ({ target }) => write(renderTarget(target, sheet)),
    reading_lists: (progress) => showStatus(renderReading(progress)),
    applying: (progress) => showStatus(renderApplying(progress)),
    plan: ({ plan, rest = false }, hasTarget) =>
      write(renderPlan(plan, { ...sheet, showIgnored, showUnmanaged, full, now: now(), rest, hasTarget })),
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
    failure: ({ failure }) => writeError(renderUnusable(failure, errorSheet)),
  };
  if (found) (found.beside ? writeError : write)(`${foundText(found)}\n`);
  return (event, hasTarget) => {
    if (Object.hasOwn(handlers, event.type)) handlers[event.type as keyof typeof handlers](event as never, hasTarget);
    // A terminal has the line of progress instead.
    else if (event.type !== "reading" || columnsToErase?.() === undefined)
      write(layOutLines(renderNotice(event as Notice, mask), width));
  };
}

function jsonPrinter({ writeEvent }: Io, { showIgnored = false, found }: PrinterOptions): Print {
  writeEvent(versionEvent());
  if (found) writeEvent({ type: "manifest_found", message: foundText(found), path: found.path, by: found.by });
  return (event, hasTarget) => jsonEvents(event, { showIgnored, hasTarget }).forEach(writeEvent);
}
