import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { commandsOf, readBlocks, type Block } from "./read-commands.ts";
import { addByHand, changeByHand, manifest, openWorkplace, readme, root } from "./workplace.ts";
import { exits } from "../support/run-hostform.ts";
import { openedForFile } from "../support/opened-for-file.ts";

const blocks = readBlocks(readme);
const shell = blocks.filter(({ language }) => language === "sh");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

const workplace = openedForFile(openWorkplace);

test("the README has fewer than 150 lines, and each of its blocks says its language", () => {
  expect(readme.split("\n").length).toBeLessThan(150);
  expect(blocks.filter(({ language }) => !["sh", "text", "yaml"].includes(language))).toEqual([]);
});

const consent = 'removed:\n  - { address: "mailbox/jo@shop.example", action: delete }\n';

test("the README's plan is the one that Hostform prints, with the refusal", async () => {
  const [block] = shell;
  const [command = ""] = block === undefined ? [] : commandsOf(block);
  const { stdout } = exits(6, await workplace.run(command));
  expect(stdout).toContain(blocks.find(({ language }) => language === "text")?.text);
  expect(stdout).toContain(consent.split("\n")[1]);
});

/** Runs a command of the README; npm's commands only have to exist. */
async function run(command: string) {
  if (/^(npm |export )/u.test(command)) {
    const [, script = "start"] = /^npm (?:run )?([\w:]+)/u.exec(command) ?? [];
    expect(command.startsWith("export ") || ["install", "ci"].includes(script) || script in scripts, command).toBe(
      true,
    );
    return "";
  }
  const { status, stdout, stderr } = await workplace.run(command, command.includes("examples/") ? root : undefined);
  expect(status, `${command}\n${stdout}${stderr}`).toBe(0);
  if (/^hostform (apply|import)/u.test(command)) expect(stdout).toContain("No changes.");
  return stdout;
}

describe("a command of the README", () => {
  beforeAll(() => {
    workplace.write(join("hosting", "removed.yaml"), consent);
    workplace.commit();
  });
  const commands = shell.slice(1).flatMap((block: Block) => commandsOf(block));
  test.each(commands)("%s", async (command) => {
    expect(await run(command)).not.toContain("error");
  });
});

const bakery = manifest.replaceAll("shop.example", "bakery.example").replace("INFO_PASSWORD", "BAKERY_PASSWORD");
const shopFile = join("hosting", "shop.example.yaml");
const bakeryFile = join("hosting", "bakery.example.yaml");
const edits: Readonly<Record<string, () => void | Promise<void>>> = {
  "Add a customer": () => workplace.write(bakeryFile, bakery.replace(/^version.*\nname.*\n/u, "")),
  "Move a site": () => workplace.write(shopFile, manifest.replace("192.0.2.10", "192.0.2.30")),
  "Rotate a password": () => {},
  "Remove a mailbox": () =>
    workplace.write(
      shopFile,
      `${manifest.replace(/^ +mailboxes:\n.*\n/mu, "      aliases: {}\n")}removed: [{ address: mailbox/info@shop.example, action: delete }]\n`,
    ),
  "Remove a customer": () => workplace.remove(bakeryFile),
  "Undo a change made by hand": () => changeByHand(workplace.account),
  "Take in what was made by hand": () => addByHand(workplace.account),
};

describe("a daily job of the README", () => {
  const rows = readme.split("\n").flatMap((line) => {
    const [, job, , how = ""] = line.split(" | ").length === 3 ? ["", ...line.replace(/^\| /u, "").split(" | ")] : [];
    const [, command] = /`(hostform [^`]*)`/u.exec(how) ?? [];
    return job === undefined || command === undefined ? [] : [{ job, command }];
  });

  test("is each of those that are tried here", () => expect(rows.map(({ job }) => job)).toEqual(Object.keys(edits)));

  test.each(rows)("$job: $command", async ({ job, command }) => {
    await edits[job]?.();
    workplace.commit();
    const [flag] = /--allow-delete \S+/u.exec(command) ?? [];
    if (flag !== undefined) expect((await workplace.run("hostform plan -f hosting/")).stdout).toContain(flag);
    expect(await run(command)).toMatch(/Applied: |Imported 1 resource/u);
  });
});

test("the README's installation begins with the two commands that need nothing before them", () => {
  const [, install] = shell;
  const commands = install === undefined ? [] : commandsOf(install);
  expect(commands.slice(0, 2)).toEqual(["npm start", "npm test"]);
  for (const name of ["prestart", "pretest"]) expect(scripts[name]).toBe("node scripts/ensure-installed.mjs");
});
