import type { Ending } from "../engine/session/ending.ts";
import type { Emit } from "../engine/session/events.ts";
import { requireFilePlace, writeFile } from "../lib/write-file.ts";
import type { Plan } from "../model/plan.ts";
import { renderHtml } from "../render/html-page.ts";
import { renderMarkdown } from "../render/markdown-page.ts";
import { titleOf } from "../render/plan-counts.ts";
import { renderPlan } from "../render/plan-text.ts";
import { inputError } from "../engine/session/input-error.ts";
import type { Io } from "./io.ts";
import { printer, type PrinterOptions } from "./printer.ts";

export interface PlanPrinterOptions extends PrinterOptions {
  /** Default: text. */
  readonly format?: "text" | "markdown" | undefined;
  /** The file for a page of the plan, which a browser shows. */
  readonly html?: string | undefined;
}

/** Runs a command that makes one plan, and prints it in the form that the options ask for. */
export async function printPlan(
  options: PlanPrinterOptions,
  io: Io,
  run: (emit: Emit) => Promise<Ending>,
): Promise<Ending> {
  const { format, html } = options;
  checkPage(html);
  let text = "";
  let made: Plan | undefined;
  const write = (part: string) => void (text += part);
  const print = printer(format === "markdown" ? { ...io, color: false, write } : io, options);
  const ending = await run((event) => {
    if (event.type === "plan") ({ plan: made } = event);
    print(event);
  });
  if (text !== "") io.write(renderMarkdown(made, text));
  if (html !== undefined && made) writePage(html, made, io);
  return ending;
}

/** Throws an InputError unless a page may be written here: a mistyped name must not cost a manifest or a plan. */
function checkPage(path: string | undefined): void {
  if (path === undefined) return;
  if (/\.html?$/iu.test(path)) return requireFilePlace(path);
  throw inputError("bad_arguments", `--html: expected a name that ends in .html, found ${path}`, "such as plan.html");
}

function writePage(path: string, plan: Plan, { mask, now }: Io): void {
  const text = renderPlan(plan, { color: true, full: true, showIgnored: false, width: 100, mask, now: now() });
  try {
    writeFile(path, renderHtml(titleOf(plan), mask(text)), 0o600);
  } catch (error) {
    const summary = `The page cannot be written to ${path}: ${(error as Error).message}`;
    throw inputError("not_written", summary, "check the path given with --html");
  }
}
