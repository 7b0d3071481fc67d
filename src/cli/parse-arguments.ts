import { setImmediate } from "node:timers/promises";
import type { Argv } from "yargs";
import { addCommands } from "./add-commands.ts";
import type { MakeHandler } from "./command-options.ts";
import type { Ending } from "../engine/ending.ts";
import { widestHelp } from "./help-page.ts";
import { withHelpWords } from "./help-words.ts";
import { InputError } from "../engine/input-error.ts";
import { quoted } from "../lib/quoted.ts";
import { inputError } from "./input-error.ts";
import type { Io } from "./io.ts";
import { commandFor, flagFor, foreignFlag, isManifestPath, onePathAdvice } from "./other-tools.ts";
import { callHandler, camelCase } from "./plain-line.ts";
import { version } from "../engine/version.ts";

/** Returns the command that the arguments ask for, ready to run; undefined if yargs itself has answered (--help among other words, --version). */
export async function chosenCommand(given: readonly string[], width: number): Promise<Chosen["run"] | undefined> {
  const argv = commandFirst(given);
  await checkFirstWord(argv);
  checkFlags(argv);
  let chosen: Chosen["run"] | undefined;
  const isRead = callHandler(joinDash(argv), (load) => (options) => {
    chosen = async (io) => (await loadCommand(load))(options, io);
  });
  return isRead ? chosen : chosenByYargs(argv, width);
}

/** Returns the arguments with the flags of each command that stand before it behind it. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const index = argv.findIndex((word) => !/^--(?:json|no-color|color)$/u.test(word));
  return index < 1 ? argv : [...argv.slice(index, index + 1), ...argv.slice(0, index), ...argv.slice(index + 1)];
}

/** Returns the same for arguments of every form, and words their mistakes. */
async function chosenByYargs(argv: readonly string[], width: number): Promise<Chosen["run"] | undefined> {
  const choose: MakeHandler = (load) => (options) => {
    throw new Chosen(async (io) => (await loadCommand(load))(options, io));
  };
  const program = await makeParser(argv, choose, width);
  try {
    program.parseSync();
    return undefined;
  } catch (error) {
    if (error instanceof Chosen) return error.run;
    throw await suggestFlag(error, argv);
  }
}

/** Loads a command, and lets a signal that came meanwhile end the process. */
async function loadCommand<T>(load: () => Promise<T>): Promise<T> {
  const command = await load();
  await setImmediate();
  return command;
}

/** Makes handlers that do nothing, for a program that is only asked for its help. */
export const ignoreRun: MakeHandler = () => () => undefined;

/** Thrown by command handlers to leave yargs: if a handler returns, yargs spends 30 ms on help text that is never shown. */
class Chosen extends Error {
  readonly run: (io: Io) => Promise<Ending>;

  constructor(run: Chosen["run"]) {
    super();
    this.run = run;
  }
}

const commandNames = [
  "init",
  "validate",
  "render",
  "plan",
  "rehearse",
  "show",
  "apply",
  "why",
  "status",
  "inventory",
  "snapshot",
  "import",
  "export",
  "contract",
  "doctor",
  "emulator",
  "completion",
] as const;

/** Throws an InputError if the word at which a command is expected is none. yargs would call it an unknown argument. */
async function checkFirstWord(argv: readonly string[]): Promise<void> {
  const [word, next] = withHelpWords(argv);
  if (word === undefined || word.startsWith("-") || commandNames.some((name) => name === word)) return;
  const foreign = commandFor(word, next);
  const near = foreign === undefined ? (await import("../model/nearest.ts")).nearest(word, commandNames) : undefined;
  const all = `the commands are ${commandNames.join(", ")}`;
  const advice = foreign === undefined ? all : `${foreign}; ${all}`;
  throw inputError("bad_arguments", `Unknown command: ${word}`, near === undefined ? advice : `did you mean ${near}?`);
}

/** Throws an InputError for a flag with one dash: yargs would take each of its letters for a flag. */
function checkFlags(argv: readonly string[]): void {
  const foreign = foreignFlag(argv);
  if (foreign) throw inputError("bad_arguments", `Unknown flag: ${foreign.flag}`, foreign.advice);
}

