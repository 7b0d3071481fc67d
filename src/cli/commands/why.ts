import { explainResource, type WhyOptions } from "../../engine/why.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Explains one resource. */
export const why = (options: WhyOptions & PrinterOptions, io: Io): Promise<Ending> =>
  explainResource(options, { ...io, emit: printer(io, options) });
