import { resolve } from "node:path";
import type { Ending } from "../engine/session/host.ts";
import { inputError, orMistake } from "../engine/session/input-error.ts";
import { exitCodes } from "../render/exit-codes.ts";
import { explain, printMistake } from "./endings.ts";
import type { Io, OuterIo } from "./io.ts";
import { beforeCommand } from "./shared-options.ts";
import { maskingIo } from "./masking-io.ts";
import { keepKeys } from "../engine/session/read-key.ts";
import { existsSync } from "node:fs";
import type { Diagnostic } from "../model/diagnostic.ts";

/** Parses the arguments, runs the command that they name, and says with which status to exit. Nothing is thrown. */
export async function runCommandLine(argv: readonly string[], outer: OuterIo): Promise<number> {
  const io = maskingIo(outer);
  const ending = await run(argv, io);
  io.showStatus("");
  return exitCodes[ending];
}

async function run(argv: readonly string[], io: Io): Promise<Ending> {
  try {
    requireWorkingFolder();
    keepKeys(valuesIn(argv, "key"), io);
    if (argv[0] === "completion" && argv[1] === "--") return await answer(argv.slice(2), io);
    const { chosenCommand } = await import("./parse-arguments.ts");
    const diagnostics = await unknownVariables(argv, io.env);
    if (diagnostics.length > 0) await printMistake({ type: "diagnostics", diagnostics }, formOf(argv), io);
    const chosen = await chosenCommand(argv, io.width);
    if (typeof chosen !== "string") return await chosen(io);
    io.write(`${chosen}\n`);
    return "done";
  } catch (error) {
    // First, so that its URL is masked in what is said of the mistake.
    const post = await notifierOf(argv, io);
    const ending = await explain(error, formOf(argv), io);
    await post?.(ending);
    return ending;
  }
}

/** Returns a function that posts how a command ended that a mistake has stopped, where such a command posts how it ends. */
async function notifierOf(argv: readonly string[], io: Io) {
  const command = argv.find((word) => !beforeCommand.test(word));
  if (command !== "apply" && command !== "drift") return undefined;
  const { notifierOfMistakes } = await import("./notifying.ts");
  return notifierOfMistakes(command, { notifyUrl: valuesIn(argv, "notify").at(-1) }, formOf(argv), io);
}

function formOf(argv: readonly string[]) {
  const isJson = argv.includes("--json") || argv.includes("--format=json");
  const json = isJson || argv.some((word, index) => word === "json" && argv[index - 1] === "--format");
  return { json, all: argv.includes("--all-diagnostics") };
}

/** The flags that are read before the arguments are, however they are written. */
const earlyFlags = { key: /^--key-?file(?:=|$)/iu, notify: /^--notify-?url(?:=|$)/iu };

/** Returns the values of such a flag in a command line. */
const valuesIn = (argv: readonly string[], name: keyof typeof earlyFlags): readonly string[] =>
  argv.flatMap((word, index) => {
    const flag = earlyFlags[name].exec(word)?.[0];
    return flag === undefined ? [] : [word.slice(flag.length) || (argv[index + 1] ?? "")];
  });

/** Answers a script of `hostform completion`, which asks for the words that fit. */
async function answer(given: readonly string[], io: Io): Promise<Ending> {
  const { answerShell } = await import("./complete.ts");
  for (const word of await answerShell(given, io)) io.write(`${word}\n`);
  return "done";
}

/** Throws an InputError if the working folder was removed: no relative path means anything then. */
function requireWorkingFolder(): void {
  const remedy = "change to a folder that exists, and run the command again";
  orMistake(
    () => resolve("."),
    (reason) => inputError("no_working_folder", `The working folder cannot be found: ${reason}`, remedy).mistake,
  );
}

/** The variables of the environment, without `HOSTFORM_`. PACKAGE is for the workflow that init writes. */
const known = [
  "API_KEY",
  "KEY_FILE",
  "BASE_URL",
  "CA_FILE",
  "CONTRACT",
  "FILE",
  "PACKAGE",
  "EXEC_FILE",
  "POLICY_COMMAND",
  "NOTIFY_URL",
  "DATABASE_URL",
];

/**
 * Returns a warning for each variable `HOSTFORM_…` that nothing reads, and whose name is nearly that of one which is read. A manifest or
 * a saved plan may refer to any name; one that comes from standard input is not looked at, and nothing is said then.
 */
async function unknownVariables(argv: readonly string[], env: Io["env"]): Promise<Diagnostic[]> {
  const names = Object.keys(env).filter(
    (name) => /^HOSTFORM_(?!(?:VAR|EXEC)_)/u.test(name) && !known.includes(name.slice(9)),
  );
  const words = argv.map((word) => word.replace(/^--?[\w-]+=/u, ""));
  if (names.length === 0 || words.includes("-")) return [];
  const { nearest } = await import("../model/nearest.ts");
  const misspelled = names.flatMap((name) => {
    const meant = nearest(name.slice(9), known);
    return meant === undefined ? [] : { name, meant };
  });
  if (misspelled.length === 0) return [];
  const { readSources } = await import("../manifest/sources.ts");
  const paths = [...words.slice(1), env["HOSTFORM_FILE"] ?? "hosting", "hostform.yaml"].filter((path) =>
    existsSync(path),
  );
  const { sources } = await readSources(paths, { readStdin: async () => Buffer.of() });
  const isNamed = (name: string) =>
    sources.some(({ text }) => text.includes(`\${env:${name}}`) || text.includes(`"env": "${name}"`));
  return misspelled
    .filter(({ name }) => !isNamed(name))
    .map(({ name, meant }) => ({
      severity: "warning",
      code: "unknown_variable",
      summary: `The variable ${name} has no effect`,
      hint: `did you mean HOSTFORM_${meant}?`,
    }));
}
