import { examineContract, type DoctorOptions } from "../../engine/doctor.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Compares a contract with the answers of its API. */
export const doctor = (options: DoctorOptions & PrinterOptions, io: Io): Promise<Ending> =>
  examineContract(options, io, printer(io, options));
