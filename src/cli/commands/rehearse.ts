import { rehearseManifest, type RehearseOptions } from "../../engine/rehearse.ts";
import type { Ending } from "../../engine/session/host.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";
import { withAddresses, type WithAddressTexts } from "../../engine/session/read-addresses.ts";

/** Runs a plan on the embedded service, seeded with the live state. */
export const rehearse = (options: WithAddressTexts<RehearseOptions> & PrinterOptions, io: Io): Promise<Ending> =>
  rehearseManifest(withAddresses(options), { ...io, emit: printer(io, options) });
