import { takeSnapshot, type SnapshotOptions } from "../../engine/snapshot.ts";
import type { Ending } from "../../engine/session/host.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Records what a plan of the named manifests reads; without any, the whole account, less what a manifest that is found takes from outside. */
export const snapshot = (options: Omit<SnapshotOptions, "isWhole"> & PrinterOptions, io: Io): Promise<Ending> =>
  takeSnapshot({ ...options, isWhole: options.found !== undefined }, { ...io, emit: printer(io, options) });
