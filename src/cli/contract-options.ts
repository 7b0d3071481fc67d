import type { Argv } from "yargs";
import { printing } from "./printing.ts";
import { command, common, modulesOf, type MakeHandler } from "./shared-options.ts";

const contractArgument = { type: "string", describe: "a contract file, or the name of a built-in contract" } as const;

const contractCommands = {
  "check <contract>": command("check a contract file, and list what it offers", (args) =>
    common(args)
      .positional("contract", { ...contractArgument, demandOption: true })
      .example("$0 contract check contract.yaml", "check a contract of your own"),
  ),
  "show [contract]": command("print a whole contract, with the built-in contract that it extends", (args) =>
    common(args)
      .positional("contract", contractArgument)
      .example("$0 contract show v2026 > contract.yaml", "begin a contract with the built-in one"),
  ),
};

/** `contract check` and `contract show`. */
export const contractOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      modulesOf(contractCommands, {
        "check <contract>": run(printing(async () => (await import("../engine/contract.ts")).checkContract)),
        "show [contract]": run(printing(async () => (await import("../engine/contract.ts")).showContract)),
      }),
    )
    .demandCommand(1, "Say what to do with the contract: check or show.")
    .example("$0 contract check contract.yaml", "check a contract of your own");
