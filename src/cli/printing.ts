import type { Ending, Session } from "../engine/session/host.ts";
import type { Io } from "./io.ts";
import type { PrinterOptions } from "./printer.ts";

/** Loads a command of the engine that needs no more than a printer of its events. */
export const printing =
  <T>(load: () => Promise<(options: T, session: Session) => Promise<Ending>>) =>
  async () => {
    const [command, { printer }] = await Promise.all([load(), import("./printer.ts")]);
    return async (options: T & PrinterOptions, io: Io) => command(options, { ...io, emit: printer(io, options) });
  };