/** Options that take several values; `_` holds the words of the command itself. */
const repeatable = new Set([
  "_",
  "file",
  "address",
  "allow-delete",
  "allowDelete",
  "allow-purchase",
  "allowPurchase",
  "retry",
  "adopt",
  "forget",
  "rotate",
  "allow-file",
  "allowFile",
  "var",
  "var-file",
  "varFile",
  "only",
  "except",
  "kind",
  "from",
]);

/** Makes the parser of a command line. `run`: makes the handler of the command that it names; `width`: characters of a line of its help. */
export async function makeParser(argv: readonly string[], run: MakeHandler, width: number): Promise<Argv> {
  const { default: yargs } = await import("yargs");
  // Only the options of `import` name the kinds, and loading these takes longer than all other options.
  const kinds = argv.includes("import") ? (await import("../kinds/index.ts")).kinds : [];
  const program = yargs(joinDash(withHelpWords(argv)))
    .parserConfiguration({ "dot-notation": false })
    .scriptName("hostform")
    .detectLocale(false)
    .usage("$0 <command>\n\nManages hosting accounts declared in a YAML manifest.")
    .version(version())
    .alias({ help: "h", version: "v" });
  return addCommands(
    program,
    run,
    kinds.map(({ name }) => name),
  )
    .demandCommand(1, `A command is missing: ${commandNames.slice(0, -1).join(", ")} or ${commandNames.at(-1)}.`)
    .check((args) => {
      const twice = Object.entries(args).find(
        ([name, value]) => Array.isArray(value) && name.length > 1 && !repeatable.has(name),
      );
      if (!twice) return true;
      throw inputError("bad_arguments", `--${twice[0]} is given twice`, "give it once");
    })
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(Math.min(width, widestHelp))
    .fail((message, error) => {
      // The parser below yargs hands its own mistakes over as errors.
      throw error && error.name !== "YError" ? error : reworded(message ?? "", argv);
    });
}

/** The arguments that a command cannot do without, as they are written. */
const firstArguments: Readonly<Record<string, string>> = {
  show: "PLAN, a file that plan --out has written",
  why: "ADDRESS, such as mailbox/info@example.com",
  completion: "bash, zsh or fish",
  contract: "a contract file, or a built-in contract",
};

/** Commands of manifests without words of their own. */
const takesManifest = new Set(["validate", "render", "plan", "rehearse", "inventory"]);

/** A mistake in the arguments that yargs tells in one line, or we in two, the second being what to do. */
function reworded(message: string, [word = "", ...rest]: readonly string[]): InputError {
  const paths = (/^Unknown arguments?: (.+)$/u.exec(message)?.[1] ?? "").split(", ");
  const [stray = "", ...others] = paths;
  const hasFile = rest.some((each) => /^(-f|--file(=|$))/u.test(each));
  if (others.length === 0 && !hasFile && takesManifest.has(word) && rest.includes(stray))
    return inputError(
      "bad_arguments",
      `hostform ${word} takes its manifest with -f`,
      stray === "list" ? "hostform inventory lists what is owned" : `write -f ${quoted(stray)}`,
    );
  if (paths.every(isManifestPath))
    return inputError("bad_arguments", `Before ${paths.join(", ")} there is no -f`, onePathAdvice);
  if (message.startsWith("Not enough non-option arguments"))
    return inputError("bad_arguments", `hostform ${word} needs an argument`, `name ${firstArguments[word]}`);
  const [, name] = /^Not enough arguments following: (.+)$/u.exec(message) ?? [];
  if (name !== undefined)
    return inputError(
      "bad_arguments",
      `${name.length > 1 ? "-" : ""}-${name} needs a value`,
      `see hostform ${word} --help`,
    );
  const [, value] = /^Invalid values:\n *(Argument: .+)$/u.exec(message) ?? [];
  const [summary = "", advice = helpOf([word])] = value === undefined ? message.split("\n") : [value];
  return inputError("bad_arguments", summary, advice);
}

/** Returns the advice to read the help of the command that is named. */
function helpOf(argv: readonly string[]): string {
  const command = commandNames.find((name) => argv.find((word) => !word.startsWith("-")) === name);
  return `see hostform ${command === undefined ? "" : `${command} `}--help`;
}

