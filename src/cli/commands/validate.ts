import type { Ending } from "../../engine/ending.ts";
import type { Io } from "../../engine/io.ts";
import { hasErrors, loadDesired, type FileOptions } from "../../engine/load-manifest.ts";
import { makeOutput } from "../output.ts";

export interface ValidateOptions extends FileOptions {
  readonly file: readonly string[];
  readonly json: boolean;
}

/** Checks manifests as far as that is possible without the API. */
export async function validate(options: ValidateOptions, io: Io): Promise<Ending> {
  const output = makeOutput(io, options);
  const { result, diagnostics } = await loadDesired(options.file, options, io);
  output.diagnostics(diagnostics);
  if (!result || hasErrors(diagnostics)) return "wrong_input";
  const count = result.desired.resources.size;
  output.say("valid", `Valid: ${count} ${count === 1 ? "resource" : "resources"} in ${options.file.join(", ")}.`, {
    resources: count,
  });
  return "done";
}
