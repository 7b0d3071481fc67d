import { resolve } from "node:path";
import type { Ending } from "../engine/session/ending.ts";
import { InputError, inputError } from "../engine/session/input-error.ts";
import type { InputMistake } from "../messages/mistakes.ts";
import type { Io, OuterIo } from "./io.ts";
import { keepKeys } from "../engine/session/read-key.ts";
import { version } from "../engine/session/version.ts";
import { printable } from "../render/layout.ts";
import { breakLogCommands } from "../lib/escape.ts";
import { inWords } from "../lib/system-words.ts";
import { renderEvent } from "../render/mask-event.ts";
import { statusLine } from "./status-line.ts";
import { withoutEmpty } from "../engine/session/node-host.ts";
import { knownSecrets } from "../engine/secrets/known-secrets.ts";
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
  const report = `This is a bug in Hostform, please report it with the lines below.\n${place}\n${stack || message}`;
  io.writeError(
    `${report
      .split("\n")
      .map((line) => printable(io, line))
      .join("\n")}\n`,
  );
  return "unexpected";
}

async function print(mistake: InputMistake, argv: readonly string[], io: Io): Promise<void> {
  const { printMistake } = await import("./print-mistake.ts");
  printMistake(mistake, { json: asksForJson(argv), all: argv.includes("--all-diagnostics") }, io);
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
  if ("code" in error && error.code === "NO_PLACE")
    return inputError("not_written", error.message, "name a file in a folder that exists");
  const isRefusal = "syscall" in error && "code" in error && diskRefusals.has(String(error.code));
  if (!isRefusal) return undefined;
  const { path = "A path", message } = inWords(error) as NodeJS.ErrnoException;
  return inputError("unusable_path", `${path} cannot be used: ${message}`, "check the path and the disk");
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

const asksForJson = (argv: readonly string[]) =>
  argv.some(
    (word, index) =>
      word === "--json" || word === "--format=json" || (word === "json" && argv[index - 1] === "--format"),
  );

/** The exit status of each ending. */
const exitCodes: Readonly<Record<Ending, number>> = {
  done: 0,
  unexpected: 1,
  changes: 2,
  wrong_input: 3,
  api_unavailable: 4,
  failed_in_part: 5,
  refused: 6,
  not_converged: 7,
  pending_elsewhere: 8,
  interrupted: 130,
};

/** Returns the world outside with every secret masked in all that is printed. */
export function maskingIo(outer: OuterIo): Io {
  const secrets = knownSecrets();
  const { mask } = secrets;
  let hasBegun = false;
  const status = statusLine(outer.writeError, outer.columnsToErase ?? (() => undefined));
  const writeWith = (write: (text: string) => void, text: string) => {
    status.erase();
    write(breakLogCommands(text));
  };
  return {
    ...outer,
    showStatus: status.show,
    env: withoutEmpty(outer.env),
    write: (text) => writeWith(outer.write, mask(text)),
    writeError: (text) => writeWith(outer.writeError, mask(text)),
    writeCommand: (text) => {
      status.erase();
      outer.writeError(text);
    },
    writeEvent: (event) => {
      // A mistake that shows late brings its own beginning.
      if (event.type === "version" && hasBegun) return;
      hasBegun = true;
      writeWith(outer.write, renderEvent(event, mask));
    },
    ask: async (question, stop) => {
      status.erase();
      return outer.ask(question, stop);
    },
    ...secrets,
  };
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
