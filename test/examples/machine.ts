import { spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Workshop } from "../state/repositories.ts";
import type { Account } from "../support/account.ts";
import { cli, type Ran } from "../support/run-hostform.ts";

/** The top of this repository. */
export const top = fileURLToPath(new URL("../..", import.meta.url));

/** A machine on which one job runs: a clone, a home, and the programs node, npm and hostform. */
export interface Machine {
  readonly folder: string;
  /** Runs a command in bash, as a runner does. `killAt`: kills it, and what it has started, once it has printed that. */
  readonly run: (command: string, env: Record<string, string>, killAt?: RegExp) => Promise<Ran>;
  /** What the commands have written to GITHUB_OUTPUT. */
  readonly outputs: () => Record<string, string>;
  /** What they have written to GITHUB_STEP_SUMMARY. */
  readonly summary: () => string;
}

/**
 * Stands for npm: takes a tarball of the web or one that is there, and refuses to run beside a secret, because the scripts of a package would see it.
 */
const npm = (modules: string) => `#!/bin/sh
if test "$1" = root; then echo "${modules}"; exit; fi
test -z "$HOSTFORM_API_KEY$FORGE_TOKEN" || exit 90
for last; do :; done
case "$last" in https://*.tgz) ;; ./*.tgz) test -e "$last" || exit 91 ;; *) exit 92 ;; esac
if test "$1" = pack; then : > "$3/hostform-0.1.0.tgz"; fi
`;

/** Makes a machine with a clone of a remote. `forgeCa` is the authority of the forge, as PEM. */
export function openMachine(
  shop: Workshop,
  account: Account,
  { remote, branch = "main", forgeCa }: { readonly remote: string; readonly branch?: string; readonly forgeCa: string },
): Machine {
  const folder = shop.clone(remote);
  if (branch !== "main") shop.git(folder, "checkout", "--quiet", branch);
  const home = `${folder}.home`;
  const at = (name: string) => join(home, name);
  mkdirSync(at("bin"), { recursive: true });
  mkdirSync(at("modules"));
  symlinkSync(top, at("modules/hostform"));
  cpSync(join(shop.env["HOME"] ?? "", ".gitconfig"), at(".gitconfig"));
  for (const name of ["output", "summary"]) writeFileSync(at(name), "");
  writeFileSync(at("forge.pem"), forgeCa);
  const programs = {
    hostform: `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`,
    // What talks to the forge does not get the key.
    node: `#!/bin/sh\ntest "$1" = -p || test -z "$HOSTFORM_API_KEY" || exit 93\nexec "${process.execPath}" "$@"\n`,
    npm: npm(at("modules")),
  };
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(at(`bin/${name}`), text);
    chmodSync(at(`bin/${name}`), 0o755);
  }
  const ownEnv = {
    HOME: home,
    PATH: `${at("bin")}:${process.env["PATH"] ?? ""}`,
    GIT_CONFIG_NOSYSTEM: "1",
    XDG_CONFIG_HOME: at("config"),
    XDG_STATE_HOME: at("state"),
    HOSTFORM_CA_FILE: join(account.folder, "ca.pem"),
    NODE_EXTRA_CA_CERTS: at("forge.pem"),
    GITHUB_OUTPUT: at("output"),
    GITHUB_STEP_SUMMARY: at("summary"),
    RUNNER_TEMP: home,
  };
  return {
    folder,
    run: (command, env, killAt) => inBash(command, folder, { ...ownEnv, ...env }, killAt),
    outputs: () => Object.fromEntries(readFileSync(at("output"), "utf8").split("\n").flatMap(pairIn)),
    summary: () => readFileSync(at("summary"), "utf8"),
  };
}

/** Returns the name and the value of a line NAME=VALUE, in a list. */
export function pairIn(line: string): [[string, string]] | [] {
  const at = line.indexOf("=");
  return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]];
}

function inBash(command: string, cwd: string, env: Record<string, string>, killAt: RegExp | undefined): Promise<Ran> {
  const flags = ["--noprofile", "--norc", "-eo", "pipefail", "-c", command];
  const child = spawn("bash", flags, { cwd, env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text: Buffer) => {
    stdout += text.toString();
    if (killAt?.test(stdout) && child.pid !== undefined && child.exitCode === null && child.signalCode === null)
      process.kill(-child.pid, "SIGKILL");
  });
  child.stderr.on("data", (text: Buffer) => (stderr += text.toString()));
  return new Promise((resolve) => child.on("close", (status) => resolve({ status, stdout, stderr })));
}
