import { describe, expect, test } from "vitest";
import { chosenCommand } from "../../src/cli/parse-arguments.ts";
import { getOrMake } from "../../src/lib/collect.ts";
import { noAccount, type Ran, runInProcess } from "../support/run-hostform.ts";
import { size } from "../proofs/size.ts";

const printed = new Map<string, Promise<Ran>>();

/** Returns the help text that a command prints. */
async function help(words: readonly string[], width = 120): Promise<string> {
  const run = () => runInProcess(noAccount, [...words, "--help"], { COLUMNS: String(width) });
  const { status, stdout, stderr } = await getOrMake(printed, [...words, width].join(" "), run);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

/** The commands that a help text lists, below the words of its own command. */
const listed = (text: string, words: readonly string[]): string[][] =>
  [...text.matchAll(/^ {2}hostform ([a-z ]+?)(?: [[<].*?)?(?: {2}.*)?$/gmu)].flatMap(([, name = ""]) =>
    name.split(" ").length === words.length + 1 && name !== words.join(" ") ? [name.split(" ")] : [],
  );

/** The command lines of a help text's examples. */
const examplesIn = (text: string): string[] =>
  [...(text.split("Examples:\n")[1] ?? "").matchAll(/^ {2}(hostform .*?)(?: {2}.*)?$/gmu)].map(([, line = ""]) => line);

/** The words of a command line, as a shell parts them. */
const wordsOf = (line: string): string[] =>
  [...line.replace(/ > \S+$/u, "").matchAll(/'([^']*)'|(\S+)/gu)].map(([, quoted, plain]) => quoted ?? plain ?? "");

const main = listed(await help([]), []);
const commands = [...main, ["emulator", "log"], ...["check", "show"].map((word) => ["contract", word])];

/** The titles of a help text's groups of options, and the first option of each. */
const groupsIn = (text: string): string[] =>
  [...text.matchAll(/^([A-Z][a-z]+:)\n +(?:(?:-\w, )?(--[a-z-]+))/gmu)].map(([, title, first]) => `${title} ${first}`);

test("the help of a command shows the options that most command lines need first", async () => {
  expect(groupsIn(await help(["plan"]))).toEqual([
    "Manifest: --file",
    "Options: --out",
    "Account: --base-url",
    "Changes: --only",
    "Consent: --allow-delete",
    "Output: --help",
    "Run: --parallelism",
  ]);
});

test("the help lists all commands", () => {
  expect(main.length).toBe(21);
});

describe.each(size.every(2, commands).map((words) => [words.join(" "), words] as const))(
  "the help of %s",
  (name, words) => {
    test("has one or two examples, each of which the command accepts", async () => {
      const examples = examplesIn(await help(words));
      expect(examples.length).toBeGreaterThan(0);
      expect(examples.length).toBeLessThanOrEqual(2);
      for (const line of examples) {
        const [program, ...argv] = wordsOf(line);
        expect(program).toBe("hostform");
        expect(argv.join(" ")).toMatch(new RegExp(`^${name}( |$)`, "u"));
        expect(await chosenCommand(argv, 100), line).toBeTypeOf("function");
      }
    });

    test("joins no word to another at any width", async () => {
      const wordsIn = (text: string) => text.split(/\s+/u);
      const whole = new Set(wordsIn(await help(words, 120)));
      for (const width of [80, 81, 90, 100])
        expect(wordsIn(await help(words, width)).filter((word) => !whole.has(word))).toEqual([]);
    });

    test("has no line that is wider than the terminal", async () => {
      const lines = (await help(words, 60)).split("\n");
      expect(Math.max(...lines.map((text) => text.length))).toBeLessThanOrEqual(60);
    });
  },
);