/** Returns the mistake of an unknown flag or value with the one that was likely meant. */
async function suggestFlag(error: unknown, argv: readonly string[]): Promise<unknown> {
  const message = error instanceof InputError ? error.message : "";
  if (message.startsWith("Argument: ")) return suggestValue(message, argv);
  if (message.endsWith(", found NaN")) return withGiven(error as InputError, argv);
  const [, listed] = /^Unknown arguments?: (.+)$/u.exec(message) ?? [];
  // yargs tells a flag of two words in camel case too.
  const unknown = (listed ?? "")
    .split(", ")
    .filter((word, _, all) => !all.some((other) => other !== word && camelCase(other) === word));
  const given = new Set(argv.map((word) => word.replace(/=.*$/su, "")));
  const flags = unknown.flatMap((word) => [word, `no-${word}`].filter((flag) => given.has(`--${flag}`)));
  const { nearest } = await import("../model/nearest.ts");
  if (flags.length === 0) {
    const near = argv[0] === "contract" ? nearest(unknown[0] ?? "", ["check", "show"]) : undefined;
    return near === undefined ? error : inputError("bad_arguments", message, `did you mean ${near}?`);
  }
  const foreign = flags.flatMap((flag) => flagFor(flag) ?? []);
  const help = await (await makeParser(argv, ignoreRun, widestHelp)).getHelp();
  const known = [...help.matchAll(/^ .*?--([a-z][a-z-]*)/gmu)].map(([, name = ""]) => name);
  const near = flags.flatMap((flag) => {
    const word = flag.replace(/^no-/u, "");
    const found = nearest(word, known);
    return found === undefined ? [] : `${word === flag ? "" : "no-"}${found}`;
  });
  return inputError(
    "bad_arguments",
    `Unknown ${flags.length === 1 ? "flag" : "flags"}: ${flags.map((flag) => `--${flag}`).join(", ")}`,
    foreign[0] ?? (near.length === 0 ? helpOf(argv) : `did you mean ${near.map((flag) => `--${flag}`).join(", ")}?`),
  );
}

/** Returns the mistake of a flag that takes a number with the word that was given, of which yargs makes NaN. */
function withGiven({ message, mistake }: InputError, argv: readonly string[]): InputError {
  const flag = message.replace(/:.*/su, "");
  const [word = "", next = ""] = argv.slice(argv.findIndex((each) => each.replace(/=.*/su, "") === flag));
  const found = JSON.stringify(word === flag ? next : word.slice(flag.length + 1));
  const { hint = "" } = mistake.type === "diagnostics" ? (mistake.diagnostics[0] ?? {}) : {};
  return inputError(
    "bad_arguments",
    message.replace(/NaN$/u, () => found),
    hint,
  );
}

/** Words yargs's line about a value that is not among the choices: `Argument: kind, Given: "crom", Choices: "service", "cron"`. */
async function suggestValue(message: string, argv: readonly string[]): Promise<InputError> {
  const [, name = "", ...lists] = /^Argument: (.+?), Given: (.*), Choices: (.*)$/u.exec(message) ?? [];
  const [given = [], choices = []] = lists.map((list) => (JSON.parse(`[${list}]`) as unknown[]).map(String));
  const [wrong = ""] = given.filter((each) => !choices.includes(each));
  const near = (await import("../model/nearest.ts")).nearest(wrong, choices);
  const summary = `${argv.some((word) => word.startsWith(`--${name}`)) ? "--" : ""}${name}: expected one of ${choices.join(", ")}, found ${wrong === "" ? "nothing" : wrong}`;
  return inputError("bad_arguments", summary, near === undefined ? helpOf(argv) : `did you mean ${near}?`);
}

// To yargs a lone "-" is no value; written as --file=- it is.
const joinDash = (argv: readonly string[]) =>
  argv.flatMap((word, index) => {
    if (word === "-" && /^(-f|--file)$/u.test(argv[index - 1] ?? "")) return [];
    return /^(-f|--file)$/u.test(word) && argv[index + 1] === "-" ? ["--file=-"] : [word];
  });
