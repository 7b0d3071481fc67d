import { hasErrors } from "../model/diagnostic.ts";
import type { Emit } from "./events.ts";
import type { Ending } from "./ending.ts";
import type { Host } from "./host.ts";
import { loadManifestFiles, type FileOptions } from "./load-manifest.ts";

export interface ValidateOptions extends FileOptions {
  readonly file: readonly string[];
}

/** Checks manifests as far as that is possible without the API. */
export async function validateManifest(options: ValidateOptions, io: Host, emit: Emit): Promise<Ending> {
  const { result, diagnostics } = await loadManifestFiles(options.file, options, io);
  emit({ type: "diagnostics", diagnostics });
  if (!result || hasErrors(diagnostics)) return "wrong_input";
  emit({ type: "valid", resources: result.desired.resources.size, files: options.file });
  return "done";
}
