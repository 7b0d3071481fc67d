import { setImmediate } from "node:timers/promises";
import type { Argv } from "yargs";
import { isGivenWell, isManifestPath, onePathAdvice, type DeclaredOptions } from "./check-options.ts";
import { commands } from "./commands.ts";
import { beforeCommand, type MakeHandler } from "./shared-options.ts";
import type { Ending } from "../engine/session/host.ts";
import { badArguments, InputError } from "../engine/session/input-error.ts";
import { plural } from "../lib/shorten.ts";
import { quoted } from "../lib/escape.ts";
import { nearest } from "../model/nearest.ts";
import type { Io } from "./io.ts";
import { wordHere } from "./other-tools.ts";
import { version } from "../engine/session/node-host.ts";

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
    chosen = async (io) => {
      const command = await load();
      // A signal that came meanwhile ends the process.
      await setImmediate();
      return command(options, io);
    };
  };
  const program = await makeParser(argv, choose, Math.min(width, widestHelp));
  await program.parse(joinDash(withHelpWords(argv)), {}, (_error, _options, output) => {
    printed = withTypesApart(output);
  });
  return chosen ?? printed;
}

/** Gives the type of an option a line of its own where yargs joins it to the last word of a text that fills its line. */
const withTypesApart = (help: string): string =>
  help.replaceAll(
    /^(.*[^\s[])(\[[a-z]+\].*)$/gmu,
    (line, text: string, type: string) => `${text}\n${type.padStart(line.length)}`,
  );

/** Returns the arguments with the flags of each command that stand before it behind it. */
function commandFirst(argv: readonly string[]): readonly string[] {
  const index = argv.findIndex((word) => !beforeCommand.test(word));
  return index < 1 ? argv : [...argv.slice(index, index + 1), ...argv.slice(0, index), ...argv.slice(index + 1)];
}

/** Replaces the words `help` and `version` by the flags that yargs knows: `help plan` is `plan --help`. */
function withHelpWords(argv: readonly string[]): readonly string[] {
  const [first, ...rest] = argv;
  if (first === "version") return ["--version", ...rest];
  return first === "help" ? [...rest, "--help"] : argv;
}

/** Makes handlers that do nothing, for a program that is only asked for its options. */
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
  throw badArguments(`Unknown command: ${word}`, near === undefined ? advice : `did you mean ${near}?`);
}

/** Throws an InputError for a flag with one dash that is not -f, -h or -v, whose letters yargs would take for flags, and for `--`, behind which it drops flags. */
async function checkDashes(argv: readonly string[]): Promise<void> {
  if (argv.includes("--")) throw badArguments("Unknown argument: --", "leave it out");
  for (const word of argv) {
    const [, name] = /^-(?![fhv](?:=|$))([a-z][a-z-]*)(?:=.*)?$/su.exec(word) ?? [];
    if (name === undefined) continue;
    const isOurs = (await offerOf(argv)).flags.has(name.replace(/^no-/u, ""));
    const advice = isOurs ? `write --${name}, with two dashes` : wordHere(name);
    // A letter with a value is written like this as well, such as -fhosting.
    if (advice === undefined && /^[fhv]/u.test(name)) continue;
    throw badArguments(`Unknown flag: -${name}`, advice ?? helpOf(argv));
  }
}

/** The words that a command takes, as its options are declared. */
type Offer = ReturnType<typeof readOffer>;

/** Members of yargs that its types lack. */
interface Declared {
  readonly getOptions: () => DeclaredOptions & {
    readonly choices: Readonly<Record<string, readonly string[]>>;
    readonly hiddenOptions: readonly string[];
  };
  readonly getGroups: () => Pick<DeclaredOptions, "Positionals:">;
  readonly getInternalMethods: () => {
    readonly getUsageInstance: () => { cacheHelpMessage: () => void };
    readonly getCommandInstance: () => {
      readonly getCommandHandlers: () => Readonly<Record<string, { readonly builder: (args: Argv) => Argv }>>;
    };
  };
}

/** Returns what the command that a command line names takes. Default: what the program takes. */
export async function offerOf(argv: readonly string[]): Promise<Offer> {
  const { default: yargs } = await import("yargs");
  let args = yargs([]).command([...commands(ignoreRun, await kindNames(argv))]) as Argv & Declared;
  for (const word of argv.filter((each) => !each.startsWith("-"))) {
    const { [word]: named } = args.getInternalMethods().getCommandInstance().getCommandHandlers();
    if (!named) break;
    args = named.builder(yargs([])) as Argv & Declared;
  }
  return readOffer(args);
}

