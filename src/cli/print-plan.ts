import type { Ending } from "../engine/session/ending.ts";
import type { Emit } from "../engine/session/events.ts";
import type { Plan } from "../model/plan.ts";
import { renderMarkdown } from "../render/markdown-page.ts";
import type { Io } from "./io.ts";
import { printer } from "./printer.ts";
import { pageWriter, type PageOptions } from "./write-page.ts";

export interface PlanPrinterOptions extends PageOptions {
  /** Default: text. */
  readonly format?: "text" | "markdown" | undefined;
}

/** Runs a command that makes one plan, and prints it in the form that the options ask for. */
export async function printPlan(
  options: PlanPrinterOptions,
  io: Io,
  run: (emit: Emit) => Promise<Ending>,
): Promise<Ending> {
  const page = pageWriter(options, io);
  let text = "";
  let made: Plan | undefined;
  const write = (part: string) => void (text += part);
  const print = printer(options.format === "markdown" ? { ...io, color: false, write } : io, options);
  const ending = await run((event) => {
    if (event.type === "plan") ({ plan: made } = event);
    print(event);
    page.emit(event);
  });
  if (text !== "") io.write(renderMarkdown(made, text));
  await page.write();
  return ending;
}
