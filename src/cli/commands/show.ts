import { showSavedPlan, type ShowOptions } from "../../engine/show-saved-plan.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Shows a saved plan, without the API. */
export const show = (options: ShowOptions & PrinterOptions, io: Io): Promise<Ending> =>
  showSavedPlan(options, printer(io, options));
