import { checkContract, showContract, type ContractOptions } from "../../engine/contract.ts";
import type { Ending } from "../../engine/session/ending.ts";
import type { Io } from "../io.ts";
import { printer, type PrinterOptions } from "../printer.ts";

/** Checks a contract file, and prints its offer. */
export const contractCheck = (
  options: ContractOptions & { readonly contract: string } & PrinterOptions,
  io: Io,
): Promise<Ending> => checkContract(options, printer(io, options));

/** Prints a whole contract as YAML. */
export const contractShow = (options: ContractOptions & PrinterOptions, io: Io): Promise<Ending> =>
  showContract(options, printer(io, options));
