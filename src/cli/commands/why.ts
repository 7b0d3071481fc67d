import { explainResource, type WhyOptions } from "../../engine/explain.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Explains one resource. */
export const why = (options: WhyOptions & PrinterOptions, io: Io): Promise<Ending> =>
  explainResource(options, io, printer(io, options));
