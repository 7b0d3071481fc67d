import type { Ending, Session } from "../engine/session/host.ts";
import type { Io } from "./io.ts";
import type { PrinterOptions } from "./printer.ts";
import type { FormOptions, printForms } from "./write-forms.ts";

/** Loads a command of the engine that needs no more than a printer of its events. */
export const printing =
  <T>(load: () => Promise<(options: T, session: Session) => Promise<Ending>>) =>
  async () => {
    const [command, { printer }] = await Promise.all([load(), import("./printer.ts")]);
    return async (options: T & PrinterOptions, io: Io) => command(options, { ...io, emit: printer(io, options) });
  };

/** Loads a command of the engine whose events are printed, and written in each form that is asked for. */
export const inForms =
  <T>(name: Parameters<typeof printForms>[0], load: () => Promise<(options: T, session: Session) => Promise<Ending>>) =>
  async () => {
    const [command, forms] = await Promise.all([load(), import("./write-forms.ts")]);
    return async (options: T & FormOptions, io: Io) =>
      forms.printForms(name, options, io, (emit) => command(options, { ...io, emit }));
  };
