import { importAccount as importIntoManifest, type ImportOptions } from "../../engine/import-account.ts";
import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";
import { readGlobs } from "../read-addresses.ts";

/** Writes a manifest of an account that exists. */
export const importAccount = (options: ImportOptions & PrinterOptions, io: Io): Promise<Ending> =>
  importIntoManifest({ ...options, only: readGlobs(options.only) }, io, printer(io, options));