function readOffer(args: Declared) {
  const { key, choices, boolean, hiddenOptions } = args.getOptions();
  const { "Positionals:": positionals = [] } = args.getGroups();
  const flags = Object.keys(key).filter(
    (name) => name.length > 1 && ![...positionals, ...hiddenOptions].includes(name),
  );
  return {
    commands: Object.keys(args.getInternalMethods().getCommandInstance().getCommandHandlers()),
    /** By its name, the values that a flag can have, if they are a list; undefined for a switch. */
    flags: new Map(flags.map((name) => [name, boolean.includes(name) ? undefined : (choices[name] ?? [])])),
    positionals: new Map(positionals.map((name) => [name, choices[name] ?? []])),
  };
}

/** Only the options of `import` name the kinds, and loading these takes longer than all other options. */
const kindNames = async (argv: readonly string[]): Promise<string[]> =>
  argv.includes("import") ? (await import("../kinds/index.ts")).kinds.map(({ name }) => name) : [];

const forOneOrMore = (text: string) => ({ one: text, other: text });

/** Words of ours with the data, by the sentences of yargs that they stand in place of: a program cannot read sentences. */
const yargsWords = {
  "Unknown argument: %s": forOneOrMore("unknown\t%s"),
  "Missing required argument: %s": forOneOrMore("missing\t%s"),
  "Not enough non-option arguments: got %s, need at least %s": forOneOrMore("no_argument\t%s\t%s"),
  "Not enough arguments following: %s": "no_value\t%s",
  "Invalid values:": "wrong_value",
  "Argument: %s, Given: %s, Choices: %s": "\t%s\t[%s]\t[%s]",
};

