import { validateManifest, type ValidateOptions } from "../../engine/validate.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Checks manifests as far as that is possible without the API. */
export const validate = (options: ValidateOptions & PrinterOptions, io: Io): Promise<Ending> =>
  validateManifest(options, { ...io, emit: printer(io, options) });
