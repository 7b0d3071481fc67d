import type { Ending } from "../../engine/session/host.ts";
import { initialise, type InitOptions } from "../../engine/init.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

type InitArguments = Pick<InitOptions, "domain" | "import"> &
  Omit<InitOptions, "folder" | "layout" | "only" | "kind" | "own" | "allowFile">;

/** Writes a first manifest, and beside it what a repository of it needs. */
export const init = (
  { folder = "hosting", ...given }: InitArguments & { readonly folder?: string | undefined } & PrinterOptions,
  io: Io,
): Promise<Ending> =>
  initialise(
    { ...given, folder, layout: "folder", only: [], kind: [], own: false, allowFile: [] },
    { ...io, emit: printer(io, given) },
  );
