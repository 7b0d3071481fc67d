import { withoutUnset } from "../model/diagnostic.ts";
import { writeTree } from "../manifest/yaml/write-tree.ts";
import type { Ending, Session } from "./session/host.ts";
import { loadWithoutSecrets } from "./session/load-manifest.ts";
import type { ValidateOptions } from "./validate.ts";

/** Shows a manifest as it is when its templates and variables are put in. Secrets stay references. */
export async function renderManifest(options: ValidateOptions, io: Session): Promise<Ending> {
  const { result, tree, diagnostics } = await loadWithoutSecrets(options.file, options, io);
  io.emit({ type: "diagnostics", diagnostics: withoutUnset(diagnostics) });
  if (!result || !tree) return "wrong_input";
  io.emit({ type: "rendered", manifest: writeTree(tree) });
  return "done";
}
