import type { Ending } from "../../engine/session/host.ts";
import { readAddresses } from "../../engine/session/read-addresses.ts";
import { showDrift, type DriftOptions } from "../../engine/drift.ts";
import type { Emit } from "../../engine/session/events.ts";
import { notifying, type NotifyOptions } from "../notifying.ts";
import type { Io } from "../io.ts";
import { printForms, type FormOptions } from "../write-forms.ts";

/** `accept`: an address as it was written. */
type Arguments = Omit<DriftOptions, "accept"> & FormOptions & NotifyOptions & { readonly accept?: string | undefined };

/** Shows what is not as the last apply left it. */
export function drift(options: Arguments, io: Io): Promise<Ending> {
  const run = (emit: Emit) => {
    const [accept] = options.accept === undefined ? [] : readAddresses("--accept", [options.accept]);
    return showDrift({ ...options, accept }, { ...io, emit });
  };
  return printForms("drift", options, io, notifying("drift", options, io, run));
}
