import { setImmediate } from "node:timers/promises";
import type { Argv } from "yargs";
import { isManifestPath, onePathAdvice } from "./check-options.ts";
import { commands } from "./commands.ts";
import type { MakeHandler } from "./command-options.ts";
import type { Ending } from "../engine/session/ending.ts";
import { InputError, inputError } from "../engine/session/input-error.ts";
import { quoted } from "../lib/quoted.ts";
import { nearest } from "../model/nearest.ts";
import type { Io } from "./io.ts";
import { wordHere } from "./other-tools.ts";
import { version } from "../engine/session/version.ts";

type Run = (io: Io) => Promise<Ending>;

/** Characters of the longest line of a help text. */
const widestHelp = 120;

/** Returns the command that the arguments ask for, ready to run, or the text that yargs prints in its place: a help text or the version. */
export async function chosenCommand(given: readonly string[], width: number): Promise<Run | string> {
  const argv = commandFirst(given);
  checkFirstWord(argv);
  await checkDashes(argv);
  let chosen: Run | undefined;
  let printed = "";
  const choose: MakeHandler = (load) => (options) => {
    chosen = async (io) => (await loadCommand(load))(options, io);
  };
  const program = await makeParser(argv, choose, Math.min(width, widestHelp));
  try {
    await program.parse(joinDash(withHelpWords(argv)), {}, (_error, _options, output) => {
      printed = withTypesApart(output);
    });
  } catch (error) {
    throw await suggestFlag(error, argv);
  }
  return chosen ?? printed;
}

/** Returns the help text of the command that a command line names. Default: the help text of the program. */
export async function helpTextOf(words: readonly string[], width: number): Promise<string> {
  const named = words.filter((word) => !word.startsWith("-"));
  return withTypesApart(await (await makeParser(named, ignoreRun, width)).getHelp());
}

/** Gives the type of an option a line of its own where yargs joins it to the last word of a text that fills its line. */
const withTypesApart = (help: string): string =>
  help.replaceAll(
    /^(.*[^\s[])(\[[a-z]+\].*)$/gmu,
    (line, text: string, type: string) => `${text}\n${type.padStart(line.length)}`,
  );

/** Returns the arguments with the flags of each command that stand before it behind it. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const index = argv.findIndex((word) => !/^--(?:json|no-color|color)$/u.test(word));
  return index < 1 ? argv : [...argv.slice(index, index + 1), ...argv.slice(0, index), ...argv.slice(index + 1)];
}

/** Replaces the words `help` and `version` by the flags that yargs knows: `help plan` is `plan --help`. */
function withHelpWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === "version") return ["--version", ...rest];
  return first === "help" ? [...rest, "--help"] : argv;
}

/** Loads a command, and lets a signal that came meanwhile end the process. */
async function loadCommand<T>(load: () => Promise<T>): Promise<T> {
  const command = await load();
  await setImmediate();
  return command;
}

/** Makes handlers that do nothing, for a program that is only asked for its help. */
const ignoreRun: MakeHandler = () => () => undefined;

const commandNames = commands(ignoreRun, []).map(({ command }) => String(command).replace(/ .*/u, ""));

/** Throws an InputError if the word at which a command is expected is not a command. yargs would call it an unknown argument. */
function checkFirstWord(argv: readonly string[]): void {
  const [word] = withHelpWords(argv);
  if (word === undefined || word.startsWith("-") || commandNames.includes(word)) return;
  const foreign = wordHere(word);
  const near = foreign === undefined ? nearest(word, commandNames) : undefined;
  const all = `the commands are ${commandNames.join(", ")}`;
  const advice = foreign === undefined ? all : `${foreign}; ${all}`;
  throw inputError("bad_arguments", `Unknown command: ${word}`, near === undefined ? advice : `did you mean ${near}?`);
}

/** Throws an InputError for a flag with one dash that is not -f, -h or -v. yargs would take each of its letters for a flag. */
async function checkDashes(argv: readonly string[]): Promise<void> {
  for (const word of argv) {
    const [, name] = /^-(?![fhv](?:=|$))([a-z][a-z-]*)(?:=.*)?$/su.exec(word) ?? [];
    if (name === undefined) continue;
    const isOurs = (await knownFlags(argv)).includes(name.replace(/^no-/u, ""));
    const advice = isOurs ? `write --${name}, with two dashes` : wordHere(name);
    // A letter with a value is written like this as well, such as -fhosting.
    if (advice === undefined && /^[fhv]/u.test(name)) continue;
    throw inputError("bad_arguments", `Unknown flag: -${name}`, advice ?? helpOf(argv));
  }
}

