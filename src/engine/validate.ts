import { hasErrors } from "../model/diagnostic.ts";
import { chooseSetting } from "./session/choose-setting.ts";
import { readBaseUrl } from "./session/choose-target.ts";
import type { Ending, Session } from "./session/host.ts";
import { loadManifestFiles, type ManifestOptions } from "./session/load-manifest.ts";
import { readCa } from "./session/known-api.ts";

/** Checks manifests, and the settings of the API but the key, as far as that is possible without the API. Throws as `readCa`. */
export async function validateManifest(options: ManifestOptions, io: Session): Promise<Ending> {
  const { result, provider, contract, diagnostics } = await loadManifestFiles(options.file, options, io, "check");
  const from = chooseSetting("base_url", options.baseUrl, provider, io.env);
  // That of a manifest is found with all other mistakes in it.
  const read = from?.from === "variable" && contract ? readBaseUrl(from, contract) : undefined;
  const all = [...diagnostics, ...(read && "code" in read ? [read] : [])];
  io.emit({ type: "diagnostics", diagnostics: all });
  readCa(chooseSetting("ca_file", undefined, provider, io.env));
  if (!result || hasErrors(all)) return "wrong_input";
  io.emit({ type: "valid", resources: result.desired.resources.size, files: options.file });
  return "done";
}
