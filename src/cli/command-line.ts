import { resolve } from "node:path";
import type { Ending } from "../engine/ending.ts";
import { exitCodes } from "./exit-code.ts";
import { InputError, type InputMistake } from "../engine/input-error.ts";
import { inputError } from "./input-error.ts";
import type { Io, OuterIo } from "./io.ts";
import { maskingIo } from "./masking-io.ts";
import { keepKeys } from "../engine/read-key.ts";
import { version } from "../engine/version.ts";
import { printableMessage } from "../render/layout.ts";
import { unknownVariables } from "./unknown-variables.ts";

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
    keepKeys(keyFilesIn(argv), io);
    if (argv[0] === "completion" && argv[1] === "--") return await answer(argv.slice(2), io);
    const { chosenCommand } = await import("./parse-arguments.ts");
    const diagnostics = await unknownVariables(argv, io.env);
    if (diagnostics.length > 0) await print({ type: "diagnostics", diagnostics }, argv, io);
    const chosen = await chosenCommand(argv, io.width);
    if (typeof chosen !== "string") return await chosen(io);
    io.write(`${chosen}\n`);
    return "done";
  } catch (error) {
    return await explain(error, argv, io);
  }
}

/** Returns the key files of a command line, however their flag is written: the arguments are not read yet. */
const keyFilesIn = (argv: readonly string[]): readonly string[] =>
  argv.flatMap((word, index) => {
    const flag = /^--key-?file(?:=|$)/iu.exec(word)?.[0];
    return flag === undefined ? [] : [word.slice(flag.length) || (argv[index + 1] ?? "")];
  });

/** Answers a script of `hostform completion`, which asks for the words that fit. */
async function answer(given: readonly string[], io: Io): Promise<Ending> {
  const { answerShell } = await import("./complete.ts");
  const found = await answerShell(given, io);
  io.write(found.map((word) => `${word}\n`).join(""));
  return "done";
}

/** Throws an InputError if the working folder was removed: no relative path means anything then. */
function requireWorkingFolder(): void {
  try {
    resolve(".");
  } catch (error) {
    const summary = `The working folder cannot be found: ${(error as Error).message}`;
    throw inputError("no_working_folder", summary, "change to a folder that exists, and run the command again");
  }
}

/** The one place where an error becomes words and a status: input mistakes, the machine's refusals, our bugs. */
async function explain(error: unknown, argv: readonly string[], io: Io): Promise<Ending> {
  const mistake = asInputError(error);
  if (mistake) {
    await print(mistake.mistake, argv, io);
    return mistake.ending;
  }
  const { message = String(error), stack = "" } = (error ?? {}) as { message?: string; stack?: string };
  const place = `Hostform ${version()}, Node.js ${process.versions.node}`;
  const told = `This is a bug in Hostform, please report it with the lines below.\n${place}\n${stack || message}`;
  io.writeError(
    `${told
      .split("\n")
      .map((line) => printableMessage(io, line))
      .join("\n")}\n`,
  );
  return "unexpected";
}

async function print(mistake: InputMistake, argv: readonly string[], io: Io): Promise<void> {
  const { printMistake } = await import("./print-mistake.ts");
  printMistake(mistake, { json: argv.includes("--json"), all: argv.includes("--all-diagnostics") }, io);
}

/** Our own input errors, what yargs throws for arguments that it cannot read, and what the embedded service and the system refuse. */
function asInputError(error: unknown): InputError | undefined {
  if (error instanceof InputError) return error;
  if (!(error instanceof Error)) return undefined;
  if (error.name === "YError") return inputError("bad_arguments", error.message, "see hostform --help");
  // The embedded service is loaded only if it is used, so its errors are known by their hint.
  if ("hint" in error) return inputError("emulator", error.message, String(error.hint));
  if ("code" in error && error.code === "LEADS_OUT")
    return inputError("leads_out", error.message, "remove the link, or name another place");
  const isRefusal = "syscall" in error && "code" in error && diskRefusals.has(String(error.code));
  return isRefusal
    ? inputError("unusable_path", `The system refused: ${error.message}`, "check the path and the disk")
    : undefined;
}

/** The system's error codes for a path that is wrong, or that this user may not use, and for a disk that is full. */
const diskRefusals: ReadonlySet<string> = new Set([
  "EACCES",
  "EDQUOT",
  "EEXIST",
  "EFBIG",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOSPC",
  "ENOTDIR",
  "ENOTEMPTY",
  "ENXIO",
  "EPERM",
  "EROFS",
]);
