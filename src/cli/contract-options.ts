import type { Argv } from "yargs";
import { common, type MakeHandler } from "./command-options.ts";

/** `contract check` and `contract show`. */
export const contractOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      "check <contract>",
      "check a contract file, and list what it offers",
      (check) =>
        common(check)
          .positional("contract", { ...contractArgument, demandOption: true })
          .example("$0 contract check contract.yaml", "check a contract of your own"),
      run(async () => (await import("./commands/contract.ts")).contractCheck),
    )
    .command(
      "show [contract]",
      "print a whole contract, with the built-in contract that it extends",
      (show) =>
        common(show)
          .positional("contract", contractArgument)
          .example("$0 contract show v2026 > contract.yaml", "begin a contract with the built-in one"),
      run(async () => (await import("./commands/contract.ts")).contractShow),
    )
    .demandCommand(1, "Say what to do with the contract: check or show.")
    .example("$0 contract check contract.yaml", "check a contract of your own");

const contractArgument = { type: "string", describe: "a contract file, or the name of a built-in contract" } as const;
