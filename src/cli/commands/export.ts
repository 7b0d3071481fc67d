import { exportZone, type ExportOptions } from "../../engine/export.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Writes a zone of a manifest as a zone file to standard output. */
export const exportManifest = (options: ExportOptions & PrinterOptions, io: Io): Promise<Ending> =>
  exportZone(options, { ...io, emit: printer(io, options) });
