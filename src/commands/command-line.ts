import yargs, { type Argv } from "yargs";
import { renderDiagnostics } from "../render/diagnostics.ts";
import { diagnosticEvent, renderEvent } from "../render/events.ts";
import { exitCode, type ExitCode } from "./exit-code.ts";
import { InputError, inputError } from "./input-error.ts";
import type { Io } from "./io.ts";
import { version } from "./version.ts";

/** Parses the arguments, runs the command that they name, and says with which status to exit. Nothing is thrown. */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<ExitCode> {
  let status: ExitCode = exitCode.done;
  const run =
    <T>(load: () => Promise<(options: T, io: Io) => Promise<ExitCode>>) =>
    async (options: T) => {
      const command = await load();
      status = await command(options, io);
    };
  try {
    await commandLine(argv, run).parseAsync();
    return status;
  } catch (error) {
    return explain(error, argv.includes("--json"), io);
  }
}

type Run = <T>(load: () => Promise<(options: T, io: Io) => Promise<ExitCode>>) => (options: T) => Promise<void>;

function commandLine(argv: readonly string[], run: Run): Argv {
  return yargs([...argv])
    .scriptName("hostform")
    .usage("$0 <command>\n\nKeeps hosting accounts as a YAML manifest has them.")
    .version(version())
    .command(
      "validate",
      "check manifests without the API",
      (args) => manifestOptions(args),
      run(async () => (await import("./validate.ts")).validate),
    )
    .command(
      "plan",
      "show what an apply would do",
      (args) => planOptions(args),
      run(async () => (await import("./plan.ts")).planCommand),
    )
    .command(
      "apply",
      "plan, ask, and do it",
      (args) => applyOptions(args),
      run(async () => (await import("./apply.ts")).apply),
    )
    .command(
      "emulator",
      "serve the hosting API from a file, to try things on",
      (args) => emulatorOptions(args, run),
      run(async () => (await import("./emulator.ts")).emulator),
    )
    .demandCommand(1, "A command is missing: validate, plan, apply or emulator.")
    .strict()
    .recommendCommands()
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(Math.min(120, 120))
    .fail((message, error) => {
      throw error ?? inputError("bad_arguments", message, "see hostform --help");
    });
}

const common = (args: Argv) =>
  args.option("json", { type: "boolean", default: false, describe: "one JSON event a line" }).option("color", {
    type: "boolean",
    default: true,
    describe: "colours on a terminal (--no-color; NO_COLOR is honoured)",
  });

const manifestOptions = (args: Argv) =>
  common(args).option("file", {
    alias: "f",
    type: "string",
    array: true,
    requiresArg: true,
    demandOption: "Say which manifest: -f FILE, -f FOLDER, or -f - for standard input.",
    describe: "a manifest, a folder of them, or - (repeatable)",
  });

const targetOptions = (args: Argv) =>
  manifestOptions(args)
    .option("base-url", {
      type: "string",
      requiresArg: true,
      describe: "the API's origin, https only (HOSTFORM_BASE_URL)",
    })
    .option("ca-file", {
      type: "string",
      requiresArg: true,
      describe: "PEM of the authority to trust (HOSTFORM_CA_FILE)",
    })
    .option("contract", {
      type: "string",
      requiresArg: true,
      describe: "how the API is spoken to (HOSTFORM_CONTRACT); default: built in, v2026",
    })
    .option("key-file", {
      type: "string",
      requiresArg: true,
      describe: "file with the API key, mode 0600 (HOSTFORM_KEY_FILE); default: HOSTFORM_API_KEY",
    })
    .option("emulator", {
      type: "boolean",
      default: false,
      describe: "use the embedded service for the length of the command",
    })
    .option("emulator-data", {
      type: "string",
      requiresArg: true,
      describe: "the embedded service's store, kept; implies --emulator",
    })
    .option("parallelism", { type: "number", requiresArg: true, default: 10, describe: "requests under way at most" })
    .option("allow-delete", {
      type: "string",
      array: true,
      requiresArg: true,
      default: [] as string[],
      describe: "a protected address that may be deleted or replaced (repeatable)",
    })
    .option("allow-purchase", {
      type: "string",
      array: true,
      requiresArg: true,
      default: [] as string[],
      describe: "an address that may be registered or transferred (repeatable)",
    })
    .check(({ parallelism }) => {
      if (Number.isInteger(parallelism) && parallelism >= 1 && parallelism <= 128) return true;
      throw inputError(
        "bad_arguments",
        `--parallelism ${parallelism}: expected a whole number from 1 to 128`,
        "see hostform --help",
      );
    });

const planOptions = (args: Argv) =>
  targetOptions(args).option("detailed-exitcode", {
    type: "boolean",
    default: false,
    describe: "exit 2 where there are changes",
  });

const applyOptions = (args: Argv) =>
  targetOptions(args)
    .option("auto-approve", { type: "boolean", default: false, describe: "apply without asking" })
    .option("settle", {
      type: "number",
      requiresArg: true,
      default: 30,
      describe: "seconds that the live state may take to match",
    })
    .option("wait-timeout", {
      type: "number",
      requiresArg: true,
      default: 600,
      describe: "seconds to wait for one object to become usable",
    });

const emulatorOptions = (args: Argv, run: Run) =>
  common(args)
    .command(
      "log",
      "print the audit log of a data file",
      (log) =>
        common(log).option("data", {
          type: "string",
          requiresArg: true,
          demandOption: "Say whose log: --data FILE.",
          describe: "the data file",
        }),
      run(async () => (await import("./emulator.ts")).emulatorLog),
    )
    .option("host", { type: "string", requiresArg: true, default: "127.0.0.1", describe: "address to listen on" })
    .option("port", { type: "number", requiresArg: true, default: 0, describe: "port; 0: any free one" })
    .option("data", {
      type: "string",
      requiresArg: true,
      describe: "the SQLite file that keeps everything; default: a temporary store",
    })
    .option("key", {
      type: "string",
      requiresArg: true,
      describe: "API key with all permissions; default: one is made on first start",
    })
    .option("per-page-max", { type: "number", requiresArg: true, describe: "largest page; default 100" })
    .option("latency", { type: "number", requiresArg: true, describe: "milliseconds added to each answer" })
    .option("rate-limit", { type: "string", requiresArg: true, describe: "requests a minute, such as 600/min" })
    .option("async", { type: "number", requiresArg: true, describe: "milliseconds that pending things stay pending" })
    .option("seed", { type: "string", requiresArg: true, describe: "JSON file to fill the store from" });

/** The one place where an error becomes words and a status: input mistakes, the machine's refusals, our bugs. */
function explain(error: unknown, json: boolean, io: Io): ExitCode {
  if (error instanceof InputError) {
    if (json) error.diagnostics.map(diagnosticEvent).map(renderEvent).forEach(io.write);
    else io.writeError(renderDiagnostics(error.diagnostics, { color: io.color }));
    return exitCode.wrongInput;
  }
  const {
    hint,
    message = String(error),
    stack = "",
  } = (error ?? {}) as { hint?: string; message?: string; stack?: string };
  if (hint !== undefined) io.writeError(`${message}\n  ${hint}\n`);
  else io.writeError(`This is a bug in Hostform, please report it with the lines below.\n${stack || message}\n`);
  return exitCode.unexpected;
}
