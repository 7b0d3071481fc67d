import { validateManifest, type ValidateOptions } from "../../engine/validate.ts";
import type { Ending } from "../../engine/session/host.ts";
import type { Io } from "../io.ts";
import { printForms, type FormOptions } from "../write-forms.ts";

/** Checks manifests as far as that is possible without the API. */
export const validate = (options: ValidateOptions & FormOptions, io: Io): Promise<Ending> =>
  printForms("validate", options, io, (emit) => validateManifest(options, { ...io, emit }));
