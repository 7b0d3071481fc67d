import type { Ending } from "../../engine/session/ending.ts";
import { showDrift, type DriftOptions } from "../../engine/drift.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Shows what is not as the last apply left it. */
export const drift = (options: DriftOptions & PrinterOptions, io: Io): Promise<Ending> =>
  showDrift(options, { ...io, emit: printer(io, options) });
