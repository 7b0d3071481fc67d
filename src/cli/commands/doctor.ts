import { probeApi } from "../../engine/doctor.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { OpenTargetOptions } from "../../engine/session/open-target.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Compares a contract with the answers of its API. */
export const doctor = (options: OpenTargetOptions & PrinterOptions, io: Io): Promise<Ending> =>
  probeApi(options, { ...io, emit: printer(io, options) });
