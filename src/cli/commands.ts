import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
import { optionsOf } from "./command-options.ts";
import { type MakeHandler, common } from "./shared-options.ts";
import type { Ending, Session } from "../engine/session/host.ts";
import { onManifest } from "./find-manifest.ts";
import { emulatorOptions } from "./emulator-options.ts";
import { fleetOptions } from "./fleet-options.ts";
import type { Io } from "./io.ts";
import type { PrinterOptions } from "./printer.ts";

/** `contract check` and `contract show`. */
const contractOptions = (args: Argv, run: MakeHandler) =>
  common(args)
    .command(
      "check <contract>",
      "check a contract file, and list what it offers",
      (check) =>
        common(check)
          .positional("contract", { ...contractArgument, demandOption: true })
          .example("$0 contract check contract.yaml", "check a contract of your own"),
      run(printing(async () => (await import("../engine/contract.ts")).checkContract)),
    )
    .command(
      "show [contract]",
      "print a whole contract, with the built-in contract that it extends",
      (show) =>
        common(show)
          .positional("contract", contractArgument)
          .example("$0 contract show v2026 > contract.yaml", "begin a contract with the built-in one"),
      run(printing(async () => (await import("../engine/contract.ts")).showContract)),
    )
    .demandCommand(1, "Say what to do with the contract: check or show.")
    .example("$0 contract check contract.yaml", "check a contract of your own");

const contractArgument = { type: "string", describe: "a contract file, or the name of a built-in contract" } as const;

/** A row for yargs: the words of a command, its line in the help, its options, its handler. */
const row = <T>(
  command: string,
  describe: string,
  builder: (args: Argv) => Argv<T>,
  handler: (options: ArgumentsCamelCase<T>) => void,
  // Rows of different options stand in one list.
) => ({ command, describe, builder, handler }) as unknown as CommandModule;

/** Loads a command of the engine that needs no more than a printer of its events. */
const printing =
  <T>(load: () => Promise<(options: T, session: Session) => Promise<Ending>>) =>
  async () => {
    const [command, { printer }] = await Promise.all([load(), import("./printer.ts")]);
    return async (options: T & PrinterOptions, io: Io) => command(options, { ...io, emit: printer(io, options) });
  };

/** Returns the commands in the order of the help. `run` makes the handler of each; `kindNames` are the kinds that `import --kind` takes. */
export const commands = (run: MakeHandler, kindNames: readonly string[]): readonly CommandModule[] => [
  row(
    "init [folder]",
    "begin: write a first manifest, .gitignore and a CI file",
    optionsOf.init,
    run(async () => (await import("./commands/init.ts")).init),
  ),
  row(
    "validate",
    "check manifests without the API",
    optionsOf.validate,
    onManifest(run)(async () => (await import("./commands/validate.ts")).validate),
  ),
  row(
    "render",
    "print a manifest with its templates and variables put in, without the API",
    optionsOf.render,
    onManifest(run, { beside: true })(printing(async () => (await import("../engine/render.ts")).renderManifest)),
  ),
  row(
    "plan",
    "show what an apply would do",
    optionsOf.plan,
    onManifest(run)(async () => (await import("./commands/plan.ts")).plan),
  ),
  row("apply [plan]", "plan, ask for approval and apply; or apply a saved plan", optionsOf.apply, (options) =>
    options.plan === undefined
      ? onManifest(run)(async () => (await import("./commands/apply.ts")).apply)(options)
      : run(async () => (await import("./commands/apply.ts")).applyFile)({ ...options, plan: options.plan }),
  ),
  row(
    "rehearse",
    "test a plan on the embedded service, seeded with the live state",
    optionsOf.rehearse,
    onManifest(run)(async () => (await import("./commands/rehearse.ts")).rehearse),
  ),
  row(
    "show <plan>",
    "show a saved plan, without the API",
    optionsOf.show,
    run(async () => (await import("./commands/show.ts")).show),
  ),
  row(
    "drift",
    "show what was changed by hand since the last apply, by reading only",
    optionsOf.drift,
    onManifest(run)(async () => (await import("./commands/drift.ts")).drift),
  ),
  row(
    "verify",
    "ask the name servers whether they answer as declared, without the API",
    optionsOf.verify,
    onManifest(run)(printing(async () => (await import("../engine/verify.ts")).verifyManifest)),
  ),
  row(
    "why <address>",
    "explain one resource: where it is declared, how it differs from live state, what a plan would change",
    optionsOf.why,
    onManifest(run)(printing(async () => (await import("../engine/why.ts")).explainResource)),
  ),
  row(
    "status [address..]",
    "show how live resources are doing",
    optionsOf.status,
    onManifest(run, { optional: true })(async () => (await import("./commands/status.ts")).status),
  ),
  row(
    "inventory",
    "show or edit the inventory (the resources that this manifest owns)",
    optionsOf.inventory,
    onManifest(run)(async () => (await import("./commands/inventory.ts")).inventory),
  ),
  row(
    "snapshot",
    "save the live state, without secrets, for planning without an API key or network",
    optionsOf.snapshot,
    run(printing(async () => (await import("../engine/snapshot.ts")).takeSnapshot)),
  ),
  row(
    "import [folder]",
    "write a manifest of an account that exists",
    (args) => optionsOf.import(args, kindNames),
    run(async () => (await import("./commands/import.ts")).importAccount),
  ),
  row(
    "export [zone]",
    "print a zone of a manifest as a zone file, without the API",
    optionsOf.export,
    onManifest(run, { beside: true })(printing(async () => (await import("../engine/export.ts")).exportZone)),
  ),
  row(
    "contract",
    "check or show a contract file, which describes the API of a vendor",
    (args) => contractOptions(args, run),
    () => undefined,
  ),
  row(
    "doctor",
    "compare a contract file with the answers of the API, by reading only",
    optionsOf.doctor,
    run(printing(async () => (await import("../engine/doctor.ts")).probeApi)),
  ),
  row(
    "emulator",
    "run the embedded hosting service on a local data file, for testing",
    (args) => emulatorOptions(args, run),
    run(async () => (await import("./commands/emulator.ts")).emulator),
  ),
  row(
    "fleet",
    "plan, apply and watch many accounts, with workers on any machine",
    (args) => fleetOptions(args, run),
    () => undefined,
  ),
  row(
    "mcp [folder]",
    "serve validate, plan, drift, why, status, snapshot and rehearse to an AI agent, by reading only",
    optionsOf.mcp,
    run(async () => (await import("./commands/mcp.ts")).mcp),
  ),
  row(
    "completion <shell>",
    "print a script for a shell, which completes commands, flags and addresses",
    optionsOf.completion,
    run(async () => (await import("./commands/completion.ts")).completion),
  ),
];
