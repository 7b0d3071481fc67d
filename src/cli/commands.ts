import type { ArgumentsCamelCase, Argv, CommandModule } from "yargs";
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

/** A row for yargs: the words of a command, its line in the help, its options, its handler. */
const row = <T>(
  command: string,
  describe: string,
  builder: (args: Argv) => Argv<T>,
  handler: (options: ArgumentsCamelCase<T>) => void,
  // Rows of different options stand in one list.
) => ({ command, describe, builder, handler }) as unknown as CommandModule;

/** Returns the commands in the order of the help. `run` makes the handler of each; `kindNames` are the kinds that `import --kind` takes. */
export const commands = (run: MakeHandler, kindNames: readonly string[]): readonly CommandModule[] => [
  row(
    "init [folder]",
    "begin: write a first manifest, .gitignore and a CI file",
    initOptions,
    run(async () => (await import("./commands/init.ts")).init),
  ),
  row(
    "validate",
    "check manifests without the API",
    validateOptions,
    onManifest(run)(async () => (await import("./commands/validate.ts")).validate),
  ),
  row(
    "render",
    "print a manifest with its templates and variables put in, without the API",
    renderOptions,
    onManifest(run, { beside: true })(async () => (await import("./commands/render.ts")).render),
  ),
  row(
    "plan",
    "show what an apply would do",
    planOptions,
    onManifest(run)(async () => (await import("./commands/plan.ts")).plan),
  ),
  row("apply [plan]", "plan, ask for approval and apply; or apply a saved plan", applyOptions, (options) =>
    options.plan === undefined
      ? onManifest(run)(async () => (await import("./commands/apply.ts")).apply)(options)
      : run(async () => (await import("./commands/apply.ts")).applyFile)({ ...options, plan: options.plan }),
  ),
  row(
    "rehearse",
    "test a plan on the embedded service, seeded with the live state",
    rehearseOptions,
    onManifest(run)(async () => (await import("./commands/rehearse.ts")).rehearse),
  ),
  row(
    "show <plan>",
    "show a saved plan, without the API",
    showOptions,
    run(async () => (await import("./commands/show.ts")).show),
  ),
  row(
    "why <address>",
    "explain one resource: where it is declared, how it differs from live state, what a plan would change",
    whyOptions,
    onManifest(run)(async () => (await import("./commands/why.ts")).why),
  ),
  row(
    "status [address..]",
    "show how live resources are doing",
    statusOptions,
    onManifest(run, { optional: true })(async () => (await import("./commands/status.ts")).status),
  ),
  row(
    "inventory",
    "show or edit the inventory (the resources that this manifest owns)",
    inventoryOptions,
    onManifest(run)(async () => (await import("./commands/inventory.ts")).inventory),
  ),
  row(
    "snapshot",
    "save the live state, without secrets, for planning without an API key or network",
    snapshotOptions,
    run(async () => (await import("./commands/snapshot.ts")).snapshot),
  ),
  row(
    "import [folder]",
    "write a manifest of an account that exists",
    (args) => importOptions(args, kindNames),
    run(async () => (await import("./commands/import.ts")).importAccount),
  ),
  row(
    "export [zone]",
    "print a zone of a manifest as a zone file, without the API",
    exportOptions,
    onManifest(run, { beside: true })(async () => (await import("./commands/export.ts")).exportManifest),
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
    doctorOptions,
    run(async () => (await import("./commands/doctor.ts")).doctor),
  ),
  row(
    "emulator",
    "run the embedded hosting service on a local data file, for testing",
    (args) => emulatorOptions(args, run),
    run(async () => (await import("./commands/emulator.ts")).emulator),
  ),
  row(
    "completion <shell>",
    "print a script for a shell, which completes commands, flags and addresses",
    completionOptions,
    run(async () => (await import("./commands/completion.ts")).completion),
  ),
];
