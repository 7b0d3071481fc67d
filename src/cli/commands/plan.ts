import { planManifest, type PlanOptions } from "../../engine/plan.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Shows what an apply would do. */
export const plan = (options: PlanOptions & PrinterOptions, io: Io): Promise<Ending> =>
  planManifest(options, io, printer(io, options));
