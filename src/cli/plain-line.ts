import type { Argv } from "yargs";
import { addCommands } from "./add-commands.ts";
import type { MakeHandler } from "./command-options.ts";

/** The values of a command line by the names of their options, in kebab case and in camel case. */
type Given = Record<string, unknown>;

/** The members of an option or argument that decide how its value is read, as they are declared to yargs. */
interface Declaration {
  readonly type?: "boolean" | "number" | "string";
  readonly alias?: string;
  readonly array?: boolean;
  readonly nargs?: number;
  readonly choices?: readonly string[];
  readonly default?: unknown;
  readonly demandOption?: boolean | string;
}

/** The declarations of a command, and of those below it. */
interface Declared {
  readonly options: Map<string, Declaration>;
  readonly positionals: Map<string, Declaration>;
  readonly checks: ((given: Given) => unknown)[];
  readonly commands: Map<string, DeclaredCommand>;
  /** Whether the command does nothing of its own. */
  needsCommand: boolean;
}

interface DeclaredCommand {
  /** The name of the command and its arguments, such as `show <plan>`. */
  readonly words: string;
  readonly build: (args: Argv) => unknown;
  readonly handle: (given: Given) => void;
}

/**
 * Reads a command line without yargs, which takes longer to load than most commands take, and calls the handler of its command. Returns
 * false, and calls nothing, unless yargs would read the same from it beyond doubt: then yargs reads it, and words its mistakes. Throws what
 * the checks of the command throw.
 */
export function callHandler(argv: readonly string[], run: MakeHandler): boolean {
  const [name = "", ...words] = argv;
  const command = collectDeclarations((program) => addCommands(program, run, [])).commands.get(name);
  if (!command) return false;
  const declared = collectDeclarations(command.build);
  const line = readWords(words, declared.options);
  const named = line && nameArguments(line.rest, command.words, declared);
  if (!named) return false;
  const given = inBothCases({ ...defaultsOf(declared), ...line.values, ...named });
  if (isOptionMissing(declared, given) || declared.checks.some((check) => check(given) !== true)) return false;
  command.handle(given);
  return true;
}

/** Collects the declarations that a builder of yargs makes. */
function collectDeclarations(build: (args: Argv) => unknown): Declared {
  const declared: Declared = {
    options: new Map(),
    positionals: new Map(),
    checks: [],
    commands: new Map(),
    needsCommand: false,
  };
  const collector = {
    option: (name: string, declaration: Declaration) => keep(declared.options, name, declaration),
    positional: (name: string, declaration: Declaration) => keep(declared.positionals, name, declaration),
    check: (check: Declared["checks"][number]) => {
      declared.checks.push(check);
      return collector;
    },
    command: (words: string, _: string, builder: DeclaredCommand["build"], handle: DeclaredCommand["handle"]) =>
      keep(declared.commands, words.replace(/ .*/u, ""), { words, build: builder, handle }),
    example: () => collector,
    group: () => collector,
    demandCommand: () => {
      declared.needsCommand = true;
      return collector;
    },
  };
  const keep = <T>(map: Map<string, T>, name: string, value: T) => {
    map.set(name, value);
    return collector;
  };
  // The builders call no other method of yargs.
  build(collector as unknown as Argv);
  return declared;
}

interface Line {
  readonly values: Given;
  /** The words that are neither flags nor their values. */
  readonly rest: readonly string[];
}

/** Parts the words after a command into the values of its options and the rest; undefined where yargs has to read them. */
function readWords(words: readonly string[], options: Declared["options"]): Line | undefined {
  const values: Given = {};
  const rest: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (!word.startsWith("-")) {
      if (!isPlain(word) || !Number.isNaN(Number(word))) return undefined;
      rest.push(word);
      continue;
    }
    const flag = findFlag(word, options);
    if (!flag) return undefined;
    const next = words[index + 1] ?? "";
    const isNext = flag.isTrue === undefined && flag.text === undefined;
    if (isNext ? next.startsWith("-") : flag.isTrue !== undefined && /^(?:true|false)$/u.test(next)) return undefined;
    const value = flag.isTrue ?? readValue(flag.text ?? next, flag.declaration);
    if (value === undefined || !addValue(values, flag, value)) return undefined;
    if (isNext) index += 1;
  }
  return { values, rest };
}

