import { badArguments, InputError } from "../engine/session/input-error.ts";

/** Returns whether a word is the path of a manifest: what the shell makes of `hosting/*.yaml`. */
export const isManifestPath = (word: string): boolean => /\.ya?ml$/u.test(word);

export const onePathAdvice = "-f takes a single path: give the folder (-f hosting/), or write -f before each file";

/** Throws an InputError if both a saved plan and manifests are given. */
export function isOnlyOne(plan: unknown, files: unknown): true {
  if (plan !== undefined && files !== undefined)
    throw badArguments(
      "Both a saved plan and a manifest are given",
      typeof plan === "string" && isManifestPath(plan)
        ? onePathAdvice
        : "give the saved plan alone: it holds what it needs of the manifest",
    );
  return true;
}

/** Throws an InputError if output is asked for both as events and as Markdown. */
export function isOneFormat(format: unknown, json: unknown): true {
  if (format !== "markdown" || json !== true) return true;
  throw badArguments("Both --json and --format markdown are given", "leave one of them out");
}

/** Returns the error for a value of a flag that is not as expected. For NaN, `chosenCommand` puts in the word that was given. */
export const wrongValue = (flag: string, expected: string, found: unknown, hint: string): InputError =>
  new InputError({ type: "wrong_value", flag, expected, found, hint });

/** Throws an InputError unless the value of a flag is a number of seconds that a timer can count: a longer one would end at once. */
export function isSeconds(flag: string, value: unknown): true {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0 && value <= 2_000_000) return true;
  throw wrongValue(flag, "a number of seconds, 0 to 2,000,000", value, `write it without a unit, such as ${flag} 30`);
}

/** Throws an InputError unless the value of a flag is a number of things that may run at once. */
export function isConcurrency(flag: string, value: number, byDefault: number): true {
  if (Number.isInteger(value) && value >= 1 && value <= 128) return true;
  throw wrongValue(flag, "a whole number from 1 to 128", value, `leave it out for ${byDefault}`);
}

export interface GivenVariables {
  readonly var?: readonly string[];
  readonly "var-file"?: readonly string[];
}

/** Throws an InputError if values of variables are given beside a saved plan. */
export function takesNoVariables(given: GivenVariables): true {
  const flag = (["var", "var-file"] as const).find((name) => (given[name] ?? []).length > 0);
  if (flag === undefined) return true;
  throw badArguments(
    `--${flag}: a saved plan takes no variables, because it holds the values that its steps send`,
    `give --${flag} to plan --out, which saves another plan`,
  );
}

/** The names of the options of a command by their types, and of its arguments, as yargs holds them. */
export interface DeclaredOptions extends Readonly<
  Record<"array" | "boolean" | "number" | "string", readonly string[]>
> {
  readonly key: Readonly<Record<string, unknown>>;
  readonly "Positionals:"?: readonly string[];
}

/** Throws an InputError for what yargs would read as something else: --no-inventory as a value of --inventory, an empty text as 0, a flag twice as a list. */
export function isGivenWell(
  args: Readonly<Record<string, unknown>>,
  { key, array, boolean, number, string, "Positionals:": positionals = [] }: DeclaredOptions,
  argv: readonly string[],
  help: string,
): true {
  const denied = Object.keys(args).find((name) => argv.includes(`--no-${name}`) && !boolean.includes(name));
  if (denied !== undefined) throw badArguments(`Unknown flag: --no-${denied}`, help);
  // A variable that is not set would let --host be all addresses, and --fail-on nothing. That of --approve is annotated in a job.
  const taking = [...number, ...string].filter((name) => name.length > 1 && name !== "approve");
  // An empty number is 0 to yargs, and a lone dash an empty text; behind a flag it would be the name of a file.
  const isEmpty = (name: string) => argv.includes(`--${name}=`) || argv[argv.indexOf(`--${name}`) + 1] === "";
  const isDash = (name: string) => name !== "file" && [args[name]].flat().includes("-");
  const empty = taking.find((name) => isDash(name) || [args[name]].flat().includes("") || isEmpty(name));
  const dash = argv.some((word) => /^(?:--[a-z-]+=)?-$/u.test(word)) ? ": a dash is taken by -f alone" : "";
  const flag = positionals.includes(empty ?? "") ? "" : "--";
  if (empty !== undefined) throw badArguments(`${flag}${empty} needs a value${dash}`, help);
  const twice = Object.keys(key).find((name) => name.length > 1 && !array.includes(name) && Array.isArray(args[name]));
  if (twice === undefined) return true;
  throw badArguments(`--${twice} is given twice`, "give it once");
}
