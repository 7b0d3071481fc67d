import type { Ending } from "../../engine/session/host.ts";
import { showDrift, type DriftOptions } from "../../engine/drift.ts";
import type { Emit } from "../../engine/session/events.ts";
import { notifying, type NotifyOptions } from "../notifying.ts";
import type { Io } from "../io.ts";
import { printForms, type FormOptions } from "../write-forms.ts";

/** Shows what is not as the last apply left it. */
export function drift(options: DriftOptions & FormOptions & NotifyOptions, io: Io): Promise<Ending> {
  const run = (emit: Emit) => showDrift(options, { ...io, emit });
  return printForms("drift", options, io, notifying("drift", options, io, run));
}
