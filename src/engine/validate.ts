import { readProvider, type Provider } from "../manifest/read/desired.ts";
import { hasErrors, type Diagnostic } from "../model/diagnostic.ts";
import { chooseSetting } from "./session/choose-setting.ts";
import { chooseContract, readBaseUrl } from "./session/choose-target.ts";
import type { Ending, Host, Session } from "./session/host.ts";
import { loadManifestFiles, type FileOptions } from "./session/load-manifest.ts";
import { readCa } from "./session/known-api.ts";

export interface ValidateOptions extends FileOptions {
  readonly file: readonly string[];
}

/** Checks manifests, and the settings of the API but the key, as far as that is possible without the API. Throws as `readCa`. */
export async function validateManifest(options: ValidateOptions, io: Session): Promise<Ending> {
  const { result, tree, diagnostics } = await loadManifestFiles(options.file, options, io, "check");
  const provider = tree ? readProvider(tree) : {};
  const all = [...diagnostics, ...(await mistakeInVariable(options, provider, io))];
  io.emit({ type: "diagnostics", diagnostics: all });
  readCa(chooseSetting("ca_file", undefined, provider, io.env));
  if (!result || hasErrors(all)) return "wrong_input";
  io.emit({ type: "valid", resources: result.desired.resources.size, files: options.file });
  return "done";
}

/** Returns the mistake in the base URL of the environment; that of a manifest is found with all others in it. */
async function mistakeInVariable(
  { contract: flag, baseUrl }: ValidateOptions,
  provider: Provider,
  { env }: Host,
): Promise<readonly Diagnostic[]> {
  const from = chooseSetting("base_url", baseUrl, provider, env);
  const { contract } = await chooseContract(flag, provider, env);
  if (from?.from !== "variable" || !contract) return [];
  const read = readBaseUrl(from, contract);
  return "code" in read ? [read] : [];
}
