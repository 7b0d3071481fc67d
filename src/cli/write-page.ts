import type { Emit } from "../engine/session/events.ts";
import { diagnosticsOf } from "../engine/session/events.ts";
import { inputError } from "../engine/session/input-error.ts";
import { requireFilePlace, writeFile } from "../lib/write-file.ts";
import { noticeTypes, type Notice } from "../messages/notices.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { PageSource } from "../render/page/page-items.ts";
import { commandCompleter } from "./complete-commands.ts";
import type { Io } from "./io.ts";
import type { PrinterOptions } from "./printer.ts";

export interface PageOptions extends PrinterOptions {
  /** The file for a page that a browser shows. */
  readonly html?: string | undefined;
}

/** Notices of progress: nobody reads them afterwards. */
const passing: ReadonlySet<string> = new Set([
  "reading",
  "timings",
  "waiting",
  "lock_waiting",
  "rehearsing",
  "stopping",
]);
const noticed: ReadonlySet<string> = new Set(noticeTypes.filter((type) => !passing.has(type)));

/** Gathers what a run emits for a page. */
export interface PageWriter {
  readonly emit: Emit;
  /** Writes the page, if there is anything to show. Throws an InputError where it cannot be written. */
  readonly write: () => Promise<void>;
}

/** Returns a writer of the page that the options ask for. Throws an InputError unless a page may be written there: a mistyped name must not cost a run. */
export function pageWriter(options: PageOptions, { mask, now }: Io): PageWriter {
  const { html: path } = options;
  if (path === undefined) return { emit: () => undefined, write: async () => undefined };
  checkPage(path);
  const complete = commandCompleter(options);
  const [diagnostics, notices]: [Diagnostic[], Notice[]] = [[], []];
  let source: Partial<PageSource> = {};
  const emit: Emit = (given) => {
    const listed = diagnosticsOf(given);
    const event = complete(listed ? { type: "diagnostics", diagnostics: listed } : given);
    if (event.type === "diagnostics") diagnostics.push(...event.diagnostics);
    else if (event.type === "report") source = { ...source, report: event.report };
    else if (event.type === "drift") source = { ...source, drift: event.drift };
    else if (event.type === "unmanaged") source = { ...source, unmanaged: event };
    // After the report of an apply comes what still differs.
    else if (event.type === "plan") source = { ...source, [source.report ? "rest" : "plan"]: event.plan };
    else if (noticed.has(event.type)) notices.push(event as Notice);
  };
  const write = async () => {
    if (!source.plan && !source.drift && diagnostics.length === 0) return;
    const { renderHtmlPage } = await import("../render/page/html-page.ts");
    const text = renderHtmlPage({ ...source, diagnostics, notices }, mask, now());
    try {
      writeFile(path, text, 0o600);
    } catch (error) {
      const summary = `The page cannot be written to ${path}: ${(error as Error).message}`;
      throw inputError("not_written", summary, "check the path given with --html");
    }
  };
  return { emit, write };
}

function checkPage(path: string): void {
  if (/\.html?$/iu.test(path)) return requireFilePlace(path);
  throw inputError("bad_arguments", `--html: expected a name that ends in .html, found ${path}`, "such as plan.html");
}
