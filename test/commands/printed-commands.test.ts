import fc from "fast-check";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { quoted } from "../../src/lib/escape.ts";
import { forDraws } from "../support/for-draws.ts";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const folder = folderForFile();

const letter = fc.constantFrom("a", "b", " ", "'", '"', "$", "`", ";", "&", "*", "(", "#", "~", "!", "\\", "|", "é");
const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 }).filter((text) => text.trim() === text);
const run = (...args: readonly string[]) => runInProcess(noAccount, args);

test("a quoted word comes out of a shell as it went in", () =>
  forDraws(20, name, (text) => {
    expect(execFileSync("sh", ["-c", `printf %s ${quoted(text)}`], { encoding: "utf8" })).toBe(text);
  }));

describe("a printed command quotes what the user has given", () => {
  const cases: Readonly<Record<string, (path: string) => readonly [args: readonly string[], command: string]>> = {
    "show of a file that is missing": (path) => [["show", path], `hostform plan --out ${quoted(path)} writes`],
    "show of a file that is not a plan": (path) => {
      writeFileSync(path, "{}");
      return [["show", path], `hostform apply -f ${quoted(path)} or`];
    },
    "contract check of a manifest": (path) => {
      writeFileSync(path, "version: 1");
      return [["contract", "check", path], `hostform validate -f ${quoted(path)} checks`];
    },
    "a manifest without -f": (path) => [["validate", path], `write -f ${quoted(path)}\n`],
    "an import into a folder that is not empty": () => [
      ["import", folder, "--emulator"],
      `use: hostform import --into ${quoted(folder)}`,
    ],
    "init of a folder": (path) => [["init", path], `hostform plan -f ${quoted(`${path}/`)} --emulator\n`],
    "the next step of an import": (path) => [["import", path, "--emulator"], `hostform apply -f ${quoted(path)}\n`],
  };

  test.each(Object.keys(cases))("%s", async (title) => {
    let count = 0;
    await forDraws({ numRuns: 5 }, name, async (text) => {
      count += 1;
      const [args, command] = cases[title]?.(join(folder, `${count}-${title.replaceAll(" ", "")}-${text}`)) ?? [[], ""];
      const { stdout, stderr } = await run(...args);
      expect(stdout + stderr).toContain(command);
    });
  });
});

test.each([
  ["o.json", '{"a":1}', '"format" is missing in it'],
  ["l.json", "[1]", "it is not a map of keys and values"],
  ["zero.json", "", "it is empty"],
])("show of %s says in plain words what is not as in a plan, and names a new file", async (file, text, words) => {
  writeFileSync(join(folder, file), text);
  const { status, stderr } = await run("show", join(folder, file));
  expect([status, stderr]).toEqual([3, expect.stringContaining(`is not a saved plan: ${words}\n`)]);
  expect(stderr).toContain("hostform plan --out plan.json writes one");
});

test.each([
  ["[", "An item, a comma or a bracket is missing here"],
  ["", "is empty"],
  ["{}", "is empty"],
  ["text", "has no keys"],
])("contract check of a file with %j says in plain words what is wrong", async (text, words) => {
  const path = join(folder, "contract.yaml");
  writeFileSync(path, text);
  const { status, stderr } = await run("contract", "check", path);
  expect([status, stderr]).toEqual([3, expect.stringContaining(words)]);
  expect(stderr).not.toMatch(/schemas\/|Flow/u);
  expect(stderr.match(/^error/gmu)).toHaveLength(1);
});

test("an import of an empty account shows the target once, and does not count what there is not", async () => {
  const made = await run("import", join(folder, "new"), "--emulator");
  expect(made.stdout).toContain("Nothing to import to");
  expect(made.stdout.match(/^Target:/gmu)).toHaveLength(1);
  const path = join(folder, "into.yaml");
  writeFileSync(path, "version: 1\nname: into\n");
  const into = await run("import", "--into", path, "--emulator");
  expect(into.stdout).toMatch(/Nothing to import to \S+ \(\d+ reads?\)\./u);
  expect(into.stdout.match(/^Target:/gmu)).toHaveLength(1);
});