interface Flag {
  readonly name: string;
  readonly declaration: Declaration;
  /** The value of a flag that takes none. */
  readonly isTrue: boolean | undefined;
  /** The value that stands in the same word. */
  readonly text: string | undefined;
}

/** Returns the flag that a word is, such as `--json`, `--no-color`, `--file=a.yaml` and `-f`; undefined if it is none of the options. */
function findFlag(word: string, options: Declared["options"]): Flag | undefined {
  const [, long, text] = /^--([a-z-]+)(?:=(.*))?$/su.exec(word) ?? [];
  if (long === undefined) {
    const [name, declaration] = [...options].find(([, { alias }]) => word === `-${alias}`) ?? [];
    return name === undefined || !declaration ? undefined : { name, declaration, isTrue: undefined, text: undefined };
  }
  const declaration = options.get(long);
  if (declaration && declaration.type !== "boolean") return { name: long, declaration, isTrue: undefined, text };
  if (text !== undefined) return undefined;
  if (declaration) return { name: long, declaration, isTrue: true, text };
  const name = long.replace(/^no-/u, "");
  const negated = name === long ? undefined : options.get(name);
  return negated?.type === "boolean" ? { name, declaration: negated, isTrue: false, text } : undefined;
}

/** Whether yargs takes a word as it is. It takes quotes off. */
const isPlain = (word: string) => word !== "" && !/^["']/u.test(word);

/** Returns the value that a text is for an option; undefined where yargs has to read it. */
function readValue(text: string, { type, array = false, nargs, choices }: Declaration): string | number | undefined {
  if (!isPlain(text) || (array && (nargs !== 1 || choices))) return undefined;
  if (type === "number") return /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
  return choices?.includes(text) === false ? undefined : text;
}

/** Adds a value to those of its option. Returns false if the option takes only one, and has it. */
function addValue(values: Given, { name, declaration }: Flag, value: unknown): boolean {
  const before = values[name];
  if (before !== undefined && declaration.array !== true) return false;
  values[name] = declaration.array === true ? [...((before as unknown[] | undefined) ?? []), value] : value;
  return true;
}

/** Gives the words after a command to its arguments; undefined if these are too few, too many, or may name a command below it. */
function nameArguments(rest: readonly string[], words: string, declared: Declared): Given | undefined {
  if (declared.needsCommand || (declared.commands.size > 0 && rest.length > 0)) return undefined;
  const named: Given = {};
  let left = rest;
  for (const [, bracket, name = "", many] of words.matchAll(/([<[])([a-z]+)(\.\.)?/gu)) {
    const taken = left.slice(0, many === undefined ? 1 : left.length);
    left = left.slice(taken.length);
    const choices = declared.positionals.get(name)?.choices;
    if (choices && taken.some((word) => !choices.includes(word))) return undefined;
    if (bracket === "<" && taken.length === 0) return undefined;
    if (many !== undefined) named[name] = taken;
    else if (taken.length > 0) [named[name]] = taken;
  }
  return left.length > 0 ? undefined : named;
}

const defaultsOf = ({ options }: Declared): Given =>
  Object.fromEntries(
    [...options].flatMap(([name, { default: value }]) => (value === undefined ? [] : [[name, value]])),
  );

const isOptionMissing = ({ options }: Declared, given: Given): boolean =>
  [...options].some(([name, { demandOption }]) => demandOption !== undefined && given[name] === undefined);

const inBothCases = (given: Given): Given => ({
  ...given,
  ...Object.fromEntries(Object.entries(given).map(([name, value]) => [camelCase(name), value])),
});

/** Returns the name of a flag in camel case, in which yargs gives it too. */
export const camelCase = (word: string): string =>
  word.replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
