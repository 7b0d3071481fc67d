import { rehearseManifest, type RehearseOptions } from "../../engine/rehearse.ts";
import type { Ending } from "../../engine/session/host.ts";
import type { Io } from "../io.ts";
import { policyOf, type PolicyOptions } from "../policy.ts";
import { printer, type PrinterOptions } from "../printer.ts";
import { withAddresses, type WithAddressTexts } from "../../engine/session/read-addresses.ts";

/** Runs a plan on the embedded service, seeded with the live state. */
export const rehearse = async (
  options: WithAddressTexts<RehearseOptions> & PrinterOptions & PolicyOptions,
  io: Io,
): Promise<Ending> =>
  rehearseManifest({ ...withAddresses(options), judge: policyOf(options, io) }, { ...io, emit: printer(io, options) });
