import { importAccount as importIntoManifest, type ImportOptions } from "../../engine/import-account.ts";
import { importFiles } from "../../engine/import-files.ts";
import type { Ending } from "../../engine/ending.ts";
import { inputError } from "../input-error.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";
import { readGlobs } from "../read-addresses.ts";

interface SourceOptions {
  /** The form of files to read instead of an account, and the files. */
  readonly from?: readonly string[] | undefined;
}

/** Writes a manifest of an account that exists, or of zones that files hold. */
export async function importAccount(given: ImportOptions & SourceOptions & PrinterOptions, io: Io): Promise<Ending> {
  const options = { ...given, only: readGlobs(given.only) };
  if (given.from === undefined) return importIntoManifest(options, io, printer(io, options));
  const [source, ...paths] = given.from;
  const forms = "--from zone-file FILE…, or --from octodns DIR";
  if (source !== "zone-file" && source !== "octodns")
    throw inputError("bad_arguments", `--from ${source ?? ""}: this is not a form of files`, `use ${forms}`);
  if (paths.length === 0 || (source === "octodns" && paths.length > 1))
    throw inputError(
      "bad_arguments",
      `--from ${source} names ${paths.length === 0 ? "no file" : "several folders"}`,
      `use ${forms}`,
    );
  if (given.fromSnapshot !== undefined)
    throw inputError("bad_arguments", "--from and --from-snapshot are both given", "give one of them");
  return importFiles({ ...options, source, paths }, io, printer(io, options));
}
