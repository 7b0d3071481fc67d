import { renderManifest } from "../../engine/render.ts";
import type { ValidateOptions } from "../../engine/validate.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Prints a manifest with its templates expanded. */
export const render = (options: ValidateOptions & PrinterOptions, io: Io): Promise<Ending> =>
  renderManifest(options, { ...io, emit: printer(io, options) });
