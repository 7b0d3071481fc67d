import type { Ending } from "../../engine/session/ending.ts";
import { verifyManifest, type VerifyOptions } from "../../engine/verify.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Compares what name servers answer with what a manifest declares. */
export const verify = (options: VerifyOptions & PrinterOptions, io: Io): Promise<Ending> =>
  verifyManifest(options, { ...io, emit: printer(io, options) });
