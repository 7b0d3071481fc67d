import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { accountForFile } from "../support/account.ts";
import { eventsOf, exits, runInProcess } from "../support/run-hostform.ts";
import { commandsOf, readBlocks } from "./read-commands.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const page = readFileSync(join(root, "docs", "import.md"), "utf8");
const commands = readBlocks(page).flatMap((block) => (block.language === "sh" ? commandsOf(block) : []));

const account = accountForFile();
beforeAll(async () => {
  cpSync(join(root, "examples", "first.yaml"), join(account.folder, "first.yaml"));
  execFileSync("git", ["init", "--quiet"], { cwd: account.folder });
  const args = ["apply", "-f", join(account.folder, "first.yaml"), "--auto-approve"];
  exits(0, await runInProcess(account, args, { INFO_PASSWORD: "a-long-password-1" }));
});

/** Runs a command of the page in the folder of the account. */
function run(command: string) {
  const words = command
    .replaceAll("'", "")
    .split(" ")
    .filter((word) => word !== "");
  const base = words.map((word) => (word.startsWith("https://api.") ? account.baseUrl : word));
  const placed = base.map((word) => (word === "hosting/" ? join(account.folder, word) : word));
  const ca = ["import", "plan", "status"].includes(words[1] ?? "") ? ["--ca-file", join(account.folder, "ca.pem")] : [];
  return runInProcess({ flags: [], env: account.env }, [...placed.slice(1), ...ca]);
}

test("the commands of the page work in their order, and end with no changes", async () => {
  expect(commands.map((command) => command.split(" ").slice(0, 2).join(" "))).toEqual([
    "hostform import",
    "hostform plan",
    "hostform import",
    "hostform plan",
    "hostform status",
  ]);
  for (const command of commands) {
    const { status, stdout, stderr } = await run(command);
    expect(status, command + stdout + stderr).toBe(0);
    expect(stdout).toMatch(command.includes(" status ") ? /^dns_record\/shop\.example\//mu : /^No changes\./mu);
  }
  const names = ["hostform.yaml", "manifest.schema.json", "shop.example.yaml"];
  expect(readdirSync(join(account.folder, "hosting")).toSorted()).toEqual(names);
  expect(page.split("\n").length).toBeLessThan(150);
});

test("what is imported becomes ours at once with --own, and else with the first apply", async () => {
  const folder = join(account.folder, "owned");
  const imported = exits(0, await runInProcess(account, ["import", folder, "--json"]));
  const events = eventsOf(imported);
  const [sums] = events.filter(({ type }) => type === "plan");
  expect(sums).toMatchObject({ add: 0, change: 0, destroy: 0, unchanged: 12, adopts: 12 });
  expect(events.find(({ type }) => type === "not_owned")).toMatchObject({ count: 12 });
  const owned = await runInProcess(account, ["import", "--into", folder, "--own"]);
  expect(owned.stdout).toContain("12 adopted in ");
  const again = await runInProcess(account, ["plan", "-f", folder]);
  expect(again.stdout).not.toContain("Hostform manages");
});

test("init --import writes the same manifest, and beside it what a repository needs", async () => {
  const folder = join(account.folder, "begun");
  const { flags, env, folder: cwd } = account;
  const { status, stdout, stderr } = await runInProcess({ flags, env, cwd }, ["init", folder, "--import"]);
  expect([status, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/No changes\.[^]*Wrote .*begun\/, .*\.gitignore, .*hostform\.yml\.\nNext:\n1\. Read /u);
  const names = readdirSync(folder).toSorted();
  expect(names).toEqual(readdirSync(join(account.folder, "owned")).toSorted());
  for (const name of names)
    expect(readFileSync(join(folder, name), "utf8")).toBe(readFileSync(join(account.folder, "owned", name), "utf8"));
  expect(existsSync(join(account.folder, ".github", "workflows", "hostform.yml"))).toBe(true);
});
