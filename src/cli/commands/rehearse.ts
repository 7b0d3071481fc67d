import { rehearseManifest, type RehearseOptions } from "../../engine/rehearse.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Runs a plan on the embedded service, seeded with the live state. */
export const rehearse = (options: RehearseOptions & PrinterOptions, io: Io): Promise<Ending> =>
  rehearseManifest(options, io, printer(io, options));
