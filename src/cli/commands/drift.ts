import type { Ending } from "../../engine/session/ending.ts";
import { readAddresses } from "../../engine/session/read-addresses.ts";
import { showDrift, type DriftOptions } from "../../engine/drift.ts";
import type { Io } from "../io.ts";
import { printPlan, type PlanPrinterOptions } from "../print-plan.ts";

/** `accept`: an address as it was written. */
type Arguments = Omit<DriftOptions, "accept"> & PlanPrinterOptions & { readonly accept?: string | undefined };

/** Shows what is not as the last apply left it. */
export async function drift(options: Arguments, io: Io): Promise<Ending> {
  const [accept] = options.accept === undefined ? [] : readAddresses("--accept", [options.accept]);
  return printPlan(options, io, (emit) => showDrift({ ...options, accept }, { ...io, emit }));
}
