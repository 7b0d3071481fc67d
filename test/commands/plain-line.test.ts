import fc from "fast-check";
import { expect, test } from "vitest";
import type { MakeHandler } from "../../src/cli/command-options.ts";
import { makeParser } from "../../src/cli/parse-arguments.ts";
import { callHandler } from "../../src/cli/plain-line.ts";
import { findPage, type HelpRow } from "../../src/cli/help-page.ts";
import { size } from "../proofs/size.ts";

type Options = Record<string, unknown>;

/** Returns handlers that keep the options with which they are called. */
function keepOptions(): { readonly run: MakeHandler; readonly kept: Options[] } {
  const kept: Options[] = [];
  return { run: () => (options) => void kept.push(options as Options), kept };
}

/** Returns the options that a reader of command lines gives to the handler, or the message of the mistake that it throws. */
async function readWith(read: (run: MakeHandler) => unknown): Promise<Options | string | undefined> {
  const { run, kept } = keepOptions();
  try {
    await read(run);
  } catch (error) {
    return (error as Error).message;
  }
  expect(kept.length).toBeLessThanOrEqual(1);
  return kept[0];
}

const readByYargs = (argv: readonly string[]) =>
  readWith(async (run) => (await makeParser(argv, run, 100)).parseSync());

/** The options without what yargs adds to them for itself, and without those that are not given. */
const ownOptions = (options: Options | string | undefined) =>
  typeof options === "object"
    ? Object.entries(options)
        .filter(([name, value]) => !["_", "$0", "f"].includes(name) && value !== undefined)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
    : options;

const commands = findPage([])
  .sections.filter(({ title }) => title === "Commands:")
  .flatMap(({ rows }) => rows.map(({ name }) => name.split(" ")[1] ?? ""));

const flagIn = ({ name }: HelpRow) => /--[a-z-]+/u.exec(name)?.[0];
const rowsOf = (command: string) => findPage([command]).sections.flatMap(({ rows }) => rows);
const flagsOf = (command: string): readonly string[] => rowsOf(command).flatMap((row) => flagIn(row) ?? []);

const usualValue = fc.constantFrom(
  ..."a.yaml hosting/ plan.json mailbox/info@example.com dns_record/* NAME=VALUE bash single 7 30".split(" "),
);
const oddValue = fc.constantFrom(
  "",
  "a b",
  "\n",
  ...`- -- true false 0 007 0x10 1e3 .5 -1 -x 1_0 999999999999 'q' "q a=b é = --=a`.split(" "),
  ..."__proto__ constructor log check -f -fa.yaml -f=a.yaml -hv --help -v".split(" "),
);
const value = fc.oneof({ weight: 6, arbitrary: usualValue }, { weight: 1, arbitrary: oddValue });

/** Words that stand for one flag or one argument: mostly a form that the command takes. */
const someWords = (flags: readonly string[]) => {
  const flag = fc.constantFrom(...flags, "-f", "--file");
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(flag, value) },
    { weight: 3, arbitrary: fc.tuple(flag) },
    { weight: 3, arbitrary: fc.tuple(flag, value).map(([name, text]) => [`${name}=${text}`]) },
    { weight: 1, arbitrary: fc.tuple(flag).map(([name]) => [name.replace(/^--(?:no-)?/u, "--no-")]) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(flag)
        .map(([name]) => [name.replaceAll(/(?<=[a-z])-(.)/gu, (_, next: string) => next.toUpperCase())]),
    },
    { weight: 3, arbitrary: fc.tuple(value) },
  );
};

const oddLine = fc
  .constantFrom(...commands)
  .chain((name) => fc.array(someWords(flagsOf(name)), { maxLength: 4 }).map((words) => [name, ...words.flat()]));

/** A value that the help says the option or argument takes; undefined for a flag that takes none. */
function fitting({ extra }: HelpRow): fc.Arbitrary<string | undefined> {
  if (extra.includes("[boolean]")) return fc.constant(undefined);
  if (extra.includes("[number]")) return fc.constantFrom("0", "7", "30");
  const choices = [...(/choices: ([^\]]*)/u.exec(extra)?.[1]?.matchAll(/"([^"]+)"/gu) ?? [])].map(
    ([, choice]) => choice,
  );
  return choices.length > 0 ? fc.constantFrom(...choices) : usualValue;
}

/** A line whose words all fit: its arguments, and flags with the values that they take. */
const fittingLine = fc.constantFrom(...commands).chain((name) => {
  const { sections } = findPage([name]);
  const places = sections.flatMap(({ title, rows }) => (title === "Positionals:" ? rows.map(fitting) : []));
  const flags = rowsOf(name).flatMap((row) => {
    const flag = flagIn(row);
    const isAnswered = flag === undefined || ["--help", "--version"].includes(flag);
    return isAnswered ? [] : [fitting(row).map((text) => [flag, text] as const)];
  });
  const some = fc.subarray(flags, { maxLength: 3 }).chain((each) => fc.tuple(...each));
  return fc
    .tuple(fc.tuple(...places), some, fc.boolean())
    .map(([texts, given, isJoined]) => [
      name,
      ...texts.flatMap((text) => text ?? []),
      ...given.flatMap(([flag, text]) => (text === undefined ? [flag] : isJoined ? [`${flag}=${text}`] : [flag, text])),
    ]);
});
const commandLine = fc.oneof({ weight: 2, arbitrary: fittingLine }, { weight: 1, arbitrary: oddLine });

test(
  "a command line that is read without yargs has the options, or the mistake, that yargs finds",
  { timeout: size.timeout },
  async () => {
    const isAsYargsReads = async (argv: readonly string[]) => {
      const own = await readWith((run) => callHandler(argv, run));
      if (own !== undefined) expect(ownOptions(own)).toEqual(ownOptions(await readByYargs(argv)));
      return own !== undefined;
    };
    expect(await isAsYargsReads(["validate", "-f", "a.yaml"])).toBe(true);
    let read = 0;
    await fc.assert(
      fc.asyncProperty(commandLine, async (argv) => void (read += Number(await isAsYargsReads(argv)))),
      { numRuns: size.draws(400) },
    );
    expect(read).toBeGreaterThan(0);
  },
);

const usualLines = [
  ["validate", "-f", "a.yaml", "--file=b.yaml", "--no-color", "--var", "ttl=300"],
  ["plan", "--json", "--parallelism", "4", "--only", "dns_record/*", "--only=mailbox/a@b.example"],
  ["apply", "plan.json", "--auto-approve", "--settle", "0"],
  ["apply", "-f", "hosting/", "--emulator", "--approve", "0f3a", "--lock-timeout=5"],
  ["show", "plan.json", "--full"],
  ["why", "mailbox/info@example.com"],
  ["status", "mailbox/*", "service/*", "--fail-on", "pending"],
  ["snapshot", "--out", "live.json"],
  ["import", "hosting", "--layout", "single"],
  ["emulator", "--data", "service.db", "--port", "8443"],
  ["completion", "bash"],
];

test.each(usualLines.map((argv) => [argv.join(" "), argv] as const))("yargs is not needed for %s", async (_, argv) => {
  expect(await readWith((run) => callHandler(argv, run))).toBeTypeOf("object");
});