/** Makes the parser of a command line. `run`: makes the handler of the command that it names; `width`: characters of a line of its help. */
async function makeParser(argv: readonly string[], run: MakeHandler, width: number): Promise<Argv> {
  const { default: yargs } = await import("yargs");
  const program = yargs([...argv]) as Argv & Declared;
  // After each command yargs would lay out the help text, in case that its handler fails. Ours only chooses the command.
  program.getInternalMethods().getUsageInstance().cacheHelpMessage = () => undefined;
  return program
    .parserConfiguration({ "dot-notation": false })
    .scriptName("hostform")
    .detectLocale(false)
    .updateStrings(yargsWords as never)
    .usage("$0 <command>\n\nManages hosting accounts declared in a YAML manifest.")
    .version(version())
    .alias({ help: "h", version: "v" })
    .command([...commands(run, await kindNames(argv))])
    .demandCommand(1, `A command is missing: ${commandNames.slice(0, -1).join(", ")} or ${commandNames.at(-1)}.`)
    .check((args) => isGivenWell(args, { ...program.getOptions(), ...program.getGroups() }, argv, helpOf(argv)))
    .strict()
    .exitProcess(false)
    .showHelpOnFail(false)
    .wrap(width)
    .fail((message, error) => {
      // The parser below yargs hands its own mistakes over as errors.
      throw error && error.name !== "YError"
        ? withGiven(error, argv)
        : refusalOf(message ?? "", argv, readOffer(program));
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
const takesManifest = new Set(["validate", "render", "plan", "rehearse", "drift", "inventory"]);

/** Returns the error for arguments that yargs refuses. `message`: one of `yargsWords`, or a sentence of ours. */
function refusalOf(message: string, argv: readonly string[], offer: Offer): InputError {
  const [word = "", first = "", ...rest] = message.split("\t");
  const refused = (summary: string, hint = helpOf(argv)) => badArguments(summary, hint);
  switch (word.trim()) {
    case "unknown":
      return unknownArguments([first, ...rest].join("\t").split(", "), argv, offer);
    case "wrong_value":
      return wrongChoice(first, rest, argv);
    case "no_argument": {
      const command = argv.slice(0, argv[0] === "fleet" ? 2 : 1).join(" ");
      const { [command]: what = "it as hostform fleet status shows it" } = firstArguments;
      return refused(`hostform ${command} needs an argument`, `name ${what}`);
    }
    case "no_value":
      return refused(`${first.length > 1 ? "-" : ""}-${first} needs a value`);
    case "missing":
      return refused(`Missing required argument: ${first.replace(/\n.*/su, "")}`, first.replace(/^.*\n/u, ""));
    default:
      return refused(message);
  }
}

/** Returns the advice to read the help of the command that is named. */
function helpOf(argv: readonly string[]): string {
  const command = commandNames.find((name) => argv.find((word) => !word.startsWith("-")) === name);
  return `see hostform ${command === undefined ? "" : `${command} `}--help`;
}

const inCamelCase = (word: string) => word.replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());

/** Returns the error for words and flags that a command does not take, with what was likely meant. */
function unknownArguments(all: readonly string[], argv: readonly string[], offer: Offer): InputError {
  const { commands: own, flags: known } = offer;
  const [word = "", ...rest] = argv;
  const [stray = "", ...others] = all;
  const hasFile = rest.some((each) => /^(-f|--file(=|$))/u.test(each));
  if (others.length === 0 && !hasFile && takesManifest.has(word) && rest.includes(stray))
    return badArguments(
      `hostform ${word} takes its manifest with -f`,
      nearest(stray, ["list"]) ? "hostform inventory lists what is owned" : `write -f ${quoted(stray)}`,
    );
  if (all.every(isManifestPath)) return badArguments(`Before ${all.join(", ")} there is no -f`, onePathAdvice);
  // yargs names a flag of two words in camel case too.
  const unknown = all.filter((each) => !all.some((other) => other !== each && inCamelCase(other) === each));
  const given = new Set(argv.map((each) => each.replace(/=.*$/su, "")));
  const flags = unknown.flatMap((each) => [each, `no-${each}`].filter((flag) => given.has(`--${flag}`)));
  const near = flags.flatMap((flag) => {
    const name = flag.replace(/^no-/u, "");
    const found = nearest(name, [...known.keys()]) ?? [...known.keys()].find((each) => each.startsWith(`${name}-`));
    return found === undefined ? [] : `--${unknown.includes(flag) ? "" : "no-"}${found}`;
  });
  const command = flags.length === 0 ? nearest(unknown[0] ?? "", own) : undefined;
  const meant = command === undefined ? near : [command];
  const [what, named] = flags.length === 0 ? ["argument", all] : ["flag", flags.map((flag) => `--${flag}`)];
  const [foreign] = flags.flatMap((flag) => wordHere(flag) ?? []);
  return badArguments(
    `Unknown ${plural(named.length, what)}: ${named.join(", ")}`,
    foreign ?? (meant.length === 0 ? helpOf(argv) : `did you mean ${meant.join(", ")}?`),
  );
}

/** Returns the error for a flag that takes a number with the word that was given, of which yargs makes NaN; other errors as they are. */
function withGiven(error: Error, argv: readonly string[]): Error {
  if (!(error instanceof InputError) || error.mistake.type !== "wrong_value" || !Number.isNaN(error.mistake.found))
    return error;
  const { flag } = error.mistake;
  const [word = "", next = ""] = argv.slice(argv.findIndex((each) => each.replace(/=.*/su, "") === flag));
  const found = JSON.stringify(word === flag ? next : word.slice(flag.length + 1));
  return new InputError({ ...error.mistake, found });
}

/** Returns the error for a value that is not among the choices. `lists`: the values and the choices, as JSON. */
function wrongChoice(name: string, lists: readonly string[], argv: readonly string[]): InputError {
  const [given = [], choices = []] = lists.map((list) => (JSON.parse(list) as unknown[]).map(String));
  const wrong = given.find((each) => !choices.includes(each)) ?? "";
  const near = nearest(wrong, choices);
  const summary = `${argv.some((word) => word.startsWith(`--${name}`)) ? "--" : ""}${name}: expected one of ${choices.join(", ")}, found ${wrong === "" ? "nothing" : wrong}`;
  return badArguments(summary, near === undefined ? helpOf(argv) : `did you mean ${near}?`);
}

// yargs does not take a lone "-" as a value; it takes --file=-.
const joinDash = (argv: readonly string[]) =>
  argv.flatMap((word, index) => {
    if (word === "-" && /^(-f|--file)$/u.test(argv[index - 1] ?? "")) return [];
    return /^(-f|--file)$/u.test(word) && argv[index + 1] === "-" ? ["--file=-"] : [word];
  });
