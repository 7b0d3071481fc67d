import type { Argv } from "yargs";
import {
  applyOptions,
  doctorOptions,
  exportOptions,
  inventoryOptions,
  rehearseOptions,
  renderOptions,
  snapshotOptions,
  statusOptions,
  validateOptions,
  whyOptions,
  type MakeHandler,
} from "./command-options.ts";
import { contractOptions } from "./contract-options.ts";
import { completionOptions } from "./completion-options.ts";
import { onManifest } from "./find-manifest.ts";
import { importOptions } from "./import-options.ts";
import { initOptions } from "./init-options.ts";
import { emulatorOptions } from "./emulator-options.ts";
import { planOptions, showOptions } from "./plan-options.ts";

/**
 * Adds the commands, with their options, to the program, in the order of its help text. `run` makes the handler of each; `kindNames` are
 * the kinds that `import --kind` takes.
 */
export const addCommands = (program: Argv, run: MakeHandler, kindNames: readonly string[]): Argv =>
  addStateCommands(addPlanCommands(program, run), run, kindNames);

/** Adds the commands from a manifest to its plan and its apply. */
const addPlanCommands = (program: Argv, run: MakeHandler): Argv =>
  program
    .command(
      "init [folder]",
      "begin: write a first manifest, .gitignore and a CI file",
      (args) => initOptions(args),
      run(async () => (await import("./commands/init.ts")).init),
    )
    .command(
      "validate",
      "check manifests without the API",
      (args) => validateOptions(args),
      onManifest(run)(async () => (await import("./commands/validate.ts")).validate),
    )
    .command(
      "render",
      "print a manifest with its templates and variables put in, without the API",
      (args) => renderOptions(args),
      onManifest(run, { beside: true })(async () => (await import("./commands/render.ts")).render),
    )
    .command(
      "plan",
      "show what an apply would do",
      (args) => planOptions(args),
      onManifest(run)(async () => (await import("./commands/plan.ts")).plan),
    )
    .command("apply [plan]", "plan, ask for approval and apply; or apply a saved plan", applyOptions, (options) =>
      options.plan === undefined
        ? onManifest(run)(async () => (await import("./commands/apply.ts")).apply)(options)
        : run(async () => (await import("./commands/apply.ts")).applyFile)({ ...options, plan: options.plan }),
    )
    .command(
      "rehearse",
      "test a plan on the embedded service, seeded with the live state",
      (args) => rehearseOptions(args),
      onManifest(run)(async () => (await import("./commands/rehearse.ts")).rehearse),
    )
    .command(
      "show <plan>",
      "show a saved plan, without the API",
      (args) => showOptions(args),
      run(async () => (await import("./commands/show.ts")).show),
    );

/** Adds the commands that show or save the state of resources, and the embedded service. */
const addStateCommands = (program: Argv, run: MakeHandler, kindNames: readonly string[]): Argv =>
  program
    .command(
      "why <address>",
      "explain one resource: where it is declared, how it differs from live state, what a plan would change",
      (args) => whyOptions(args),
      onManifest(run)(async () => (await import("./commands/why.ts")).why),
    )
    .command(
      "status [address..]",
      "show how live resources are doing",
      (args) => statusOptions(args),
      onManifest(run, { optional: true })(async () => (await import("./commands/status.ts")).status),
    )
    .command(
      "inventory",
      "show or edit the inventory (the resources that this manifest owns)",
      (args) => inventoryOptions(args),
      onManifest(run)(async () => (await import("./commands/inventory.ts")).inventory),
    )
    .command(
      "snapshot",
      "save the live state, without secrets, for planning without an API key or network",
      (args) => snapshotOptions(args),
      run(async () => (await import("./commands/snapshot.ts")).snapshot),
    )
    .command(
      "import [folder]",
      "write a manifest of an account that exists",
      (args) => importOptions(args, kindNames),
      run(async () => (await import("./commands/import.ts")).importAccount),
    )
    .command(
      "export [zone]",
      "print a zone of a manifest as a zone file, without the API",
      (args) => exportOptions(args),
      onManifest(run, { beside: true })(async () => (await import("./commands/export.ts")).exportManifest),
    )
    .command(
      "contract",
      "check or show a contract file, which describes the API of a vendor",
      (args) => contractOptions(args, run),
      () => undefined,
    )
    .command(
      "doctor",
      "compare a contract file with the answers of the API, by reading only",
      (args) => doctorOptions(args),
      run(async () => (await import("./commands/doctor.ts")).doctor),
    )
    .command(
      "emulator",
      "run the embedded hosting service on a local data file, for testing",
      (args) => emulatorOptions(args, run),
      run(async () => (await import("./commands/emulator.ts")).emulator),
    )
    .command(
      "completion <shell>",
      "print a script for a shell, which completes commands, flags and addresses",
      (args) => completionOptions(args),
      run(async () => (await import("./commands/completion.ts")).completion),
    );
