import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, test } from "vitest";
import { commandsOf, readBlocks } from "./read-commands.ts";
import { exits, noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForFile } from "../support/temporary-folder.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs", "templates.md"), "utf8");
const blocks = readBlocks(page);
const [first] = blocks;
const fragments = blocks.filter(({ language, text }) => language === "yaml" && !text.startsWith("version:"));

const folder = folderForFile();
beforeAll(() => writeFileSync(join(folder, "a.yaml"), first?.text ?? ""));

describe("the page on templates", () => {
  test("is short", () => expect(page.split("\n").length).toBeLessThan(150));

  test.each(fragments)(
    "has a fragment at line $line that Hostform accepts beside the first manifest",
    async ({ text }) => {
      const file = join(folder, "b.yaml");
      writeFileSync(file, text);
      const ran = exits(0, await runInProcess(noAccount, ["validate", "-f", folder]));
      rmSync(file);
      expect(ran.stderr).not.toMatch(/^(error|warning)/mu);
    },
  );

  const commands = blocks.filter(({ language }) => language === "sh").flatMap(commandsOf);
  test.each(commands)("has the command %s, which runs", async (command) => {
    const [, ...args] = command.replace("hosting/", folder).split(" ");
    const ran = await runInProcess(noAccount, [...args, ...(args[0] === "plan" ? ["--emulator"] : [])]);
    expect(ran.status, ran.stdout + ran.stderr).toBe(0);
    if (args[0] === "plan") expect(ran.stdout).toContain(/`(Variable ttl.*?)`/u.exec(page)?.[1]);
  });
});
