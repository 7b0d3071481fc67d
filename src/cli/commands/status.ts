import { showStatus, type StatusOptions } from "../../engine/read-status.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Shows how live resources are doing. */
export const status = (options: StatusOptions & PrinterOptions, io: Io): Promise<Ending> =>
  showStatus(options, io, printer(io, options));
