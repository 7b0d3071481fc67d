import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openAccount, type Account } from "../support/account.ts";
import { changeRecord, recordsPath } from "../support/live-records.ts";
import { cli, exits, type Ran, runInProcess } from "../support/run-hostform.ts";
import { readBlocks } from "./read-commands.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const readme = readFileSync(join(root, "README.md"), "utf8");

/** The manifest of the README. */
export const manifest = readBlocks(readme).find(({ language }) => language === "yaml")?.text ?? "";

/**
 * A reader's working folder: a git repository whose `hosting/` has been applied to an account, with `hostform` on the path. The README's story
 * has happened since: a changed address in the panel, a larger quota, and a mailbox that was taken out of the manifest.
 */
export interface Workplace {
  readonly account: Account;
  /** Runs a command, in bash where it needs a shell; text that the reader fills in is filled in: the base URL, the hash that was printed last, the yes. */
  readonly run: (command: string, cwd?: string) => Promise<Ran>;
  readonly write: (name: string, text: string) => void;
  readonly remove: (name: string) => void;
  readonly commit: () => void;
  readonly close: () => Promise<void>;
}

const file = join("hosting", "shop.example.yaml");
const jo = '      jo: { quota: 1 GiB, password: "${env:INFO_PASSWORD}" }\n';

export async function openWorkplace(): Promise<Workplace> {
  const account = await openAccount();
  const env = environmentOf(account);
  const servers: Server[] = [];
  const state = { hash: "", service: "" };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: account.folder, env });
  const commit = () => {
    git("add", "--all", "hosting");
    git("-c", "user.name=t", "-c", "user.email=t@t.test", "commit", "--quiet", "--allow-empty", "--message", "change");
  };
  const write = (name: string, text: string) => writeFileSync(join(account.folder, name), text);
  const run = async (command: string, cwd = account.folder) => {
    const filled = fillIn(command, { account, ...state });
    if (/^hostform emulator (?!log)/u.test(command)) {
      state.service = await serve(filled, { cwd, env, servers });
      return { status: 0, stdout: "", stderr: "" };
    }
    if (/^(?:export|unset) /u.test(filled)) return changeEnvironment(filled, cwd, env);
    const given = cwd === root ? { PATH: env["PATH"] ?? "" } : env;
    const ran = await (needsShell(filled) ? runInBash(filled, cwd, given) : runHere(filled, cwd, given));
    state.hash = /sha256:[0-9a-f]+/u.exec(ran.stdout)?.[0] ?? state.hash;
    return ran;
  };
  git("init", "--quiet");
  mkdirSync(join(account.folder, "hosting"));
  write(file, manifest.replace("5 GiB", "2 GiB") + jo);
  commit();
  const manifests = join(account.folder, "hosting");
  exits(0, await runInProcess(account, ["apply", "--auto-approve", "-f", manifests], env));
  await changeByHand(account);
  write(file, manifest);
  commit();
  return {
    account,
    run,
    write,
    commit,
    remove: (name) => rmSync(join(account.folder, name)),
    close: async () => {
      for (const { child, ended } of servers) {
        child.kill("SIGTERM");
        await ended;
      }
      await account.close();
    },
  };
}

/** The environment of a reader who has installed Hostform and knows his account. */
function environmentOf(account: Account): Record<string, string> {
  const bin = join(account.folder, "..", "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "hostform"), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`);
  chmodSync(join(bin, "hostform"), 0o755);
  return {
    ...account.env,
    PATH: `${bin}:${process.env["PATH"] ?? ""}`,
    HOME: account.folder,
    GIT_CONFIG_NOSYSTEM: "1",
    HOSTFORM_BASE_URL: account.baseUrl,
    HOSTFORM_CA_FILE: join(account.folder, "ca.pem"),
    INFO_PASSWORD: "a-long-password-1",
    BAKERY_PASSWORD: "a-long-password-2",
  };
}

/** Adds a record to shop.example, as somebody does in a panel. */
export async function addByHand(account: Account): Promise<void> {
  const record = { name: "blog", type: "A", content: "192.0.2.44", ttl: 3600 };
  const { status } = await account.byHand("POST", await recordsPath(account, "shop.example"), record);
  if (status !== 201) throw new Error(`the record was not added: ${status}`);
}

/** Changes the address of shop.example, as somebody does in a panel. */
export const changeByHand = (account: Account): Promise<void> =>
  changeRecord(account, ({ name, type }) => name === "@" && type === "A", "198.51.100.7", "shop.example");

const fillIn = (command: string, { account, hash, service }: { account: Account; hash: string; service: string }) =>
  command
    .replaceAll("https://api.your-host.example", account.baseUrl)
    .replaceAll("https://127.0.0.1:8443", service)
    .replaceAll("sha256:…", hash)
    .replaceAll("--port 8443", "--port 0")
    // His folder hosting/ is not empty.
    .replace("hostform import hosting/", "hostform import account/")
    .replace(/^(hostform apply\b(?!.*(--auto-approve|--approve)).*)$/u, "$1 --auto-approve");

/** Whether a command is more than words; also of a plan without flags, so that the program runs as it is installed. */
const needsShell = (command: string) => !/^hostform (?!plan$|emulator\b)[\w ./=:@-]+$/u.test(command);

/** Runs a command that is only words in this process: to start the program takes longer than what it does. */
const runHere = (command: string, cwd: string, env: Record<string, string>): Promise<Ran> =>
  runInProcess({ flags: [], env, cwd }, command.split(/ +/u).slice(1));

/** Runs a command of a shell that changes its environment, and keeps the change. */
async function changeEnvironment(command: string, cwd: string, env: Record<string, string>): Promise<Ran> {
  const ran = await runInBash(`${command} && env -0`, cwd, env);
  const changed = new Map(ran.stdout.split("\0").map((entry) => [/^[^=]*/u.exec(entry)?.[0] ?? "", entry] as const));
  for (const name of Object.keys(env)) if (!changed.has(name)) delete env[name];
  for (const [name, entry] of changed) if (name.startsWith("HOSTFORM_")) env[name] = entry.slice(name.length + 1);
  return { ...ran, stdout: "" };
}

function runInBash(command: string, cwd: string, env: Record<string, string>): Promise<Ran> {
  const child = spawn("bash", ["-c", command], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (text: Buffer) => (stdout += text.toString()));
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}

/** A command that runs until it is stopped, and its end, also where that comes before it is stopped. */
interface Server {
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
}

/** Starts a command that runs until it is stopped; resolves with the base URL that it prints. */
function serve(
  command: string,
  { cwd, env, servers }: { cwd: string; env: Record<string, string>; servers: Server[] },
): Promise<string> {
  const child = spawn("bash", ["-c", `exec ${command}`], { cwd, env, stdio: ["ignore", "pipe", "inherit"] });
  servers.push({ child, ended: new Promise((resolve) => child.on("close", resolve)) });
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
