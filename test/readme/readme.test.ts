import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openAccount, type Account } from "../support/account.ts";
import { cli, type Ran } from "../support/run-hostform.ts";
import { commandsOf, readBlocks, type Block } from "./read-commands.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const blocks = readBlocks(readme);
const shell = blocks.filter(({ language }) => language === "sh");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

/**
 * A person's working folder: a git repository whose folder `hosting/` has been applied once to an account, and `hostform` on the path.
 * What the README's commands leave to the reader to fill in is filled in: the base URL, the key, the hash that was printed last.
 */
let account: Account;
let env: Record<string, string>;
let printedHash = "";
const background: ChildProcess[] = [];

function run(command: string, cwd: string, variables = env): Promise<Ran> {
  const child = spawn("bash", ["-c", command], { cwd, env: variables, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}

/** Starts what runs until it is stopped; resolves with the base URL that it prints. */
function serve(command: string): Promise<string> {
  const child = spawn("bash", ["-c", `exec ${command}`], {
    cwd: account.folder,
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  background.push(child);
  let stdout = "";
  return new Promise((resolve, reject) => {
    child.on("close", () => reject(new Error(`${command} ended: ${stdout}`)));
    child.stdout.on("data", (text: Buffer) => {
      stdout += text.toString();
      const [url] = /https:\/\/127\.0\.0\.1:\d+/u.exec(stdout) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}

beforeAll(async () => {
  account = await openAccount();
  const bin = join(account.folder, "..", "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "hostform"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(bin, "hostform"), 0o755);
  env = {
    ...account.env,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: account.folder,
    GIT_CONFIG_NOSYSTEM: "1",
    HOSTFORM_BASE_URL: account.baseUrl,
    HOSTFORM_CA_FILE: join(account.folder, "ca.pem"),
    INFO_PASSWORD: "a-long-password-1",
  };
  mkdirSync(join(account.folder, "hosting"));
  cpSync(join(root, "examples", "first.yaml"), join(account.folder, "hosting", "first.yaml"));
  const git = (...args: string[]) => execFileSync("git", args, { cwd: account.folder, env });
  git("init", "--quiet");
  git("-c", "user.name=t", "-c", "user.email=t@t.test", "commit", "--quiet", "--allow-empty", "--message", "begin");
  const applied = await run("hostform apply -f hosting/ --auto-approve", account.folder);
  if (applied.status !== 0) throw new Error(applied.stdout + applied.stderr);
  const file = join(account.folder, "hosting", "first.yaml");
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("quota: 2 GiB", "quota: 3 GiB").replace("      www:", "      shop:"),
  );
});

afterAll(async () => {
  for (const child of background) {
    const ended = new Promise((resolve) => child.on("close", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  await account.close();
});

test("the README's first manifest is the example of its name", () => {
  const example = readFileSync(join(root, "examples", "first.yaml"), "utf8");
  expect(example.replace(/^# yaml-language-server.*\n/u, "")).toBe(
    blocks.find(({ language }) => language === "yaml")?.text,
  );
});

test("every block of the README says what it holds", () => {
  expect(blocks.filter(({ language }) => !["sh", "text", "yaml", "json"].includes(language))).toEqual([]);
});

/** The block of output that stands behind a block of shell, if there is one. */
function outputOf(block: Block): string | undefined {
  const next = blocks[blocks.indexOf(block) + 1];
  return next?.language === "text" ? next.text : undefined;
}

const cases = shell.flatMap((block) =>
  commandsOf(block).map((command, at, all) => ({ command, block, last: at === all.length - 1 })),
);

describe("a command of the README", () => {
  let emulatorUrl = "";

  /** The command as a reader types it, who knows his own account. */
  const filled = (command: string) =>
    command
      .replaceAll("https://api.your-host.example", account.baseUrl)
      .replaceAll("https://127.0.0.1:8443", emulatorUrl)
      .replaceAll("sha256:…", printedHash)
      .replaceAll("--port 8443", "--port 0")
      // No person is there to answer yes.
      .replace(/^(hostform apply (?!.*(--auto-approve|--approve)).*)$/u, "$1 --auto-approve");

  test.each(cases)("$command", async ({ command, block, last }) => {
    if (/^(npm |export )/u.test(command)) {
      const [, script = "start"] = /^npm (?:run )?([\w:]+)/u.exec(command) ?? [];
      expect(command.startsWith("export ") || ["install", "ci"].includes(script) || script in scripts, command).toBe(
        true,
      );
      return;
    }
    if (/^hostform emulator (?!log)/u.test(command)) {
      emulatorUrl = await serve(filled(command));
      return;
    }
    // Whoever tries the checkout has no account yet.
    const tries = command.startsWith("node dist/");
    const ran = await run(filled(command), tries ? root : account.folder, tries ? { PATH: env["PATH"] ?? "" } : env);
    expect(ran.status, `${filled(command)}\n${ran.stdout}${ran.stderr}`).toBe(0);
    printedHash = /sha256:[0-9a-f]+/u.exec(ran.stdout)?.[0] ?? printedHash;
    const expected = last ? outputOf(block) : undefined;
    if (expected !== undefined) expect(ran.stdout).toBe(expected);
  });
});
