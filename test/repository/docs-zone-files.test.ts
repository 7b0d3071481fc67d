import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { noAccount, runInProcess } from "../support/run-hostform.ts";
import { folderForTest } from "../support/temporary-folder.ts";

const page = readFileSync(fileURLToPath(new URL("../../docs/zone-files.md", import.meta.url)), "utf8");
const blocks = [...page.matchAll(/^```(\w*)\n(.*?)^```$/gmsu)].map(([, language, text = ""]) => ({ language, text }));

test("the commands of the page on zone files run, and the export is the manifest again", async () => {
  const cwd = folderForTest();
  const run = (args: readonly string[]) => runInProcess({ ...noAccount, cwd }, args);
  writeFileSync(join(cwd, "bakery.example.zone"), blocks.find(({ language }) => language === "")?.text ?? "");
  mkdirSync(join(cwd, "config"));
  writeFileSync(join(cwd, "config", "bakery.example.yaml"), "www: { type: A, value: 192.0.2.20 }\n");
  const commands = blocks.filter(({ language }) => language === "sh").map(({ text }) => text.trim());
  expect(commands).toHaveLength(3);
  for (const command of commands) {
    const [words = "", file] = command.replace(/^hostform /u, "").split(" > ");
    const { status, stdout, stderr } = await run(words.split(" "));
    expect([command, status, stderr.includes("error")]).toEqual([command, 0, false]);
    if (file !== undefined) writeFileSync(join(cwd, file), stdout);
  }
  const again = ["import", "again", "--from", "zone-file", "exported.zone"];
  expect((await run(again)).status).toBe(0);
  const [first, second] = ["hosting", "again"].map((name) =>
    readFileSync(join(cwd, name, "bakery.example.yaml"), "utf8"),
  );
  expect(second).toBe(first);
});
