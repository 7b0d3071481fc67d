import { showSavedPlan, type ShowOptions } from "../../engine/show.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printPlan, type PlanPrinterOptions } from "../print-plan.ts";

/** Shows a saved plan, without the API. */
export const show = (options: ShowOptions & PlanPrinterOptions, io: Io): Promise<Ending> =>
  printPlan(options, io, (emit) => showSavedPlan(options, emit));
