import { takeSnapshot, type SnapshotOptions } from "../../engine/snapshot.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Saves the live state, without secrets. */
export const snapshot = (options: SnapshotOptions & PrinterOptions, io: Io): Promise<Ending> =>
  takeSnapshot(options, { ...io, emit: printer(io, options) });
