import { describe, expect, test, vi } from "vitest";
import { chosenCommand } from "../../src/cli/command-line.ts";
import { noAccount, runInProcess } from "../support/in-process.ts";

/** Returns a help text, which yargs prints itself. */
async function help(words: readonly string[], width = 120): Promise<string> {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  await runInProcess(noAccount, [...words, "--help"], { COLUMNS: String(width) });
  const printed = log.mock.calls.flat().join("\n");
  log.mockRestore();
  return printed;
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
const commands = [...main, ["emulator", "log"], ...["check", "show", "draft"].map((word) => ["contract", word])];

test("the help lists all commands", () => {
  expect(main.length).toBe(17);
});

describe.each(commands.map((words) => [words.join(" "), words] as const))("the help of %s", (name, words) => {
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

  test("has no line that is wider than the terminal", async () => {
    const lines = (await help(words, 60)).split("\n");
    expect(Math.max(...lines.map((text) => text.length))).toBeLessThanOrEqual(60);
  });
});