/** Returns the names of the flags that the command of these arguments takes. */
async function knownFlags(argv: readonly string[]): Promise<readonly string[]> {
  const help = await helpTextOf(argv, widestHelp);
  return [...help.matchAll(/^ .*?--([a-z][a-z-]*)/gmu)].map(([, name = ""]) => name);
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

/** Members of yargs that its types lack. */
interface Untyped {
  readonly getOptions: () => { readonly boolean: readonly string[] };
  readonly getInternalMethods: () => { readonly getUsageInstance: () => { cacheHelpMessage: () => void } };
}

/** Makes the parser of a command line. `run`: makes the handler of the command that it names; `width`: characters of a line of its help. */
async function makeParser(argv: readonly string[], run: MakeHandler, width: number): Promise<Argv> {
  const { default: yargs } = await import("yargs");
  // Only the options of `import` name the kinds, and loading these takes longer than all other options.
  const kinds = argv.includes("import") ? (await import("../kinds/index.ts")).kinds : [];
  const program = yargs([...argv])
    .parserConfiguration({ "dot-notation": false })
    .scriptName("hostform")
    .detectLocale(false)
    .usage("$0 <command>\n\nManages hosting accounts declared in a YAML manifest.")
    .version(version())
    .alias({ help: "h", version: "v" });
  const names = kinds.map(({ name }) => name);
  const untyped = program as Argv & Untyped;
  // After each command yargs would lay out the help text, in case that its handler fails. Ours only chooses the command.
  untyped.getInternalMethods().getUsageInstance().cacheHelpMessage = () => undefined;
  // yargs takes --no-inventory for a value of --inventory, though that is not a switch.
  const isSwitch = (name: string) => untyped.getOptions().boolean.includes(name);
  return program
    .command([...commands(run, names)])
    .demandCommand(1, `A command is missing: ${commandNames.slice(0, -1).join(", ")} or ${commandNames.at(-1)}.`)
    .check((args) => {
      const denied = Object.keys(args).find((name) => argv.includes(`--no-${name}`) && !isSwitch(name));
      if (denied !== undefined) throw inputError("bad_arguments", `Unknown flag: --no-${denied}`, helpOf(argv));
      const twice = Object.entries(args).find(
        ([name, value]) => Array.isArray(value) && name.length > 1 && !repeatable.has(name),
      );
      if (!twice) return true;
      throw inputError("bad_arguments", `--${twice[0]} is given twice`, "give it once");
    })
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(width)
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

const inCamelCase = (word: string) => word.replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());

/** Returns the mistake of an unknown flag or value with the one that was likely meant. */
async function suggestFlag(error: unknown, argv: readonly string[]): Promise<unknown> {
  const message = error instanceof InputError ? error.message : "";
  if (message.startsWith("Argument: ")) return suggestValue(message, argv);
  if (message.endsWith(", found NaN")) return withGiven(error as InputError, argv);
  const [, listed] = /^Unknown arguments?: (.+)$/u.exec(message) ?? [];
  // yargs tells a flag of two words in camel case too.
  const unknown = (listed ?? "")
    .split(", ")
    .filter((word, _, all) => !all.some((other) => other !== word && inCamelCase(other) === word));
  const given = new Set(argv.map((word) => word.replace(/=.*$/su, "")));
  const flags = unknown.flatMap((word) => [word, `no-${word}`].filter((flag) => given.has(`--${flag}`)));
  if (flags.length === 0) {
    const near = argv[0] === "contract" ? nearest(unknown[0] ?? "", ["check", "show"]) : undefined;
    return near === undefined ? error : inputError("bad_arguments", message, `did you mean ${near}?`);
  }
  const foreign = flags.flatMap((flag) => wordHere(flag) ?? []);
  const known = await knownFlags(argv);
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
function suggestValue(message: string, argv: readonly string[]): InputError {
  const [, name = "", ...lists] = /^Argument: (.+?), Given: (.*), Choices: (.*)$/u.exec(message) ?? [];
  const [given = [], choices = []] = lists.map((list) => (JSON.parse(`[${list}]`) as unknown[]).map(String));
  const [wrong = ""] = given.filter((each) => !choices.includes(each));
  const near = nearest(wrong, choices);
  const summary = `${argv.some((word) => word.startsWith(`--${name}`)) ? "--" : ""}${name}: expected one of ${choices.join(", ")}, found ${wrong === "" ? "nothing" : wrong}`;
  return inputError("bad_arguments", summary, near === undefined ? helpOf(argv) : `did you mean ${near}?`);
}

// yargs does not take a lone "-" as a value; it takes --file=-.
const joinDash = (argv: readonly string[]) =>
  argv.flatMap((word, index) => {
    if (word === "-" && /^(-f|--file)$/u.test(argv[index - 1] ?? "")) return [];
    return /^(-f|--file)$/u.test(word) && argv[index + 1] === "-" ? ["--file=-"] : [word];
  });
